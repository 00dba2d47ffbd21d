use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// How long a slot counts for.
const SLOT: Duration = Duration::from_millis(250);

/// Slots that are kept: what is older says nothing about the pace of late.
const SLOTS: usize = 16;

/// The expected wait before anything has been measured.
const UNKNOWN: Duration = Duration::from_secs(1);

const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(10);

/// How many positions left a queue of late, measured where they leave.
#[derive(Debug)]
pub(crate) struct DrainRate {
    begun: Instant,
    /// The tick that a slot is of, and what left within it, 32 bits each.
    slots: [AtomicU64; SLOTS],
}

impl Default for DrainRate {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            slots: Default::default(),
        }
    }
}

impl DrainRate {
    /// Takes note that so many positions left.
    pub(crate) fn note(&self, positions: usize) {
        self.note_at(self.begun.elapsed(), positions);
    }

    /// Positions a second, from the first that left within the last seconds until now; `None` if none did.
    pub(crate) fn per_second(&self) -> Option<f64> {
        self.per_second_at(self.begun.elapsed())
    }

    /// Expected time for so many positions to leave, from 50 ms to 10 s.
    pub(crate) fn time_for(&self, positions: usize) -> Duration {
        let expected = match self.per_second() {
            Some(rate) => Duration::try_from_secs_f64(positions as f64 / rate).unwrap_or(LONGEST),
            None => UNKNOWN,
        };
        expected.clamp(SHORTEST, LONGEST)
    }

    fn note_at(&self, now: Duration, positions: usize) {
        let tick = tick(now);
        let more = u64::try_from(positions).unwrap_or(u64::MAX);
        let slot = &self.slots[tick as usize % SLOTS];
        // Never fails: the closure always has a value.
        let _ = slot.fetch_update(Relaxed, Relaxed, |old| {
            let before = if old >> 32 == tick { old & COUNT } else { 0 };
            Some(tick << 32 | before.saturating_add(more).min(COUNT))
        });
    }

    fn per_second_at(&self, now: Duration) -> Option<f64> {
        let last = tick(now);
        let first = last.saturating_sub(SLOTS as u64 - 1);
        let slots = self.slots.iter().map(|slot| slot.load(Relaxed));
        let recent = slots
            .map(|slot| (slot >> 32, slot & COUNT))
            .filter(|(tick, count)| *count > 0 && (first..=last).contains(tick));
        let (oldest, sum) = recent.fold((u64::MAX, 0), |(oldest, sum), (tick, count)| {
            (oldest.min(tick), sum + count)
        });
        if sum == 0 {
            return None;
        }
        let since = SLOT * u32::try_from(oldest).unwrap_or(u32::MAX);
        Some(sum as f64 / now.saturating_sub(since).max(SLOT).as_secs_f64())
    }
}

/// The part of a slot that counts.
const COUNT: u64 = u32::MAX as u64;

fn tick(now: Duration) -> u64 {
    (now.as_millis() / SLOT.as_millis()) as u64 & COUNT
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let rate = DrainRate::default();
        assert_eq!(rate.per_second_at(ms(0)), None);
        assert_eq!(rate.time_for(1000), UNKNOWN);
        // 100 each quarter of a second, for ten seconds.
        for at in (0..10_000).step_by(250) {
            rate.note_at(ms(at), 60);
            rate.note_at(ms(at + 100), 40);
        }
        let measured = rate.per_second_at(ms(9_999)).unwrap();
        assert!((measured - 400.0).abs() < 1.0, "{measured}");
        // What came before an idle time does not count.
        assert_eq!(rate.per_second_at(ms(20_000)), None);
        rate.note_at(ms(20_000), 500);
        assert_eq!(rate.per_second_at(ms(20_100)), Some(2000.0));
        assert_eq!(rate.per_second_at(ms(21_000)), Some(500.0));
    }

    #[test]
    fn the_wait_follows_from_the_rate_within_bounds() {
        let rate = DrainRate::default();
        rate.note(1000);
        assert_eq!(rate.time_for(1), SHORTEST);
        assert_eq!(rate.time_for(usize::MAX), LONGEST);
        let wait = rate.time_for(4000);
        // 1000 within at most a quarter of a second, if the machine did not stop meanwhile.
        assert!((ms(1000)..=LONGEST).contains(&wait), "{wait:?}");
    }
}
