//! Leaves of several threads that share batches, as a service has them.

use std::sync::Arc;

use tabiya_evaluator::batch::{BatchError, BatchEvaluator, LaneKind, Ticket};
use tabiya_evaluator::{BackendError, PackedPosition};

use tabiya_search::fiber::LeafBackend;

/// Sends leaves to a batch evaluator, where leaves of all threads meet. When its device breaks, the
/// CPU stands in with the same values: no search ends for that.
pub struct SharedBatches {
    evaluator: Arc<BatchEvaluator>,
    lane: LaneKind,
    /// By group.
    tickets: Vec<Option<Ticket>>,
}

impl SharedBatches {
    /// A front of the evaluator's lane; [`BatchEvaluator::choose`] says which one serves.
    pub fn new(evaluator: Arc<BatchEvaluator>, lane: LaneKind) -> Self {
        Self {
            evaluator,
            lane,
            tickets: Vec::new(),
        }
    }
}

impl LeafBackend for SharedBatches {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        let ticket = self.evaluator.submit_when_free_in(self.lane, positions.to_vec());
        if self.tickets.len() <= group {
            self.tickets.resize_with(group + 1, || None);
        }
        self.tickets[group] = Some(ticket.map_err(backend_error)?);
        Ok(())
    }

    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError> {
        let ticket = self.tickets.get_mut(group).and_then(Option::take);
        let reply = ticket
            .ok_or_else(|| BackendError::Device("no batch was submitted".to_owned()))?
            .wait()
            .map_err(backend_error)?;
        values.copy_from_slice(&reply.values);
        Ok(())
    }
}

fn backend_error(error: BatchError) -> BackendError {
    match error {
        BatchError::Backend(error) => error,
        other => BackendError::Device(other.to_string()),
    }
}
