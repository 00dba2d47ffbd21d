use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tabiya_api::error::ServiceError;

/// Until when room for a request can be expected: requests are read in milliseconds, unless their senders are slow.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How much of its peers' requests a listener takes in at once, and how long it waits for one to be complete.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    budget: Arc<Budget>,
    pub(super) patience: Duration,
}

#[derive(Debug)]
struct Budget {
    bytes: usize,
    taken: AtomicUsize,
}

impl Intake {
    /// Takes in `bytes` bytes of requests at once, each message complete after `patience`.
    pub(crate) fn new(bytes: usize, patience: Duration) -> Self {
        let taken = AtomicUsize::new(0);
        Self {
            budget: Arc::new(Budget { bytes, taken }),
            patience,
        }
    }

    /// Bytes that are here.
    pub(crate) fn taken(&self) -> usize {
        self.budget.taken.load(Ordering::Relaxed)
    }

    /// Bytes that may be here at once.
    pub(crate) fn limit(&self) -> usize {
        self.budget.bytes
    }

    /// The share of a call, empty at first.
    pub(super) fn share(&self) -> Arc<Share> {
        Arc::new(Share {
            budget: self.budget.clone(),
            held: AtomicUsize::new(0),
        })
    }
}

/// The bytes of one call's request that are here: those of the message that its handler has, and of the next one.
/// They are given back when the call ends.
#[derive(Debug)]
pub(super) struct Share {
    budget: Arc<Budget>,
    held: AtomicUsize,
}

impl Share {
    /// Holds so many bytes from now on. Only one thread at a time resizes a share.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the listener has taken in too much; the share is then as it was.
    pub(super) fn resize(&self, bytes: usize) -> Result<(), ServiceError> {
        let held = self.held.load(Ordering::Relaxed);
        let taken = self
            .budget
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                let after = taken - held + bytes;
                (bytes <= held || after <= self.budget.bytes).then_some(after)
            });
        match taken {
            Ok(_) => {
                self.held.store(bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(taken) => Err(ServiceError::Crowded {
                bytes: taken,
                retry_after: RETRY_AFTER,
            }),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget
            .taken
            .fetch_sub(*self.held.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_bounded_together_and_given_back() {
        let intake = Intake::new(100, Duration::ZERO);
        let (first, second) = (intake.share(), intake.share());
        first.resize(60).unwrap();
        assert!(second.resize(41).is_err());
        second.resize(40).unwrap();
        assert!(first.resize(61).is_err());
        first.resize(10).unwrap();
        second.resize(90).unwrap();
        drop(second);
        first.resize(100).unwrap();
        drop(first);
        assert_eq!(intake.budget.taken.load(Ordering::Relaxed), 0);
    }
}
