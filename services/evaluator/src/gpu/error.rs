//! Why there is no working GPU.

use std::time::Duration;

use tabiya_eval_shaders::ShapeError;

use crate::backend::BackendError;

/// Why a GPU was not opened, or stopped working. The text is what `tabiya devices` and health show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// This build has no graphics interface for this platform.
    #[error("no graphics interface is compiled in for this platform")]
    NoInterface,
    /// The graphics interface could not be loaded: no `libvulkan`, or no driver that it accepts.
    #[error("no vulkan loader or no driver that it can load")]
    NoLoader,
    /// The graphics interface works but offers no adapter.
    #[error("vulkan is present but its drivers offer no adapter")]
    NoAdapter,
    /// Adapters exist, but none may serve; holds `name: reason` for each.
    #[error("no usable adapter ({0})")]
    NoUsableAdapter(String),
    /// The driver refused to open a device.
    #[error("driver refused to open a device: {0}")]
    DeviceRefused(String),
    /// The network has a shape without a kernel.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The driver rejected the kernel or could not give the memory.
    #[error("driver could not set up the kernel: {0}")]
    Setup(String),
    /// The warm-up batch differs from the scalar reference.
    #[error("warm-up position {index} gave {got} instead of {expected}: wrong results from this driver")]
    WrongResult {
        /// Index in the warm-up batch.
        index: usize,
        /// The device's value.
        got: i32,
        /// The reference's value.
        expected: i32,
    },
    /// No answer in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The device is gone.
    #[error("device lost: {0}")]
    Lost(String),
    /// The driver reported an error.
    #[error("driver error: {0}")]
    Driver(String),
    /// A panic inside the graphics library.
    #[error("graphics library panicked: {0}")]
    Panicked(String),
    /// The operating system gave no thread.
    #[error("gpu thread could not start: {0}")]
    NoThread(String),
}

impl From<GpuError> for BackendError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Timeout(limit) => Self::Timeout(limit),
            GpuError::Lost(reason) => Self::DeviceLost(reason),
            GpuError::Panicked(_) => Self::DeviceLost(error.to_string()),
            other => Self::Device(other.to_string()),
        }
    }
}
