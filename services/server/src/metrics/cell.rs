use std::{
    array,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Counts one more.
    pub(crate) fn inc(&self) {
        self.add(1);
    }

    /// Counts so many more.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    pub(crate) fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    pub(crate) fn add(&self, more: i64) {
        self.0.fetch_add(more, Relaxed);
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

/// Upper ends of the classes of [`Seconds`], in microseconds.
const BOUNDS: [u64; 18] = [
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000,
    60_000_000,
    600_000_000,
    3_600_000_000,
];

/// Times, counted by length. Nothing here takes a lock.
#[derive(Debug)]
pub(crate) struct Seconds {
    /// One for each bound, and one for what is longer.
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

impl Default for Seconds {
    fn default() -> Self {
        Self {
            counts: array::from_fn(|_| AtomicU64::new(0)),
            nanos: AtomicU64::new(0),
        }
    }
}

impl Seconds {
    /// Counts a time.
    pub(crate) fn observe(&self, time: Duration) {
        let class = BOUNDS.partition_point(|&bound| Duration::from_micros(bound) < time);
        self.counts[class].fetch_add(1, Relaxed);
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Relaxed);
    }

    /// The sum in seconds, and how many there were up to each bound and above the one before.
    pub(super) fn read(&self) -> (f64, Vec<(f64, u64)>) {
        let bounds = BOUNDS
            .iter()
            .map(|&micros| micros as f64 / 1e6)
            .chain([f64::INFINITY]);
        let counts = self.counts.iter().map(|count| count.load(Relaxed));
        (
            self.nanos.load(Relaxed) as f64 / 1e9,
            bounds.zip(counts).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_up_to_and_with_their_bound() {
        let seconds = Seconds::default();
        for micros in [0, 100, 101, 7_200_000_000] {
            seconds.observe(Duration::from_micros(micros));
        }
        let (sum, counts) = seconds.read();
        assert!((sum - 7_200.000_201).abs() < 1e-9, "{sum}");
        assert_eq!(counts[0], (1e-4, 2));
        assert_eq!(counts[1], (2.5e-4, 1));
        assert_eq!(counts[BOUNDS.len()], (f64::INFINITY, 1));
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 4);
    }
}
