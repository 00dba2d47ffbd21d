use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Stops work when it is dropped: a handler holds it, so that work ends with the call that wanted it.
#[derive(Debug, Default)]
pub(crate) struct StopGuard(Arc<AtomicBool>);

impl StopGuard {
    /// The flag for the work to look at.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Stops the work now.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.stop();
    }
}
