//! How the evaluator is set up.

use std::time::Duration;

use super::BackendChoice;
#[cfg(feature = "gpu")]
use crate::gpu::GpuOptions;

/// How the evaluator is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchOptions {
    /// Which backends to have: [`BackendChoice::Auto`] tries for a GPU, [`BackendChoice::Gpu`] insists on one,
    /// [`BackendChoice::Cpu`] and [`BackendChoice::Scalar`] open none.
    pub backend: BackendChoice,
    /// Threads for the CPU lane, at least 1.
    pub cpu_threads: usize,
    /// Most positions in a batch on the CPU: small, so that the threads share the work.
    pub cpu_batch: usize,
    /// Most positions in a batch on the device; the device may hold less.
    pub device_batch: usize,
    /// Most positions that may wait, over all lanes.
    pub queue_positions: usize,
    /// How long a batch that is not full may wait for more positions. Zero is greedy, and good.
    pub max_delay: Duration,
    /// What happens after the device has failed.
    pub recovery: RecoveryOptions,
    /// The GPU.
    #[cfg(feature = "gpu")]
    pub gpu: GpuOptions,
}

/// What happens after the device has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryOptions {
    /// Pause before the first try to open it anew; each further one is twice as long.
    pub first_pause: Duration,
    /// Longest pause.
    pub longest_pause: Duration,
    /// Tries before giving up for good.
    pub tries: u32,
    /// A device that served this long counts as sound: its next failure starts again with all tries.
    pub sound_after: Duration,
}

/// Longest [`BatchOptions::max_delay`].
pub const MAX_DELAY: Duration = Duration::from_millis(1);

impl Default for BatchOptions {
    fn default() -> Self {
        Self {
            backend: BackendChoice::Auto,
            cpu_threads: std::thread::available_parallelism().map_or(1, usize::from),
            cpu_batch: 256,
            device_batch: 4096,
            queue_positions: 1 << 17,
            max_delay: Duration::ZERO,
            recovery: RecoveryOptions::default(),
            #[cfg(feature = "gpu")]
            gpu: GpuOptions::default(),
        }
    }
}

impl Default for RecoveryOptions {
    fn default() -> Self {
        Self {
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            tries: 5,
            sound_after: Duration::from_secs(600),
        }
    }
}
