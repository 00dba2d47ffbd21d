//! What the evaluator has done so far.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::LaneKind;

/// Classes of batch sizes: 1, 2, 3–4, 5–8, … and everything above 2^18 in the last one.
pub const SIZE_CLASSES: usize = 20;

/// What one lane has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounters {
    /// Batches evaluated.
    pub batches: u64,
    /// Positions evaluated.
    pub positions: u64,
    /// Batches by size: entry `i` counts those of at most `2^i` positions and more than `2^(i-1)`.
    pub batch_sizes: [u64; SIZE_CLASSES],
}

impl LaneCounters {
    /// Positions in a batch on average; 0 before the first.
    pub fn mean_batch(&self) -> f64 {
        if self.batches == 0 {
            0.0
        } else {
            self.positions as f64 / self.batches as f64
        }
    }
}

/// What the evaluator has done so far. Everything but `waiting` only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCounters {
    /// By [`LaneKind::index`]. What the CPU did in the device's place counts for the device's lane.
    pub lanes: [LaneCounters; 3],
    /// Batches that the CPU did because the device failed on them.
    pub fallback_batches: u64,
    /// Batches of the device's lane that the CPU did because no device was there at the time.
    pub standin_batches: u64,
    /// Failures of the device.
    pub device_failures: u64,
    /// Devices opened after a failure.
    pub device_recoveries: u64,
    /// Positions dropped before their evaluation because nobody waited for them any more.
    pub abandoned: u64,
    /// Requests refused for lack of room.
    pub refused: u64,
    /// Positions that wait now.
    pub waiting: u64,
}

impl BatchCounters {
    /// The counters of a lane.
    pub fn lane(&self, lane: LaneKind) -> &LaneCounters {
        &self.lanes[lane.index()]
    }
}

#[derive(Default)]
struct LaneCells {
    batches: AtomicU64,
    positions: AtomicU64,
    batch_sizes: [AtomicU64; SIZE_CLASSES],
}

/// The cells behind [`BatchCounters`].
#[derive(Default)]
pub(super) struct CounterCells {
    lanes: [LaneCells; 3],
    pub(super) fallback_batches: AtomicU64,
    pub(super) standin_batches: AtomicU64,
    pub(super) device_failures: AtomicU64,
    pub(super) device_recoveries: AtomicU64,
    pub(super) abandoned: AtomicU64,
    pub(super) refused: AtomicU64,
}

impl CounterCells {
    pub(super) fn count_batch(&self, lane: LaneKind, positions: usize) {
        let cells = &self.lanes[lane.index()];
        cells.batches.fetch_add(1, Relaxed);
        cells.positions.fetch_add(positions as u64, Relaxed);
        cells.batch_sizes[size_class(positions)].fetch_add(1, Relaxed);
    }

    pub(super) fn read(&self, waiting: usize) -> BatchCounters {
        let lane = |cells: &LaneCells| LaneCounters {
            batches: cells.batches.load(Relaxed),
            positions: cells.positions.load(Relaxed),
            batch_sizes: std::array::from_fn(|class| cells.batch_sizes[class].load(Relaxed)),
        };
        BatchCounters {
            lanes: std::array::from_fn(|index| lane(&self.lanes[index])),
            fallback_batches: self.fallback_batches.load(Relaxed),
            standin_batches: self.standin_batches.load(Relaxed),
            device_failures: self.device_failures.load(Relaxed),
            device_recoveries: self.device_recoveries.load(Relaxed),
            abandoned: self.abandoned.load(Relaxed),
            refused: self.refused.load(Relaxed),
            waiting: waiting as u64,
        }
    }
}

fn size_class(positions: usize) -> usize {
    (positions.max(1).next_power_of_two().trailing_zeros() as usize).min(SIZE_CLASSES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_are_powers_of_two() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 256, 257].map(size_class),
            [0, 0, 1, 2, 2, 3, 8, 9]
        );
        assert_eq!(size_class(usize::MAX / 2), SIZE_CLASSES - 1);
    }
}
