//! The search proper: principal-variation search with pruning, reductions and extensions.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Move};

use crate::Bound;
use crate::arena::NO_EVALUATION;
use crate::budget::Stopped;
use crate::history::{HISTORY_LIMIT, bonus};
use crate::move_picker::MovePicker;
use crate::moves::{CheckInfo, is_legal, is_tactical};
use crate::node::{Node, Singular};
use crate::reductions::reduction;
use crate::score::{INFINITE, MATE_BOUND, MAX_PLY, Value, mate_at, mated_at};
use crate::see::exchange_at_least;
use crate::worker::{Worker, damped, has_pieces, mates_in_time};

impl<E: Evaluator> Worker<'_, E> {
    /// Value of the position `ply` plies below the root (at least one) within `alpha` and `beta`, fail-soft.
    ///
    /// `PV`: the window is open. `cut_node`: a value of at least `beta` is expected.
    pub(crate) fn alpha_beta<const PV: bool>(
        &mut self,
        board: &Board,
        ply: usize,
        mut depth: i32,
        mut alpha: Value,
        mut beta: Value,
        cut_node: bool,
    ) -> Result<Value, Stopped> {
        if depth <= 0 {
            return self.quiescence::<PV>(board, ply, alpha, beta);
        }
        self.seldepth = self.seldepth.max(ply);
        self.arena.frame_mut(ply).line.clear();
        let excluded = self.arena.frame(ply).excluded;
        let in_check = board.in_check();
        if excluded.is_none() {
            if self.is_draw(board, ply) {
                return Ok(0);
            }
            if ply >= MAX_PLY {
                return if in_check {
                    Ok(0)
                } else {
                    self.evaluate(board).map(|value| damped(board, value))
                };
            }
            // Nothing from here can beat a shorter mate that is already known.
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(mate_at(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        let entry = if excluded.is_some() {
            None
        } else {
            self.probe(board, ply)
        };
        if !PV
            && let Some(entry) = entry
            && entry.depth >= depth
            && entry.cuts(alpha, beta)
            && board.halfmove_clock() < 90
            && mates_in_time(board, ply, entry)
        {
            if entry.value >= beta
                && let Some(mv) = entry.mv
                && is_legal(board, mv)
                && !is_tactical(board, mv)
            {
                let previous = self.arena.previous(ply);
                self.history.update_quiet(board, mv, previous, bonus(depth) / 2);
            }
            return Ok(entry.value);
        }
        // What the endgame tables leave open: how a win is won, or how long a loss can be put off.
        let (mut least, mut most) = (-INFINITE, INFINITE);
        if excluded.is_none()
            && let Some((value, bound)) = self.ask_tables(board, ply)
        {
            let decides = match bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if decides {
                let depth = (depth + 6).min(MAX_PLY as i32 - 1);
                self.store(board, ply, value, None, bound, depth, None, PV);
                return Ok(value);
            }
            if bound == Bound::Lower {
                least = value;
                alpha = alpha.max(value);
            } else {
                most = value;
            }
        }
        let was_pv = PV || entry.is_some_and(|entry| entry.pv);

        let raw = if in_check || excluded.is_some() {
            None
        } else {
            Some(match entry.and_then(|entry| entry.evaluation) {
                Some(value) => value,
                None => self.evaluate(board)?,
            })
        };
        if excluded.is_none() {
            self.arena.frame_mut(ply).evaluation = raw.map_or(NO_EVALUATION, |value| damped(board, value));
        }
        let fixed = self.arena.frame(ply).evaluation;
        let evaluation = match entry {
            Some(entry) if !in_check && entry.bounds_better(fixed) && mates_in_time(board, ply, entry) => {
                entry.value
            }
            _ => fixed,
        };
        let node = Node {
            ply,
            depth,
            evaluation,
            improving: self.improving(ply),
            cut_node,
        };

        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(board, &node, alpha, beta)?
        {
            return Ok(value);
        }

        // Without a move to try first, a shallower search finds one more cheaply for the next iteration.
        if depth >= 4 && entry.is_none_or(|entry| entry.mv.is_none()) && (PV || cut_node) {
            depth -= 1;
        }

        self.arena.frame_mut(ply + 1).killers = [None; 2];
        let base = self.arena.moves.len();
        let table_move = entry.and_then(|entry| entry.mv);
        let table_tactical = table_move.is_some_and(|mv| is_tactical(board, mv));
        let previous = self.arena.previous(ply);
        let killers = self.arena.frame(ply).killers;
        let checks = CheckInfo::new(board);
        let mut picker = MovePicker::new(base, table_move, killers, previous);
        let frame = self.arena.frame_mut(ply);
        frame.quiets.clear();
        frame.captures.clear();
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut count = 0;

        while let Some(mv) = picker.next(
            board,
            &mut self.arena.moves,
            &mut self.arena.scratch,
            self.history,
            Some(&checks),
        ) {
            if Some(mv) == excluded {
                continue;
            }
            count += 1;
            let tactical = is_tactical(board, mv);
            let gives_check = checks.gives_check(board, mv);
            let statistics = if tactical {
                self.history.capture(board, mv)
            } else {
                self.history.quiet(board, mv, previous)
            };

            let mut less = reduction(depth, count);
            if best > -MATE_BOUND && has_pieces(board) {
                let reduced = (depth - less / 1024).max(0);
                if !tactical && !gives_check {
                    let late = (4 + depth * depth) as usize / if node.improving { 1 } else { 2 };
                    if count > late {
                        picker.skip_quiets = true;
                        continue;
                    }
                    if !in_check && reduced <= 7 && fixed + 120 + 110 * reduced + statistics / 128 <= alpha {
                        picker.skip_quiets = true;
                        continue;
                    }
                    if depth <= 5 && statistics < -4_000 * depth {
                        continue;
                    }
                    if reduced <= 8 && !exchange_at_least(board, mv, -24 * reduced * reduced) {
                        continue;
                    }
                } else if depth <= 7 && !exchange_at_least(board, mv, -110 * depth) {
                    continue;
                }
            }

            let mut extension = 0;
            if let Some(entry) = entry
                && Some(mv) == table_move
                && ply < 2 * self.root_depth as usize
            {
                match self.singular(board, &node, mv, entry, beta)? {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(value) if !PV => {
                        self.arena.moves.truncate(base);
                        return Ok(value);
                    }
                    Singular::Cut(_) => {}
                }
            }
            if extension == 0 && gives_check && depth <= 6 && exchange_at_least(board, mv, 0) {
                extension = i32::from(ply < 2 * self.root_depth as usize);
            }

            let after = self.make(board, mv, ply)?;
            let new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            if depth >= 2 && count > 1 + usize::from(PV) {
                less += if node.improving { 0 } else { 512 };
                less += if cut_node { 1536 } else { 0 };
                less += if table_tactical && !tactical { 768 } else { 0 };
                less -= if was_pv { 1024 } else { 0 };
                less -= if gives_check || in_check { 896 } else { 0 };
                less -= if killers.contains(&Some(mv)) { 1024 } else { 0 };
                less -= statistics * 1024 / (HISTORY_LIMIT / 2);
                if tactical {
                    less -= 1024;
                }
                let shallow = (new_depth - less / 1024).clamp(1, new_depth.max(1));
                value = -self.alpha_beta::<false>(&after, ply + 1, shallow, -alpha - 1, -alpha, true)?;
                if value > alpha && shallow < new_depth {
                    value = -self.alpha_beta::<false>(
                        &after,
                        ply + 1,
                        new_depth,
                        -alpha - 1,
                        -alpha,
                        !cut_node,
                    )?;
                }
            } else if !PV || count > 1 {
                value =
                    -self.alpha_beta::<false>(&after, ply + 1, new_depth, -alpha - 1, -alpha, !cut_node)?;
            }
            if PV && (count == 1 || value > alpha) {
                value = -self.alpha_beta::<true>(&after, ply + 1, new_depth, -beta, -alpha, false)?;
            }
            self.unmake();

            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.arena.extend_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
            let frame = self.arena.frame_mut(ply);
            let list = if tactical {
                &mut frame.captures
            } else {
                &mut frame.quiets
            };
            // A full list only means that the latest moves go without a malus.
            let _ = list.try_push(mv);
        }
        self.arena.moves.truncate(base);

        if count == 0 {
            return Ok(match excluded {
                Some(_) => alpha,
                None if in_check => mated_at(ply),
                None => 0,
            });
        }
        best = best.clamp(least, most);
        if best >= beta
            && let Some(mv) = best_move
        {
            self.reward(board, ply, mv, depth + i32::from(best > beta + 90));
        }
        if excluded.is_none() {
            let bound = if best >= beta || best == least {
                Bound::Lower
            } else if PV && best_move.is_some() {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.store(board, ply, best, raw, bound, depth, best_move, was_pv);
        }
        Ok(best)
    }

    /// Whether the static value rose since the side's last turn (or the one before, if that was in check).
    fn improving(&self, ply: usize) -> bool {
        let now = self.arena.frame(ply).evaluation;
        if now == NO_EVALUATION {
            return false;
        }
        let before = match self.arena.evaluation_before(ply, 2) {
            NO_EVALUATION => self.arena.evaluation_before(ply, 4),
            before => before,
        };
        now > before
    }

    /// Teaches the statistics that `mv` was right and the moves before it were not.
    fn reward(&mut self, board: &Board, ply: usize, mv: Move, depth: i32) {
        let gain = bonus(depth);
        let previous = self.arena.previous(ply);
        let frame = self.arena.frame_mut(ply);
        if is_tactical(board, mv) {
            self.history.update_capture(board, mv, gain);
        } else {
            if frame.killers[0] != Some(mv) {
                frame.killers = [Some(mv), frame.killers[0]];
            }
            self.history.update_quiet(board, mv, previous, gain);
            for &other in &frame.quiets {
                self.history.update_quiet(board, other, previous, -gain);
            }
        }
        for &other in &frame.captures {
            self.history.update_capture(board, other, -gain);
        }
    }
}
