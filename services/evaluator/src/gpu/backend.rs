//! The GPU as one backend among others.

use std::sync::Arc;

use tabiya_eval_shaders::PackedPosition;

use super::{GpuDevice, GpuError, GpuOptions};
use crate::{
    backend::{Backend, BackendError, BackendInfo, check_lengths},
    network::Network,
};

/// The GPU as one backend among others, for callers that have whole batches and no need of fail-over.
#[derive(Clone, Debug)]
pub struct GpuBackend {
    device: Arc<GpuDevice>,
}

impl GpuBackend {
    /// Opens a GPU; see [`GpuDevice::open`].
    ///
    /// # Errors
    /// Any [`GpuError`].
    pub fn open(network: &Arc<Network>, options: &GpuOptions) -> Result<Self, GpuError> {
        GpuDevice::open(network, options).map(|device| Self {
            device: Arc::new(device),
        })
    }

    /// The device behind it.
    pub fn device(&self) -> &Arc<GpuDevice> {
        &self.device
    }
}

impl Backend for GpuBackend {
    fn network(&self) -> &Arc<Network> {
        self.device.network()
    }

    fn info(&self) -> &BackendInfo {
        self.device.info()
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        check_lengths(positions, out)?;
        let values = self.device.evaluate_raw(&positions.into())?;
        out.copy_from_slice(&values);
        Ok(())
    }
}
