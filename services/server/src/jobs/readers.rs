use std::{sync::Arc, time::Duration};

use tabiya_api::error::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// When whoever finds all places taken may come again. A stream stays open for as long as its reader likes, so this is no
/// more than a fair try.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Streams of results that may be open at once: each holds a page of them, and asks the store from time to time.
#[derive(Clone, Debug)]
pub(crate) struct Readers {
    places: Arc<Semaphore>,
    limit: usize,
}

/// A stream that is open, until this is dropped.
#[derive(Debug)]
pub(crate) struct Reading {
    _place: OwnedSemaphorePermit,
}

impl Readers {
    /// So many at once.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limit)),
            limit,
        }
    }

    /// Opens one.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if as many are open as may be.
    pub(crate) fn open(&self) -> Result<Reading, ServiceError> {
        match self.places.clone().try_acquire_owned() {
            Ok(_place) => Ok(Reading { _place }),
            Err(_) => Err(ServiceError::Exhausted {
                reason: format!(
                    "as many streams of results are open as the server keeps at once: {}",
                    self.limit
                ),
                retry_after: RETRY_AFTER,
            }),
        }
    }
}
