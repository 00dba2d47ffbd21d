//! A game in progress: a start, the moves played, and what repetition needs to know of them.

use crate::{Board, Move};

/// A start position and the moves played from it.
#[derive(Clone, Debug)]
pub struct Game {
    start: Board,
    board: Board,
    moves: Vec<Move>,
    /// Keys of every position so far, the start first and the current one last.
    keys: Vec<u64>,
}

impl Game {
    /// A game that starts from a position, which counts as its own first occurrence.
    pub fn new(start: Board) -> Self {
        Self {
            start,
            board: start,
            moves: Vec::new(),
            keys: vec![start.key()],
        }
    }

    /// Plays a legal move; see [`Board::play`].
    pub fn play(&mut self, mv: Move) {
        self.board.play(mv);
        self.moves.push(mv);
        self.keys.push(self.board.key());
    }

    /// The position the game started from.
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

    /// Keys of every position, the start's first, the current one's last.
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
