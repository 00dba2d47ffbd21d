use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tabiya_api::error::ServiceError;

use crate::{compute::Admitted, metrics::Method};

/// What is known about a call while it runs. Found among the request's extensions.
#[derive(Debug)]
pub(crate) struct RequestStats {
    method: Arc<Method>,
    positions: AtomicU64,
    queue_micros: AtomicU64,
    compute_micros: AtomicU64,
    /// The positions that the call was let in with, until it has ended.
    admitted: Mutex<Option<Admitted>>,
    caller: OnceLock<String>,
}

impl RequestStats {
    pub(crate) fn new(method: Arc<Method>) -> Self {
        Self {
            method,
            positions: AtomicU64::new(0),
            queue_micros: AtomicU64::new(0),
            compute_micros: AtomicU64::new(0),
            admitted: Mutex::default(),
            caller: OnceLock::new(),
        }
    }

    /// The method that was called.
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// Counts positions taken in.
    pub(crate) fn add_positions(&self, positions: usize) {
        self.positions.fetch_add(positions as u64, Ordering::Relaxed);
        self.method.positions.add(positions as u64);
    }

    /// Keeps what the call was let in with.
    pub(super) fn set_admitted(&self, admitted: Admitted) {
        *self.admitted.lock().unwrap_or_else(PoisonError::into_inner) = Some(admitted);
    }

    /// Has the call let in with so many positions: it came in with one.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there is no room for them; INVALID_ARGUMENT if there never is.
    pub(crate) fn admit(&self, positions: usize) -> Result<(), ServiceError> {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *admitted {
            Some(admitted) => admitted.grow_to(positions),
            None => Ok(()),
        }
    }

    /// Counts time spent waiting for a thread and time spent computing.
    pub(crate) fn add_times(&self, queue: Duration, compute: Duration) {
        self.queue_micros
            .fetch_add(queue.as_micros() as u64, Ordering::Relaxed);
        self.compute_micros
            .fetch_add(compute.as_micros() as u64, Ordering::Relaxed);
    }

    pub(super) fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    pub(super) fn times(&self) -> (Duration, Duration) {
        let time = |micros: &AtomicU64| Duration::from_micros(micros.load(Ordering::Relaxed));
        (time(&self.queue_micros), time(&self.compute_micros))
    }

    /// Says by which name the caller is known here, for the log. The first one counts.
    pub(crate) fn set_caller(&self, name: &str) {
        // Another name is left aside.
        let _ = self.caller.set(name.to_owned());
    }

    pub(super) fn caller(&self) -> Option<&str> {
        self.caller.get().map(String::as_str)
    }
}
