//! What a search asks of an evaluation.

use tabiya_rules::{Board, Move};

/// Evaluates the positions of one line of play, which grows and shrinks move by move.
///
/// The value is a pure integer function of the packed position and the network: neither history nor backend
/// changes it. `push`, `push_null` and `pop` only let an implementation reuse the work of the parent position.
pub trait Evaluator {
    /// Starts a new line at this board.
    fn refresh(&mut self, board: &Board);

    /// Follows a legal move from `before`, the current end of the line, to `after`.
    fn push(&mut self, before: &Board, mv: Move, after: &Board);

    /// Follows a passed turn.
    fn push_null(&mut self);

    /// Goes back over the last `push` or `push_null`. At the start of the line it does nothing.
    fn pop(&mut self);

    /// Centipawns from the side to move, within ±[`crate::network::MAX_CENTIPAWNS`], of the line's last
    /// position, which is `board`.
    fn evaluate(&mut self, board: &Board) -> i32;
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn refresh(&mut self, board: &Board) {
        (**self).refresh(board);
    }

    fn push(&mut self, before: &Board, mv: Move, after: &Board) {
        (**self).push(before, mv, after);
    }

    fn push_null(&mut self) {
        (**self).push_null();
    }

    fn pop(&mut self) {
        (**self).pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        (**self).evaluate(board)
    }
}
