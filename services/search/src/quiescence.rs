//! Search of captures until the position is quiet enough for a static value.

use tabiya_evaluator::Evaluator;
use tabiya_rules::Board;

use crate::Bound;
use crate::arena::NO_EVALUATION;
use crate::budget::Stopped;
use crate::move_picker::MovePicker;
use crate::moves::{captured, is_tactical};
use crate::score::{EVALUATION_LIMIT, INFINITE, MATE_BOUND, MAX_PLY, Value, mated_at};
use crate::see::{exchange_at_least, piece_value};
use crate::transposition::Entry;
use crate::worker::{Worker, damped, mates_in_time};

/// What a capture may gain in position beyond the piece taken.
const FUTILITY_MARGIN: Value = 180;
/// Captures and evasions tried at one node out of check before the rest is left.
const MOVES_WITHOUT_CHECK: usize = 3;

impl<E: Evaluator> Worker<'_, E> {
    /// Value within `alpha` and `beta` by captures and promotions that lose nothing, and by all moves in check.
    pub(crate) fn quiescence<const PV: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Result<Value, Stopped> {
        self.seldepth = self.seldepth.max(ply);
        self.arena.frame_mut(ply).line.clear();
        if self.is_draw(board, ply) {
            return Ok(0);
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY {
            return if in_check {
                Ok(0)
            } else {
                self.evaluate(board).map(|value| damped(board, value))
            };
        }

        let entry = self.probe(board, ply);
        if !PV
            && let Some(entry) = entry
            && entry.cuts(alpha, beta)
            && board.halfmove_clock() < 90
            && mates_in_time(board, ply, entry)
        {
            return Ok(entry.value);
        }

        let mut raw = None;
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            let value = match entry.and_then(|entry| entry.evaluation) {
                Some(value) => value,
                None => self.evaluate(board)?,
            };
            raw = Some(value);
            best = damped(board, value);
            // Not on the principal variation, whose lines are to end where their value comes from.
            if !PV
                && let Some(entry) = entry
                && entry.bounds_better(best)
                && mates_in_time(board, ply, entry)
            {
                best = entry.value;
            }
            if best >= beta {
                if entry.is_none() {
                    self.store(board, ply, best, raw, Bound::Lower, 0, None, false);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
            futility = best.min(EVALUATION_LIMIT) + FUTILITY_MARGIN;
        }
        self.arena.frame_mut(ply).evaluation = raw.map_or(NO_EVALUATION, |value| damped(board, value));

        let base = self.arena.moves.len();
        let table_move = entry.and_then(|entry| entry.mv);
        let mut picker = if in_check {
            MovePicker::new(base, table_move, [None; 2], self.arena.previous(ply))
        } else {
            MovePicker::tactical(base, table_move)
        };
        let mut best_move = None;
        let mut count = 0;
        while let Some(mv) = picker.next(
            board,
            &mut self.arena.moves,
            &mut self.arena.scratch,
            self.history,
            None,
        ) {
            count += 1;
            if best > -MATE_BOUND {
                if in_check {
                    // One way out that is not mate is enough to look at quiet ones no longer.
                    picker.skip_quiets = true;
                    if !is_tactical(board, mv) {
                        continue;
                    }
                } else if mv.promotion().is_none() {
                    if count > MOVES_WITHOUT_CHECK {
                        break;
                    }
                    let gain = futility + captured(board, mv).map_or(0, piece_value);
                    if gain <= alpha {
                        best = best.max(gain);
                        continue;
                    }
                    if futility <= alpha && !exchange_at_least(board, mv, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
            }
            let after = self.make(board, mv, ply)?;
            let value = -self.quiescence::<PV>(&after, ply + 1, -beta, -alpha)?;
            self.unmake();
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                    if PV {
                        self.arena.extend_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        self.arena.moves.truncate(base);
        if in_check && count == 0 {
            return Ok(mated_at(ply));
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.store(board, ply, best, raw, bound, 0, best_move, false);
        Ok(best)
    }

    /// Writes what was found out about a position into the table.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn store(
        &self,
        board: &Board,
        ply: usize,
        value: Value,
        evaluation: Option<Value>,
        bound: Bound,
        depth: i32,
        mv: Option<tabiya_rules::Move>,
        pv: bool,
    ) {
        self.table.store(
            board.key(),
            ply,
            Entry {
                mv,
                value,
                evaluation,
                depth,
                bound,
                pv,
            },
        );
    }
}
