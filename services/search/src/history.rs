//! What earlier cut-offs say about moves: the statistics that order and prune them.

use tabiya_rules::{Board, Move, Piece};

use crate::moves::{PIECE_TOS, captured, piece_to};

/// Statistics stay within plus and minus this.
pub(crate) const HISTORY_LIMIT: i32 = 16_384;
/// Stands for "no move" as a predecessor; its row is never written.
pub(crate) const NO_PREDECESSOR: usize = PIECE_TOS;
/// Kinds of captured piece, with one for none (a promotion).
const VICTIMS: usize = 6;

/// All statistics of one search.
pub(crate) struct History {
    /// By side, origin and destination.
    quiet: Vec<i16>,
    /// By moving piece, destination and piece taken.
    capture: Vec<i16>,
    /// By an earlier move's piece and destination, then this move's.
    continuation: Vec<i16>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            quiet: vec![0; 2 * 64 * 64],
            capture: vec![0; PIECE_TOS * VICTIMS],
            continuation: vec![0; (PIECE_TOS + 1) * PIECE_TOS],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.quiet.fill(0);
        self.capture.fill(0);
        self.continuation.fill(0);
    }

    /// Worth of a quiet move after the two moves before it (the other side's, then the own one), within three times [`HISTORY_LIMIT`].
    #[inline]
    pub(crate) fn quiet(&self, board: &Board, mv: Move, previous: [usize; 2]) -> i32 {
        let this = piece_to(board, mv);
        i32::from(self.quiet[quiet_index(board, mv)])
            + i32::from(self.continuation[previous[0] * PIECE_TOS + this])
            + i32::from(self.continuation[previous[1] * PIECE_TOS + this])
    }

    /// Worth of a capture or promotion.
    #[inline]
    pub(crate) fn capture(&self, board: &Board, mv: Move) -> i32 {
        i32::from(self.capture[capture_index(board, mv)])
    }

    /// Moves a quiet move's statistics towards `bonus`.
    pub(crate) fn update_quiet(&mut self, board: &Board, mv: Move, previous: [usize; 2], bonus: i32) {
        let this = piece_to(board, mv);
        pull(&mut self.quiet[quiet_index(board, mv)], bonus);
        for predecessor in previous {
            if predecessor != NO_PREDECESSOR {
                pull(&mut self.continuation[predecessor * PIECE_TOS + this], bonus);
            }
        }
    }

    /// Moves a capture's statistics towards `bonus`.
    pub(crate) fn update_capture(&mut self, board: &Board, mv: Move, bonus: i32) {
        pull(&mut self.capture[capture_index(board, mv)], bonus);
    }
}

/// Bonus for a cut-off at this depth.
pub(crate) fn bonus(depth: i32) -> i32 {
    (170 * depth - 90).clamp(0, 1_700)
}

fn quiet_index(board: &Board, mv: Move) -> usize {
    (board.side_to_move().index() << 12) | (mv.from().index() << 6) | mv.to().index()
}

fn capture_index(board: &Board, mv: Move) -> usize {
    let victim = captured(board, mv).map_or(Piece::King, |piece| piece);
    piece_to(board, mv) * VICTIMS + victim.index()
}

/// A step towards the limit that shrinks as the limit nears.
fn pull(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_stay_within_the_limit() {
        for sign in [1, -1] {
            let mut value = 0;
            for depth in 0..10_000 {
                pull(&mut value, sign * bonus(depth % 200));
                assert!(i32::from(value).abs() <= HISTORY_LIMIT);
            }
            assert!(i32::from(value) * sign > HISTORY_LIMIT * 9 / 10);
        }
    }
}
