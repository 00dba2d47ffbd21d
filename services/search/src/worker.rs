//! One search under way: its tables, its limits and the moves that lead from node to node.

use std::sync::Arc;

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Move, Piece};
use tabiya_tablebase::{RankedMove, Tablebase};

use crate::Line;
use crate::arena::Arena;
use crate::budget::{Budget, Stopped};
use crate::history::{History, NO_PREDECESSOR};
use crate::moves::piece_to;
use crate::root::RootMove;
use crate::score::{EVALUATION_LIMIT, MATE, Value, is_mate};
use crate::transposition::{Entry, Table};

/// Whether a thread leaves an iteration of this depth out.
pub(crate) type Skipped = fn(u32) -> bool;

/// Everything a running search works on.
pub(crate) struct Worker<'a, E> {
    pub(crate) evaluator: &'a mut E,
    pub(crate) table: &'a Table,
    pub(crate) history: &'a mut History,
    pub(crate) arena: &'a mut Arena,
    pub(crate) budget: Budget<'a>,
    /// Keys of the game's positions and then of the line being searched, the current node's last.
    pub(crate) keys: Vec<u64>,
    pub(crate) root_moves: Vec<RootMove>,
    /// Lower end of the window of the last pass over the root moves: values beyond it are worth something.
    pub(crate) root_alpha: Value,
    /// The move that was better than the window of its pass, as long as no wider pass says more of it.
    pub(crate) promoted: Option<Line>,
    /// The last static value and its position: a node given up by a look at its captures asks for it twice.
    pub(crate) last_evaluated: Option<(u64, Value)>,
    /// Depth of the iteration, in plies.
    pub(crate) root_depth: i32,
    /// Deepest ply visited for the current root move.
    pub(crate) seldepth: usize,
    /// No null move above this ply: a null-move result is being verified.
    pub(crate) null_from: usize,
    /// Endgame tables to ask.
    pub(crate) tables: Option<Arc<Tablebase>>,
    /// What they say of the root's moves, if they hold the root.
    pub(crate) ranked: Vec<RankedMove>,
    /// Whether the game is over as a draw, so that every line is worth just that.
    pub(crate) is_over: bool,
    /// Depths that this thread leaves out.
    pub(crate) skipped: Skipped,
}

impl<E: Evaluator> Worker<'_, E> {
    /// Plays a move from `ply` and counts the node.
    #[inline]
    pub(crate) fn make(&mut self, board: &Board, mv: Move, ply: usize) -> Result<Board, Stopped> {
        self.budget.enter()?;
        let after = board.after(mv);
        self.table.prefetch(after.key());
        self.keys.push(after.key());
        self.evaluator.push(board, mv, &after);
        let frame = self.arena.frame_mut(ply);
        frame.piece_to = piece_to(board, mv);
        let reversible = if after.halfmove_clock() == 0 {
            0
        } else {
            frame.reversible + 1
        };
        self.arena.frame_mut(ply + 1).reversible = reversible;
        Ok(after)
    }

    /// Passes the turn at `ply` and counts the node.
    pub(crate) fn make_null(&mut self, board: &Board, ply: usize) -> Result<Board, Stopped> {
        self.budget.enter()?;
        let mut after = *board;
        after.play_null();
        self.table.prefetch(after.key());
        self.keys.push(after.key());
        self.evaluator.push_null();
        self.arena.frame_mut(ply).piece_to = NO_PREDECESSOR;
        self.arena.frame_mut(ply + 1).reversible = 0;
        Ok(after)
    }

    /// Takes back what [`Self::make`] or [`Self::make_null`] did.
    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Looks a position up and counts the hit.
    pub(crate) fn probe(&mut self, board: &Board, ply: usize) -> Option<Entry> {
        let entry = self.table.probe(board.key(), ply);
        self.budget.work.tt_hits += u64::from(entry.is_some());
        entry
    }

    /// The evaluator's value of the position. The stop flag is checked afterwards, as an evaluator that cannot answer
    /// sets it, and its value must then not be used.
    pub(crate) fn evaluate(&mut self, board: &Board) -> Result<Value, Stopped> {
        if let Some((key, value)) = self.last_evaluated
            && key == board.key()
        {
            return Ok(value);
        }
        self.budget.work.evaluations += 1;
        let value = self
            .evaluator
            .evaluate(board)
            .clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT);
        self.budget.check_stop()?;
        self.last_evaluated = Some((board.key(), value));
        Ok(value)
    }
}

/// The evaluator's value drawn towards zero as the fifty-move rule comes near.
pub(crate) fn damped(board: &Board, value: Value) -> Value {
    value * (200 - board.halfmove_clock().min(100) as i32) / 200
}

/// Whether a value from the table, which may come from another half-move clock, claims no mate that would come after
/// fifty moves have passed. Mate with the hundredth ply is in time.
pub(crate) fn mates_in_time(board: &Board, ply: usize, entry: Entry) -> bool {
    let plies_to_mate = MATE - entry.value.abs() - ply as i32;
    !is_mate(entry.value) || board.halfmove_clock() as i32 + plies_to_mate <= 100
}

/// Whether the side to move has more than king and pawns.
pub(crate) fn has_pieces(board: &Board) -> bool {
    let plain = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
    (board.colors(board.side_to_move()) & !plain).any()
}
