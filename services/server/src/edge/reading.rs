use std::sync::Arc;

use tabiya_api::{Meter, error::ServiceError};

use super::intake::{Intake, Share};
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
        self.counted(self.share.read(sent, read))
    }
}
