//! What a position is worth: the table's word, and the captures of which it knows nothing.

use tabiya_rules::{Board, Move, MoveList, Piece};

use crate::{ProbeError, Tablebase, Wdl, table::Kind};

/// An outcome, and whether the side to move gets it by a capture or (of a win) a pawn move at once.
#[derive(Clone, Copy)]
struct Outcome {
    wdl: Wdl,
    at_once: bool,
}

impl Tablebase {
    /// What a position is worth with the halfmove clock at zero.
    ///
    /// # Errors
    /// [`ProbeError`] if the position has castling rights or too many men, or a table is missing or damaged.
    pub fn wdl(&self, board: &Board) -> Result<Wdl, ProbeError> {
        self.check(board)?;
        Ok(self.outcome(board)?.wdl)
    }

    /// Distance in plies to the next capture, pawn move or mate with best play: positive if the side to move wins,
    /// negative if it loses, 0 in a draw; beyond ±100 the fifty-move rule makes it a draw. A table may have rounded:
    /// the real distance can be one ply more.
    ///
    /// # Errors
    /// As [`Self::wdl`].
    pub fn dtz(&self, board: &Board) -> Result<i32, ProbeError> {
        self.check(board)?;
        self.distance(board)
    }

    pub(crate) fn check(&self, board: &Board) -> Result<(), ProbeError> {
        let men = board.occupied().count() as usize;
        if men > self.most_men() {
            return Err(ProbeError::TooManyMen {
                men,
                most: self.most_men(),
            });
        }
        if board.castling_rooks().any() {
            return Err(ProbeError::Castling);
        }
        Ok(())
    }

    /// The table's word, or a better capture's.
    fn stored_or_capture(&self, board: &Board, mut alpha: Wdl, beta: Wdl) -> Result<Wdl, ProbeError> {
        for mv in captures(board) {
            let value = -self.stored_or_capture(&board.after(mv), -beta, -alpha)?;
            if value > alpha {
                if value >= beta {
                    return Ok(value);
                }
                alpha = value;
            }
        }
        Ok(self.stored(board)?.max(alpha))
    }

    fn stored(&self, board: &Board) -> Result<Wdl, ProbeError> {
        // Two kings have no table.
        if board.occupied().count() == 2 {
            return Ok(Wdl::Draw);
        }
        self.table(board, Kind::Outcome)?.outcome(board)
    }

    fn outcome(&self, board: &Board) -> Result<Outcome, ProbeError> {
        // Tables are made as if there were no captures in passing, so these are weighed apart.
        let mut best = None;
        let mut best_in_passing = None;
        for mv in captures(board) {
            let alpha = best.unwrap_or(Wdl::Loss);
            let value = -self.stored_or_capture(&board.after(mv), Wdl::Loss, -alpha)?;
            let kind = if mv.is_en_passant() {
                &mut best_in_passing
            } else {
                &mut best
            };
            *kind = (*kind).max(Some(value));
            if value == Wdl::Win {
                return Ok(Outcome {
                    wdl: value,
                    at_once: true,
                });
            }
        }
        let stored = self.stored(board)?;
        let at_once = |wdl| Ok(Outcome { wdl, at_once: true });
        if let Some(in_passing) = best_in_passing
            && Some(in_passing) > best
        {
            if in_passing > stored {
                return at_once(in_passing);
            }
            best = best_in_passing;
        }
        if let Some(best) = best
            && best >= stored
        {
            return Ok(Outcome {
                wdl: best,
                at_once: best > Wdl::Draw,
            });
        }
        // A stalemate, for the table, in which a capture in passing is the only move.
        if let Some(in_passing) = best_in_passing
            && stored == Wdl::Draw
            && !board.in_check()
            && legal(board).iter().all(|mv| mv.is_en_passant())
        {
            return at_once(in_passing);
        }
        Ok(Outcome {
            wdl: stored,
            at_once: false,
        })
    }

    fn distance(&self, board: &Board) -> Result<i32, ProbeError> {
        let Outcome { wdl, at_once } = self.outcome(board)?;
        if wdl == Wdl::Draw {
            return Ok(0);
        }
        if at_once {
            return Ok(wdl.next_ply());
        }
        if wdl > Wdl::Draw {
            for mv in legal(board) {
                if is_pawn_move(board, mv) && !is_capture(board, mv) {
                    let after = board.after(mv);
                    if -self.outcome(&after)?.wdl == wdl {
                        return Ok(wdl.next_ply());
                    }
                }
            }
        }
        if let Some(plies) = self.table(board, Kind::Distance)?.distance(board, wdl)? {
            return Ok(if wdl > Wdl::Draw {
                wdl.next_ply() + plies
            } else {
                wdl.next_ply() - plies
            });
        }
        self.distance_from_replies(board, wdl)
    }

    /// Only the other side's distances are stored: looks one ply ahead.
    fn distance_from_replies(&self, board: &Board, wdl: Wdl) -> Result<i32, ProbeError> {
        let mut best = (wdl < Wdl::Draw).then(|| wdl.next_ply());
        for mv in legal(board) {
            if is_capture(board, mv) || is_pawn_move(board, mv) {
                continue;
            }
            let after = board.after(mv);
            let distance = -self.distance(&after)?;
            if distance == 1 && after.is_checkmate() {
                best = Some(1);
            } else if wdl > Wdl::Draw {
                if distance > 0 {
                    best = Some(best.map_or(distance + 1, |best| best.min(distance + 1)));
                }
            } else {
                best = Some(best.map_or(distance - 1, |best| best.min(distance - 1)));
            }
        }
        // A win has a move that wins, so the tables contradict each other if there is none.
        best.ok_or_else(|| ProbeError::Damaged {
            file: "tables".into(),
            reason: "a position is won and has no move that wins".into(),
        })
    }
}

pub(crate) fn legal(board: &Board) -> MoveList {
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    moves
}

fn captures(board: &Board) -> impl Iterator<Item = Move> {
    let mut moves = MoveList::new();
    board.captures(&mut moves);
    moves.into_iter().filter(|mv| is_capture(board, *mv))
}

/// Castling takes its own rook by notation only; tables hold no such positions.
pub(crate) fn is_capture(board: &Board, mv: Move) -> bool {
    mv.is_en_passant() || board.color_on(mv.to()) == Some(!board.side_to_move())
}

pub(crate) fn is_pawn_move(board: &Board, mv: Move) -> bool {
    board.piece_on(mv.from()) == Some(Piece::Pawn)
}
