//! Decisions about a whole node: giving it up early, and extending the one move that stands out.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Move};

use crate::Bound;
use crate::budget::Stopped;
use crate::history::NO_PREDECESSOR;
use crate::score::{MATE_BOUND, Value, is_mate};
use crate::transposition::Entry;
use crate::worker::{Worker, has_pieces};

/// What is known about a node before its first move.
pub(crate) struct Node {
    pub(crate) ply: usize,
    pub(crate) depth: i32,

    /// Static value, corrected by the table; [`NO_EVALUATION`](crate::arena::NO_EVALUATION) in check.
    pub(crate) evaluation: Value,
    /// Whether the side to move stands better than two plies ago.
    pub(crate) improving: bool,
    pub(crate) cut_node: bool,
}

/// Outcome of a singular search.
pub(crate) enum Singular {
    /// Search the table's move this much deeper.
    Extend(i32),
    /// Several moves reach beta: the node may be cut with this value.
    Cut(Value),
}

impl<E: Evaluator> Worker<'_, E> {
    /// Gives up a node out of check whose static value leaves little doubt.
    pub(crate) fn prune_node(
        &mut self,
        board: &Board,
        node: &Node,
        alpha: Value,
        beta: Value,
    ) -> Result<Option<Value>, Stopped> {
        let &Node {
            ply,
            depth,
            evaluation,
            improving,
            ..
        } = node;
        // Far above the window: the other side is not shown to have anything.
        if depth <= 8 && beta > -MATE_BOUND && !is_mate(evaluation) {
            let margin = 75 * (depth - i32::from(improving));
            if evaluation - margin >= beta {
                return Ok(Some((evaluation + beta) / 2));
            }
        }
        // Far below it: only captures could help.
        if depth <= 3 && evaluation + 220 + 220 * depth * depth <= alpha && alpha < MATE_BOUND {
            let value = self.quiescence::<false>(board, ply, alpha, alpha + 1)?;
            if value <= alpha {
                return Ok(Some(value));
            }
        }
        // Good enough even if the other side moves twice.
        let fixed = self.arena.frame(ply).evaluation;
        if depth >= 3
            && evaluation >= beta
            && fixed + 20 * depth - 140 >= beta
            && beta > -MATE_BOUND
            && ply >= self.null_from
            && self.arena.previous(ply)[0] != NO_PREDECESSOR
            && has_pieces(board)
        {
            let reduced = depth - (4 + depth / 4 + ((evaluation - beta) / 200).min(3));
            let after = self.make_null(board, ply)?;
            let value =
                -self.alpha_beta::<false>(&after, ply + 1, reduced, -beta, -beta + 1, !node.cut_node)?;
            self.unmake();
            if value >= beta {
                // A mate after a null move is no proof.
                let value = if is_mate(value) { beta } else { value };
                if depth < 12 || self.null_from > 0 {
                    return Ok(Some(value));
                }
                // Zugzwang: see whether the value stands without null moves nearby.
                self.null_from = ply + 3 * reduced.max(1) as usize / 4 + 1;
                let checked = self.alpha_beta::<false>(board, ply, reduced.max(1), beta - 1, beta, false);
                self.null_from = 0;
                if checked? >= beta {
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    /// How the table's move compares with all others.
    pub(crate) fn singular(
        &mut self,
        board: &Board,
        node: &Node,
        mv: Move,
        entry: Entry,
        beta: Value,
    ) -> Result<Singular, Stopped> {
        let &Node {
            ply, depth, cut_node, ..
        } = node;
        if depth < 7
            || entry.depth < depth - 3
            || entry.bound == Bound::Upper
            || is_mate(entry.value)
            || self.arena.frame(ply).excluded.is_some()
        {
            return Ok(Singular::Extend(0));
        }
        let target = entry.value - 2 * depth;
        self.arena.frame_mut(ply).excluded = Some(mv);
        let value = self.alpha_beta::<false>(board, ply, (depth - 1) / 2, target - 1, target, cut_node);
        self.arena.frame_mut(ply).excluded = None;
        // The search of the others used this ply's lists.
        let frame = self.arena.frame_mut(ply);
        frame.quiets.clear();
        frame.captures.clear();
        let value = value?;
        Ok(if value < target {
            Singular::Extend(1)
        } else if target >= beta {
            Singular::Cut(target)
        } else if entry.value >= beta {
            Singular::Extend(-1)
        } else {
            Singular::Extend(0)
        })
    }
}
