use std::{cell::Cell, sync::Arc};

use tabiya_evaluator::{
    BackendError, PackedPosition,
    batch::{BatchError, BatchEvaluator, Ticket},
};
use tabiya_search::fiber::LeafBackend;

use super::super::leaf::{BatchCount, submit_to_device};

/// Sends each group's leaves to the batch evaluator.
pub(super) struct DeviceLeaves<'a> {
    batches: Arc<BatchEvaluator>,
    /// One for each group that has a batch outstanding.
    tickets: Vec<Option<Ticket>>,
    count: &'a Cell<BatchCount>,
}

impl<'a> DeviceLeaves<'a> {
    pub(super) fn new(batches: Arc<BatchEvaluator>, count: &'a Cell<BatchCount>) -> Self {
        Self {
            batches,
            tickets: Vec::new(),
            count,
        }
    }
}

impl LeafBackend for DeviceLeaves<'_> {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        if self.tickets.len() <= group {
            self.tickets.resize_with(group + 1, || None);
        }
        self.tickets[group] = Some(submit_to_device(&self.batches, positions).map_err(backend_error)?);
        Ok(())
    }

    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError> {
        let ticket = self.tickets.get_mut(group).and_then(Option::take);
        let reply = ticket
            .map_or(Err(BatchError::Closed), Ticket::wait)
            .map_err(backend_error)?;
        if reply.values.len() != values.len() {
            return Err(BackendError::Length {
                positions: reply.values.len(),
                values: values.len(),
            });
        }
        values.copy_from_slice(&reply.values);
        self.count.set(self.count.get().plus(&reply));
        Ok(())
    }
}

fn backend_error(error: BatchError) -> BackendError {
    match error {
        BatchError::Backend(error) => error,
        other => BackendError::Device(other.to_string()),
    }
}
