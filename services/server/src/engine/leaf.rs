use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tabiya_evaluator::{
    Evaluator, PackedPosition,
    batch::{BatchError, BatchEvaluator, LaneKind, Reply, Ticket},
    pack,
};
use tabiya_rules::{Board, Move};

/// Sends each leaf to the batch evaluator and waits for its value. Leaves of searches that run at the same time share
/// batches.
pub(super) struct LeafEvaluator<'a> {
    batches: Arc<BatchEvaluator>,
    stop: &'a AtomicBool,
    /// Outside, because the search holds the evaluator while iterations are reported.
    count: &'a Cell<BatchCount>,
    error: Option<BatchError>,
}

/// The batches that a search's leaves travelled in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BatchCount {
    batches: u64,
    positions: u64,
}

impl BatchCount {
    /// Positions in a batch on average; 1 before the first.
    pub(super) fn mean(self) -> f64 {
        if self.batches == 0 {
            1.0
        } else {
            self.positions as f64 / self.batches as f64
        }
    }

    /// With one more reply.
    pub(super) fn plus(self, reply: &Reply) -> Self {
        Self {
            batches: self.batches + u64::from(reply.batches),
            positions: self.positions + reply.batch_positions,
        }
    }

    /// What came after an earlier count.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            batches: self.batches - before.batches,
            positions: self.positions - before.positions,
        }
    }
}

/// Submits leaves to the device. One that failed after the search began is no reason to fail the search: the CPU
/// gives the same values.
///
/// # Errors
/// What keeps both from evaluating.
pub(super) fn submit_to_device(
    batches: &BatchEvaluator,
    positions: &[PackedPosition],
) -> Result<Ticket, BatchError> {
    batches.submit_when_free_in(LaneKind::Device, positions.to_vec())
}

impl<'a> LeafEvaluator<'a> {
    pub(super) fn new(
        batches: Arc<BatchEvaluator>,
        stop: &'a AtomicBool,
        count: &'a Cell<BatchCount>,
    ) -> Self {
        Self {
            batches,
            stop,
            count,
            error: None,
        }
    }

    /// Why evaluations failed, if they did; then the search's answer means nothing.
    pub(super) fn into_error(self) -> Option<BatchError> {
        self.error
    }

    fn value(&mut self, board: &Board) -> Result<i32, BatchError> {
        let reply = submit_to_device(&self.batches, &[pack(board)])?.wait()?;
        self.count.set(self.count.get().plus(&reply));
        reply.values.first().copied().ok_or(BatchError::Closed)
    }
}

impl Evaluator for LeafEvaluator<'_> {
    fn refresh(&mut self, _: &Board) {}

    fn push(&mut self, _: &Board, _: Move, _: &Board) {}

    fn push_null(&mut self) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, board: &Board) -> i32 {
        if self.error.is_some() {
            return 0;
        }
        self.value(board).unwrap_or_else(|error| {
            self.error = Some(error);
            self.stop.store(true, Ordering::Relaxed);
            0
        })
    }
}
