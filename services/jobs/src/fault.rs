use std::time::Duration;

/// Why a store or a queue could not do what it was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// There is no room: a full disk, a full stream.
    #[error("no room: {reason}")]
    Full {
        /// What is full.
        reason: String,
        /// When room can be expected.
        retry_after: Duration,
    },
    /// It cannot be reached for now; the same call may succeed later.
    #[error("not reachable: {0}")]
    Unavailable(String),
    /// What is stored cannot be read.
    #[error("damaged: {0}")]
    Damaged(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl Fault {
    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Unavailable(_))
    }
}
