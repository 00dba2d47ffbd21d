use std::cell::Cell;

use tabiya_evaluator::{
    BackendError, PackedPosition,
    batch::{BatchError, Ticket},
};
use tabiya_search::fiber::LeafBackend;

use super::super::{
    Batches,
    leaf::{BatchCount, submit_to_device},
};

/// The place of the network that evaluates a group's leaves: networks take turns with the groups.
pub(super) fn network_of(group: usize, networks: usize) -> usize {
    group % networks.max(1)
}

/// Sends each group's leaves to its network's batch evaluator.
pub(super) struct DeviceLeaves<'a> {
    /// One for each network.
    batches: &'a [Batches],
    counts: &'a [Cell<BatchCount>],
    /// One for each group that has a batch outstanding.
    tickets: Vec<Option<Ticket>>,
}

impl<'a> DeviceLeaves<'a> {
    pub(super) fn new(batches: &'a [Batches], counts: &'a [Cell<BatchCount>]) -> Self {
        Self {
            batches,
            counts,
            tickets: Vec::new(),
        }
    }

    fn submit_leaves(&self, group: usize, positions: &[PackedPosition]) -> Result<Ticket, BatchError> {
        let batches = self.batches.get(network_of(group, self.batches.len()));
        let evaluator = batches.and_then(Batches::now).ok_or(BatchError::Closed)?;
        submit_to_device(&evaluator, positions)
    }
}

impl LeafBackend for DeviceLeaves<'_> {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        if self.tickets.len() <= group {
            self.tickets.resize_with(group + 1, || None);
        }
        self.tickets[group] = Some(self.submit_leaves(group, positions).map_err(backend_error)?);
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
        if let Some(count) = self.counts.get(network_of(group, self.batches.len())) {
            count.set(count.get().plus(&reply));
        }
        Ok(())
    }
}

fn backend_error(error: BatchError) -> BackendError {
    match error {
        BatchError::Backend(error) => error,
        other => BackendError::Device(other.to_string()),
    }
}
