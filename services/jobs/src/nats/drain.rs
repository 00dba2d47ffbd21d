//! How fast the queue drains, for callers who are told to come back.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use super::faults::ROOM_UNKNOWN;

/// Looks that are closer to each other than this say little about a rate.
const SPACING: Duration = Duration::from_secs(2);

/// Soonest and latest time to come back.
const BOUNDS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));

/// Tasks done over time.
#[derive(Debug, Default)]
pub(super) struct Drain {
    seen: Mutex<Option<Seen>>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Instant,
    done: u64,
    /// Tasks a second, once two looks have told.
    rate: Option<f64>,
}

impl Drain {
    /// So many tasks have been done in all by now.
    pub(super) fn look(&self, at: Instant, done: u64) {
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *seen = match *seen {
            Some(before) if at.duration_since(before.at) < SPACING => Some(before),
            Some(before) => {
                let seconds = at.duration_since(before.at).as_secs_f64();
                let rate = Some(done.saturating_sub(before.done) as f64 / seconds);
                Some(Seen { at, done, rate })
            }
            None => Some(Seen { at, done, rate: None }),
        };
    }

    /// When there will be room for so many tasks.
    pub(super) fn room_for(&self, tasks: usize) -> Duration {
        let seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match seen.and_then(|seen| seen.rate) {
            Some(rate) if rate > 0.0 => {
                let (soonest, latest) = BOUNDS;
                let seconds = (tasks as f64 / rate).min(latest.as_secs_f64());
                Duration::from_secs_f64(seconds).max(soonest)
            }
            _ => ROOM_UNKNOWN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_come_back_when_there_will_be_room() {
        let (drain, start) = (Drain::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(drain.room_for(10), ROOM_UNKNOWN);
        drain.look(start, 100);
        assert_eq!(drain.room_for(10), ROOM_UNKNOWN);
        drain.look(after(10), 150);
        assert_eq!(drain.room_for(10), Duration::from_secs(2));
        assert_eq!(drain.room_for(1), BOUNDS.0);
        assert_eq!(drain.room_for(1_000_000), BOUNDS.1);
        // Too close to the last look to tell anything.
        drain.look(after(11), 150);
        assert_eq!(drain.room_for(10), Duration::from_secs(2));
        // Nothing was done at all.
        drain.look(after(20), 150);
        assert_eq!(drain.room_for(10), ROOM_UNKNOWN);
    }
}
