//! How a game ends by the rules, as self-play and matches need it.

use tabiya_rules::{Color, Game};

use crate::record::Outcome;

/// The result and a word for its reason, if the game is over by rule. Repetition and the fifty-move rule count at
/// once, as programs play them, without a claim.
pub(crate) fn ending(game: &Game) -> Option<(Outcome, &'static str)> {
    let board = game.board();
    if !board.has_legal_move() {
        return Some(match (board.in_check(), board.side_to_move()) {
            (false, _) => (Outcome::Draw, "stalemate"),
            (true, Color::White) => (Outcome::Black, "checkmate"),
            (true, Color::Black) => (Outcome::White, "checkmate"),
        });
    }
    if board.is_dead_by_material() {
        Some((Outcome::Draw, "insufficient material"))
    } else if board.halfmove_clock() >= 100 {
        Some((Outcome::Draw, "fifty moves"))
    } else if game.repetition_count() >= 3 {
        Some((Outcome::Draw, "repetition"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, Move, MoveList};

    use super::*;

    fn find(board: &Board, text: &str) -> Move {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        *moves
            .iter()
            .find(|m| m.to_string() == text)
            .expect("a legal move")
    }

    fn after(moves: &str) -> Game {
        let mut game = Game::new(Board::startpos());
        moves
            .split(' ')
            .for_each(|text| game.play(find(game.board(), text)));
        game
    }

    #[test]
    fn mate_counts_for_the_side_that_gave_it() {
        assert_eq!(
            ending(&after("f2f3 e7e5 g2g4 d8h4")),
            Some((Outcome::Black, "checkmate"))
        );
        assert_eq!(
            ending(&after("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7")),
            Some((Outcome::White, "checkmate"))
        );
        assert_eq!(ending(&after("f2f3 e7e5 g2g4")), None);
    }

    #[test]
    fn repetition_is_a_draw_the_third_time() {
        let twice = "g1f3 g8f6 f3g1 f6g8";
        assert_eq!(ending(&after(twice)), None);
        assert_eq!(
            ending(&after(&format!("{twice} {twice}"))),
            Some((Outcome::Draw, "repetition"))
        );
    }

    #[test]
    fn stalemate_is_a_draw() {
        let shortest = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 \
                        f7g6 c8e6";
        assert_eq!(ending(&after(shortest)), Some((Outcome::Draw, "stalemate")));
    }
}
