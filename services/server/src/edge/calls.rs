use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

/// The calls of one connection.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    in_flight: AtomicUsize,
    begun: AtomicU64,
}

/// A call in flight; dropped when it has ended.
#[derive(Debug)]
pub(super) struct Call(Arc<Calls>);

impl Calls {
    pub(super) fn begin(self: &Arc<Self>) -> Call {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        Call(self.clone())
    }

    /// How many calls are in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// How many calls there have been, those in flight included.
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
