//! A game in progress: a start, the moves played, and what repetition needs to know of them.

use crate::{Board, Color, Move, checks::Checks};

/// A start position and the moves played from it.
#[derive(Clone, Debug)]
pub struct Game {
    start: Board,
    board: Board,
    moves: Vec<Move>,
    /// Keys of every position so far, those before the start first and the current one last.
    keys: Vec<u64>,
    /// The checks that White and Black gave before the start.
    earlier_checks: [Checks; 2],
}

impl Game {
    /// A game that starts from a position, which counts as its own first occurrence.
    pub fn new(start: Board) -> Self {
        Self {
            start,
            board: start,
            moves: Vec::new(),
            keys: vec![start.key()],
            earlier_checks: [Checks::default(); 2],
        }
    }

    /// Goes on from a position that no legal move led to, `plies` plies later; with 0 it takes the place of the current
    /// one. It is the new start, from which moves are counted; what was before still counts for repetition and checks.
    pub fn go_on_from(&mut self, board: Board, plies: usize) {
        let mover = !board.side_to_move();
        let mut checks = Color::ALL.map(|side| self.checks(side));
        if plies > 0 {
            checks[mover.index()].count(board.in_check());
        }
        match plies.checked_sub(1) {
            // Positions that nobody knows are like no other.
            Some(unknown) => self.keys.resize(self.keys.len() + unknown, 0),
            None => _ = self.keys.pop(),
        }
        self.keys.push(board.key());
        (self.start, self.board, self.earlier_checks) = (board, board, checks);
        self.moves.clear();
    }

    /// The game without its last move, and that move; `None` if there is none since the start.
    pub fn before_last_move(&self) -> Option<(Self, Move)> {
        let mut before = self.clone();
        let last = before.moves.pop()?;
        before.keys.pop();
        before.board = self.start;
        for &mv in &before.moves {
            before.board.play(mv);
        }
        Some((before, last))
    }

    /// The checks that a side gave before the start.
    pub(crate) fn earlier_checks(&self, by: Color) -> Checks {
        self.earlier_checks[by.index()]
    }

    /// Plays a legal move; see [`Board::play`].
    pub fn play(&mut self, mv: Move) {
        self.board.play(mv);
        self.moves.push(mv);
        self.keys.push(self.board.key());
    }

    /// The position that the moves started from.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// The current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Keys of every position, the first one's first, the current one's last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often the current position has occurred, this time included (FIDE 9.2).
    pub fn repetition_count(&self) -> u32 {
        let key = self.board.key();
        // Nothing before the last capture or pawn move can recur, and only every second ply has the same side to move.
        let window = self.board.halfmove_clock() as usize + 1;
        self.keys
            .iter()
            .rev()
            .take(window)
            .step_by(2)
            .filter(|&&earlier| earlier == key)
            .count() as u32
    }

    /// How often the position after a legal move will have occurred, that time included (FIDE 9.2.1).
    pub fn repetition_count_after(&self, mv: Move) -> u32 {
        let after = self.board.after(mv);
        let window = after.halfmove_clock() as usize;
        let earlier = self.keys.iter().rev().skip(1).step_by(2).take(window / 2);
        1 + earlier.filter(|&&earlier| earlier == after.key()).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Variant, uci};

    fn play(game: &mut Game, moves: &str) {
        for text in moves.split_whitespace() {
            let mv = uci::parse(game.board(), text, Variant::Standard).unwrap();
            game.play(mv);
        }
    }

    #[test]
    fn what_was_before_a_position_that_no_move_led_to_still_counts() {
        let fen = |text| Board::from_fen(text).unwrap();
        let mut game = Game::new(fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"));
        play(&mut game, "a1a8 e8e7 a8a7 e7e8");
        assert_eq!(game.checks(Color::White).current_run, 2);
        // The rook goes like a knight, gives check, and comes back.
        game.go_on_from(fen("4k3/8/2R5/8/8/8/8/4K3 b - - 5 3"), 1);
        assert_eq!(game.repetition_count(), 1);
        game.go_on_from(fen("4k3/R7/8/8/8/8/8/4K3 w - - 6 4"), 1);
        play(&mut game, "a7b7 e8f8 b7a7 f8e8");
        // Before the rook's odd move, when it came back, and now.
        assert_eq!(game.repetition_count(), 3);
        let (before, last) = game.before_last_move().unwrap();
        assert_eq!((before.moves().len(), last.to_string().as_str()), (3, "f8e8"));
        game.go_on_from(*before.board(), 0);
        assert!(game.before_last_move().is_none());
    }

    #[test]
    fn checks_before_it_are_part_of_the_run() {
        let fen = |text| Board::from_fen(text).unwrap();
        let mut game = Game::new(fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"));
        play(&mut game, "a1a8 e8e7");
        game.go_on_from(fen("8/4k3/4R3/8/8/8/8/4K3 b - - 3 2"), 1);
        play(&mut game, "e7f7 e6e7 f7g6");
        let checks = game.checks(Color::White);
        assert_eq!((checks.total, checks.current_run, checks.longest_run), (3, 3, 3));
        assert_eq!(game.checks(Color::Black), Checks::default());
    }
}
