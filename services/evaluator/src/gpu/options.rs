//! How the GPU is to be used.

use std::time::Duration;

use tabiya_eval_shaders::KernelLayout;

/// How the GPU is to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// Take a software adapter (llvmpipe) too. It is many times slower than the CPU kernels: for tests.
    pub allow_software: bool,
    /// Part of the wanted adapter's name, or its PCI address; `None` takes the best kind.
    pub adapter: Option<String>,
    /// How positions are dealt to invocations; `None` chooses by the kind of adapter.
    pub layout: Option<KernelLayout>,
    /// Most positions in a dispatch, at least 1. Long dispatches trip the watchdog of some drivers.
    pub max_batch: usize,
    /// Time for one batch, from its submission, or from the result before it while others are in flight, to its
    /// result; `None` is [`HARDWARE_TIMEOUT`], or
    /// [`SOFTWARE_TIMEOUT`] on a software adapter.
    pub batch_timeout: Option<Duration>,
    /// Time for opening device, kernel and buffers and for the warm-up batch.
    pub open_timeout: Duration,
}

/// Time for a batch on real hardware, where a full one takes a few milliseconds.
pub const HARDWARE_TIMEOUT: Duration = Duration::from_millis(400);

/// Time for a batch on a software adapter, which shares its cores with everything else.
pub const SOFTWARE_TIMEOUT: Duration = Duration::from_secs(60);

/// Most positions that [`GpuOptions::max_batch`] may ask for: 8 MiB of records.
pub const MAX_BATCH: usize = 1 << 18;

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            allow_software: false,
            adapter: None,
            layout: None,
            max_batch: 16_384,
            batch_timeout: None,
            open_timeout: Duration::from_secs(30),
        }
    }
}
