//! Waiting for a reply on a plain thread.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError, Weak},
    time::Duration,
};

use super::{BatchError, Reply, ReplySink};

/// Waits for the reply to one request. Dropping it gives the request up.
#[derive(Debug)]
pub struct Ticket(Arc<Cell>);

#[derive(Debug, Default)]
struct Cell {
    reply: Mutex<Option<Result<Reply, BatchError>>>,
    arrived: Condvar,
}

/// The evaluator's end; the ticket holds the only strong reference.
struct CellSink(Weak<Cell>);

impl ReplySink for CellSink {
    fn is_wanted(&self) -> bool {
        self.0.strong_count() > 0
    }

    fn deliver(self: Box<Self>, reply: Result<Reply, BatchError>) {
        if let Some(cell) = self.0.upgrade() {
            *cell.reply.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
            cell.arrived.notify_all();
        }
    }
}

impl Ticket {
    /// A ticket and the sink that fills it.
    pub(super) fn new() -> (Self, Box<dyn ReplySink>) {
        let cell = Arc::new(Cell::default());
        let sink = Box::new(CellSink(Arc::downgrade(&cell)));
        (Self(cell), sink)
    }

    /// Waits for the reply.
    ///
    /// # Errors
    /// What kept the positions from being evaluated.
    pub fn wait(self) -> Result<Reply, BatchError> {
        let reply = self.0.reply.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reply = self
            .0
            .arrived
            .wait_while(reply, |reply| reply.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        reply.take().unwrap_or(Err(BatchError::Closed))
    }

    /// Waits at most this long; gives the ticket back if there is no reply yet.
    ///
    /// # Errors
    /// The ticket itself.
    pub fn wait_for(self, limit: Duration) -> Result<Result<Reply, BatchError>, Self> {
        let taken = {
            let reply = self.0.reply.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut reply, _) = self
                .0
                .arrived
                .wait_timeout_while(reply, limit, |reply| reply.is_none())
                .unwrap_or_else(PoisonError::into_inner);
            reply.take()
        };
        taken.ok_or(self)
    }
}
