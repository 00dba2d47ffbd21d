//! Why positions got no values.

use crate::backend::BackendError;

/// Why positions got no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The queue has no room now; try again later.
    #[error("evaluation queue is full: {waiting} of {capacity} positions wait")]
    QueueFull {
        /// Positions that wait.
        waiting: usize,
        /// Positions that may wait.
        capacity: usize,
    },
    /// More positions than the queue ever holds.
    #[error("request has {positions} positions, more than the queue's {capacity}")]
    TooLarge {
        /// Positions asked for.
        positions: usize,
        /// Positions that may wait.
        capacity: usize,
    },
    /// A GPU was asked for and none works; holds the reason.
    #[error("no gpu: {0}")]
    NoDevice(String),
    /// The evaluator has been closed.
    #[error("evaluator is closed")]
    Closed,
    /// Both slices of a blocking call must have one length; or the CPU itself failed on this request.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The operating system gave no thread.
    #[error("evaluator thread could not start: {0}")]
    NoThread(String),
}
