//! The root: its moves and one pass over them.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Move};

use crate::Bound;
use crate::budget::Stopped;
use crate::moves::{CheckInfo, is_tactical};
use crate::reductions::reduction;
use crate::score::{INFINITE, Value};
use crate::worker::Worker;

/// A move of the root and what is known of it.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Value in this iteration; minus [`INFINITE`] if it has none (not searched yet, or no better than another).
    pub(crate) value: Value,
    /// Value in the iteration before.
    pub(crate) previous: Value,
    /// The move and what follows.
    pub(crate) line: Vec<Move>,
    pub(crate) seldepth: usize,
    /// Nodes spent on it in the whole search.
    pub(crate) nodes: u64,
}

impl RootMove {
    pub(crate) fn new(mv: Move) -> Self {
        Self {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            line: vec![mv],
            seldepth: 0,
            nodes: 0,
        }
    }
}

impl<E: Evaluator> Worker<'_, E> {
    /// Searches the root moves from index `first` on with a window. Moves that raise alpha get their value and line;
    /// the first always does.
    pub(crate) fn search_root(
        &mut self,
        board: &Board,
        depth: i32,
        mut alpha: Value,
        beta: Value,
        first: usize,
    ) -> Result<Value, Stopped> {
        let original_alpha = alpha;
        self.root_alpha = alpha;
        let in_check = board.in_check();
        let checks = CheckInfo::new(board);
        self.arena.moves.clear();
        self.arena.frame_mut(1).killers = [None; 2];
        for root_move in &mut self.root_moves[first..] {
            root_move.value = -INFINITE;
        }
        let mut best = -INFINITE;
        for index in first..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let count = index - first + 1;
            let nodes_before = self.budget.work.nodes;
            self.seldepth = 0;
            let after = self.make(board, mv, 0)?;
            let new_depth = depth - 1;
            let mut value = -INFINITE;
            if depth >= 3 && count > 2 {
                let mut less = reduction(depth, count) - 1024;
                if is_tactical(board, mv) || in_check || checks.gives_check(board, mv) {
                    less -= 1024;
                }
                let shallow = (new_depth - less / 1024).clamp(1, new_depth);
                value = -self.alpha_beta::<false>(&after, 1, shallow, -alpha - 1, -alpha, true)?;
                if value > alpha && shallow < new_depth {
                    value = -self.alpha_beta::<false>(&after, 1, new_depth, -alpha - 1, -alpha, true)?;
                }
            } else if count > 1 {
                value = -self.alpha_beta::<false>(&after, 1, new_depth, -alpha - 1, -alpha, true)?;
            }
            if count == 1 || value > alpha {
                value = -self.alpha_beta::<true>(&after, 1, new_depth, -beta, -alpha, false)?;
            }
            self.unmake();

            let nodes = self.budget.work.nodes - nodes_before;
            let seldepth = self.seldepth;
            let reply = &self.arena.frame(1).line;
            let root_move = &mut self.root_moves[index];
            root_move.nodes += nodes;
            if count == 1 || value > alpha {
                root_move.value = value;
                root_move.seldepth = seldepth;
                root_move.line.truncate(1);
                root_move.line.extend_from_slice(reply);
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                if value >= beta {
                    break;
                }
            }
        }
        if first == 0 {
            let bound = if best >= beta {
                Bound::Lower
            } else if best > original_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let best_move = self
                .root_moves
                .iter()
                .max_by_key(|root_move| root_move.value)
                .map(|root| root.mv);
            self.store(board, 0, best, None, bound, depth, best_move, true);
        }
        Ok(best)
    }
}
