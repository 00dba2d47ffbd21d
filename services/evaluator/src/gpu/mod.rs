//! The GPU backend, through `wgpu`. No other module knows that library.
//!
//! One thread (`thread`) owns instance, device and queue, and everything on them is allocated when it
//! starts (`engine`, `slot`). Errors come back as values: callbacks for lost devices and uncaptured errors
//! are installed at once, setting up runs inside error scopes, every wait has a time-out, and the whole thread
//! runs under `catch_unwind`, because `Device::poll` panics when the driver reports a loss. A machine without
//! Vulkan loader, driver or adapter gives a [`GpuError`] that says which, never a panic.

mod adapter;
mod backend;
mod device;
mod engine;
mod error;
mod fault;
mod options;
mod program;
mod slot;
#[cfg(test)]
mod tests;
mod thread;
pub(crate) mod warm_up;

pub use adapter::{AdapterKind, AdapterReport, list_adapters};
pub use backend::GpuBackend;
pub use device::GpuDevice;
pub use error::GpuError;
pub use options::{GpuOptions, HARDWARE_TIMEOUT, MAX_BATCH, SOFTWARE_TIMEOUT};
