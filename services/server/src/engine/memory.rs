use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// What a search takes besides its table, on each of its threads: histories, killers and lines, rounded up.
pub(crate) const SEARCHER_BYTES: usize = 3 << 19;

/// What a decision takes at most: its proofs, its rulings, its answer. A comparison keeps the rulings of all its rulesets.
pub(crate) const ADJUDICATION_BYTES: usize = 64 << 20;
pub(crate) const COMPARISON_BYTES: usize = 128 << 20;

/// What a proof takes that may generate so many positions: they are kept, with room to grow, and so is the certificate.
pub(crate) const fn proof_bytes(positions: u32) -> usize {
    const BYTES_PER_POSITION: usize = 200;

    (positions as usize).next_power_of_two() * BYTES_PER_POSITION
}

/// How often whoever waits looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// Memory that work may take at once. There are more threads than the memory would allow at the greatest limits, as most
/// work is small.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    bytes: usize,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<usize>,
    given_back: Condvar,
}

/// Memory of work that runs.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: usize,
    shared: Arc<Shared>,
}

impl Memory {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            shared: Arc::default(),
        }
    }

    /// Takes memory, once there is so much, on a thread that may wait; `None` if `until` has come or `stop` was set
    /// before. What is more than there is at all takes all of it.
    pub(crate) fn take(&self, bytes: usize, until: Option<Instant>, stop: &AtomicBool) -> Option<Held> {
        let bytes = bytes.min(self.bytes);
        let mut taken = self.shared.lock();
        while *taken + bytes > self.bytes {
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            if is_late || stop.load(Ordering::Relaxed) {
                return None;
            }
            let waited = self.shared.given_back.wait_timeout(taken, LOOK);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += bytes;
        drop(taken);
        Some(Held {
            bytes,
            shared: self.shared.clone(),
        })
    }

    /// Bytes that are taken.
    pub(crate) fn taken(&self) -> usize {
        *self.shared.lock()
    }

    /// Bytes that there are in all.
    pub(crate) fn limit(&self) -> usize {
        self.bytes
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, usize> {
        // No code that can panic runs under the lock.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.shared.lock() -= self.bytes;
        self.shared.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_wait_for_memory_but_not_for_ever() {
        let memory = Memory::new(100);
        let going = AtomicBool::new(false);
        let first = memory.take(70, None, &going).unwrap();
        let _second = memory.take(30, None, &going).unwrap();
        let soon = Some(Instant::now() + Duration::from_millis(20));
        assert!(memory.take(1, soon, &going).is_none());
        assert!(memory.take(1, None, &AtomicBool::new(true)).is_none());
        let third = std::thread::spawn({
            let memory = memory.clone();
            move || memory.take(60, None, &AtomicBool::new(false)).is_some()
        });
        drop(first);
        assert!(third.join().unwrap());
        // The third has given it back, and 30 are still taken.
        assert!(memory.take(1000, soon, &going).is_none());
        assert!(memory.take(70, soon, &going).is_some());
    }
}
