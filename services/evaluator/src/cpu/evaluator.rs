//! Evaluation along a line of play, reusing the first-layer sums of earlier positions.

use std::sync::Arc;

use tabiya_rules::{Board, Color, Move};

use super::line::{Ply, view};
use super::rows::Rows;
use crate::evaluator::Evaluator;
use crate::kernel::Kernel;
use crate::lane::Lane;
use crate::network::Network;

/// Evaluates in place with kernel `K`.
///
/// Moves are only noted; their sums are made when a position is evaluated, and kept for its other children.
/// A side whose king changes its view (another king bucket, or the other wing of a mirrored network) is summed
/// anew from the board.
#[derive(Clone, Debug)]
pub struct CpuEvaluator<K> {
    kernel: K,
    network: Arc<Network>,
    /// The line from its start; never empty.
    line: Vec<Ply>,
    /// Moves beyond the longest line kept. Their positions are evaluated from scratch.
    beyond: usize,
    /// `[ply][side][row lane]`, grown when a ply is first evaluated; one more ply for positions beyond.
    sums: Vec<Lane>,
}

/// Longest line that is kept, in plies. A longer one is evaluated correctly but slowly.
const MAX_LINE: usize = 256;

/// Bytes that an evaluator takes at most for the sums along its line, with a first layer of this width.
pub const fn line_bytes(width: usize) -> usize {
    // Of two sides at every ply kept and at those beyond; a sum has two bytes.
    2 * (MAX_LINE + 1) * width * 2
}

impl<K: Kernel> CpuEvaluator<K> {
    /// An evaluator at the standard start.
    pub fn new(kernel: K, network: Arc<Network>) -> Self {
        let first = Ply::first(network.architecture(), &Board::startpos());
        Self {
            kernel,
            network,
            line: vec![first],
            beyond: 0,
            sums: Vec::new(),
        }
    }

    /// The network that answers.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The network's integer output for the line's last position, before scaling.
    #[inline]
    pub fn evaluate_raw(&mut self, board: &Board) -> i32 {
        let ply = self.line.len() - 1 + usize::from(self.beyond > 0);
        let lanes = self.network.row_lanes();
        let needed = 2 * lanes * (ply + 1);
        if self.sums.len() < needed {
            self.sums.resize(needed, Lane::ZERO);
        }
        for color in Color::ALL {
            if self.beyond > 0 {
                self.sum_from_scratch(ply, color, board);
            } else {
                self.make_ready(color, board);
            }
        }
        let (white, black) = self.sums[2 * lanes * ply..needed].split_at(lanes);
        let (own, their) = if board.side_to_move() == Color::White {
            (white, black)
        } else {
            (black, white)
        };
        let bucket = self
            .network
            .architecture()
            .output_buckets
            .select(board.occupied().count());
        self.kernel.forward(&self.network, own, their, bucket)
    }

    /// Makes one side's sums for the last ply from the nearest earlier ones.
    #[inline]
    fn make_ready(&mut self, color: Color, board: &Board) {
        let side = color.index();
        let last = self.line.len() - 1;
        let mut known = last;
        while !self.line[known].ready[side] {
            if known == 0 || self.line[known].new_view[side] {
                self.sum_from_scratch(last, color, board);
                self.line[last].views[side] = view(self.network.architecture(), board, color);
                self.line[last].ready[side] = true;
                return;
            }
            known -= 1;
        }
        let lanes = self.network.row_lanes();
        for ply in known + 1..=last {
            let Ply { change, views, .. } = self.line[ply];
            let (added, added_count) = change.added_rows(views[side]);
            let (removed, removed_count) = change.removed_rows(views[side]);
            let (before, after) = self.sums.split_at_mut(2 * lanes * ply);
            let from = &before[2 * lanes * (ply - 1) + lanes * side..][..lanes];
            let to = &mut after[lanes * side..][..lanes];
            self.kernel.update(
                &self.network,
                from,
                &added[..added_count],
                &removed[..removed_count],
                to,
            );
            self.line[ply].ready[side] = true;
        }
    }

    fn sum_from_scratch(&mut self, ply: usize, color: Color, board: &Board) {
        let rows = Rows::of_board(board, view(self.network.architecture(), board, color));
        let lanes = self.network.row_lanes();
        let to = &mut self.sums[2 * lanes * ply + lanes * color.index()..][..lanes];
        self.kernel.update(
            &self.network,
            self.network.feature_bias(),
            rows.as_slice(),
            &[],
            to,
        );
    }
}

impl<K: Kernel> Evaluator for CpuEvaluator<K> {
    fn refresh(&mut self, board: &Board) {
        self.line.clear();
        self.line.push(Ply::first(self.network.architecture(), board));
        self.beyond = 0;
        // Made now, as later positions could no longer make it from their own boards.
        self.evaluate_raw(board);
    }

    #[inline]
    fn push(&mut self, before: &Board, mv: Move, after: &Board) {
        if self.line.len() < MAX_LINE
            && let Some(last) = self.line.last()
        {
            self.line
                .push(last.after_move(self.network.architecture(), before, mv, after));
        } else {
            self.beyond += 1;
        }
    }

    #[inline]
    fn push_null(&mut self) {
        if self.line.len() < MAX_LINE
            && let Some(last) = self.line.last()
        {
            self.line.push(last.after_null());
        } else {
            self.beyond += 1;
        }
    }

    #[inline]
    fn pop(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.line.len() > 1 {
            self.line.pop();
        }
    }

    #[inline]
    fn evaluate(&mut self, board: &Board) -> i32 {
        let output = self.evaluate_raw(board);
        self.network.to_centipawns(output)
    }
}
