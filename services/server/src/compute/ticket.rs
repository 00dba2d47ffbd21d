use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tabiya_api::error::ServiceError;
use tokio::sync::oneshot;

use super::pool::Shared;

/// A value and what it took.
#[derive(Debug)]
pub(crate) struct Timed<T> {
    pub(crate) value: T,
    /// Time between submission and the start of the work.
    pub(crate) queue_time: Duration,
    /// Time that the work took.
    pub(crate) compute_time: Duration,
}

/// The claim to the result of queued work. Dropping it takes the work out of the queue; work that has begun has to
/// be told to stop by its own flag.
pub(crate) struct Ticket<T> {
    receiver: oneshot::Receiver<Timed<T>>,
    shared: Arc<Shared>,
    id: u64,
}

impl<T> Ticket<T> {
    pub(super) fn new(receiver: oneshot::Receiver<Timed<T>>, shared: Arc<Shared>, id: u64) -> Self {
        Self { receiver, shared, id }
    }

    /// Takes the work back if no thread has begun it.
    pub(crate) fn withdraw(&mut self) -> bool {
        self.shared.withdraw(self.id)
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<Timed<T>, ServiceError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let received = std::task::ready!(Pin::new(&mut self.receiver).poll(cx));
        // Only a pool that is closed drops work; what else loses a value is a panic.
        Poll::Ready(received.map_err(|_| {
            if self.shared.is_closed() {
                ServiceError::ShuttingDown
            } else {
                ServiceError::Internal("the work was lost".into())
            }
        }))
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        if self.withdraw() {
            self.shared.counts().abandoned.queued.inc();
        }
    }
}
