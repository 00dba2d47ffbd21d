use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A queue shorter than this says more about the way to it than about its pace.
const TELLING: u64 = 1024;

/// How fast the queue of evaluations has moved of late.
#[derive(Debug)]
pub(super) struct Pace {
    /// Running mean of the time that the queue takes for a position, in nanoseconds.
    nanos: AtomicU64,
}

impl Default for Pace {
    fn default() -> Self {
        // A slow backend's, until one has been seen.
        Self {
            nanos: AtomicU64::new(10_000),
        }
    }
}

impl Pace {
    /// Takes note that so many queued positions took so long.
    pub(super) fn note(&self, positions: u64, took: Duration) {
        if positions < TELLING {
            return;
        }
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX) / positions;
        let mean = self.nanos.load(Ordering::Relaxed);
        // Two notes at once may lose one, which is no harm.
        self.nanos.store(mean - mean / 8 + nanos / 8, Ordering::Relaxed);
    }

    /// Expected time for a queue of so many positions, from 50 ms to 10 s.
    pub(super) fn time_for(&self, positions: u64) -> Duration {
        let nanos = self.nanos.load(Ordering::Relaxed).saturating_mul(positions);
        Duration::from_nanos(nanos).clamp(Duration::from_millis(50), Duration::from_secs(10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_wait_follows_what_was_measured() {
        let pace = Pace::default();
        for _ in 0..100 {
            pace.note(TELLING - 1, Duration::from_secs(1));
        }
        assert_eq!(pace.time_for(50_000), Duration::from_millis(500));
        for _ in 0..100 {
            pace.note(10_000, Duration::from_secs(1));
        }
        let slow = pace.time_for(50_000);
        assert!(
            slow > Duration::from_millis(4900) && slow <= Duration::from_secs(5),
            "{slow:?}"
        );
        for _ in 0..100 {
            pace.note(10_000, Duration::from_millis(10));
        }
        let fast = pace.time_for(200_000);
        assert!(
            fast >= Duration::from_millis(190) && fast < Duration::from_millis(210),
            "{fast:?}"
        );
        assert_eq!(pace.time_for(1), Duration::from_millis(50));
        assert_eq!(pace.time_for(u64::MAX), Duration::from_secs(10));
    }
}
