//! Whether a mate can come before the automatic count of quiet moves ends the game.

use tabiya_rules::{Board, Color, MoveList};

use super::position::{can_mate, quiet_plies};
use crate::{
    mate::{Prover, Verdict},
    ruleset::Switches,
};

/// Plies before the end of the count up to which every line is looked at.
const MOST_PLIES: u32 = 6;

/// Positions that such a look may visit.
const MOST_POSITIONS: u32 = 100_000;

/// Whether a side can still mate if the game is drawn by itself once the plies without pawn move or capture are complete
/// that the switches give these men; `None` if that is not known, with proofs of so many positions. The reading of interpretation note 1 that counts 9.6.2.
pub(super) fn can_mate_before(
    prover: &mut Prover,
    board: &Board,
    side: Color,
    positions: u32,
    switches: &Switches,
) -> Option<bool> {
    let limit = |board: &Board| match quiet_plies(board, switches) {
        0 => u32::MAX,
        plies => plies,
    };
    match prover.prove(board, side, positions).verdict {
        Verdict::No(_) => return Some(false),
        Verdict::Unknown => return None,
        Verdict::Yes(line) => {
            // The prover does not count; its line may be quick enough all the same.
            let mut board = *board;
            let quick = line.iter().all(|&mv| {
                let left = board.halfmove_clock() < limit(&board);
                board.play(mv);
                left
            });
            if quick {
                return Some(true);
            }
        }
    }
    // Until the count begins anew the men are the same, and so is the limit.
    let limit = limit(board);
    if limit.saturating_sub(board.halfmove_clock()) > MOST_PLIES {
        return None;
    }
    Look {
        prover,
        positions,
        side,
        limit,
        visited: 0,
    }
    .mates(board)
}

struct Look<'a> {
    prover: &'a mut Prover,
    positions: u32,
    side: Color,
    limit: u32,
    visited: u32,
}

impl Look<'_> {
    fn mates(&mut self, board: &Board) -> Option<bool> {
        self.visited += 1;
        if self.visited > MOST_POSITIONS || self.prover.is_stopped() {
            return None;
        }
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        if moves.is_empty() {
            return Some(board.in_check() && board.side_to_move() != self.side);
        }
        if board.halfmove_clock() >= self.limit {
            return Some(false);
        }
        let mut known = Some(false);
        for mv in moves {
            let after = board.after(mv);
            let mates = if after.halfmove_clock() == 0 {
                // The count begins anew, and the prover knows no other.
                can_mate(self.prover, &after, self.side, self.positions)
            } else {
                self.mates(&after)
            };
            match mates {
                Some(true) => return Some(true),
                Some(false) => {}
                None => known = None,
            }
        }
        known
    }
}
