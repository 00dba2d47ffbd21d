use std::sync::Arc;

use tabiya_api::{Meter, error::ServiceError};

use super::{
    framing::HEADER,
    intake::{Intake, Share},
};
use crate::{
    compute::Class,
    metrics::{Metrics, Shed},
};

/// What a call's request takes of its listener's intake while it comes and is read; whoever is refused is counted.
pub(super) struct Reading {
    pub(super) share: Arc<Share>,
    intake: Intake,
    metrics: Arc<Metrics>,
    class: Class,
}

impl Reading {
    pub(super) fn new(share: Arc<Share>, intake: Intake, metrics: Arc<Metrics>, class: Class) -> Self {
        Self {
            share,
            intake,
            metrics,
            class,
        }
    }

    /// How long it may take until a message that was begun is complete.
    pub(super) fn patience(&self) -> std::time::Duration {
        self.intake.patience
    }

    /// Holds so many bytes of what is not read yet.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the listener holds too much.
    pub(super) fn resize(&self, bytes: usize) -> Result<(), ServiceError> {
        self.counted(self.share.resize(bytes))
    }

    fn counted(&self, held: Result<(), ServiceError>) -> Result<(), ServiceError> {
        held.inspect_err(|_| self.metrics.class(self.class).shed(Shed::RequestBytes))
    }
}

impl Meter for Reading {
    fn take(&self, sent: usize, read: usize) -> Result<(), ServiceError> {
        self.counted(self.share.read(HEADER + sent, read))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_message_that_was_read_leaves_none_of_its_bytes() {
        let intake = Intake::new(1 << 10, Duration::ZERO);
        let metrics = Arc::new(Metrics::new());
        let reading = Reading::new(intake.share(), intake.clone(), metrics, Class::Bulk);
        reading.resize(HEADER + 20).unwrap();
        assert!(reading.share.is_within_message());
        reading.take(20, 50).unwrap();
        assert!(!reading.share.is_within_message());
        assert_eq!(intake.taken(), 50);
    }
}
