//! The first thing that went wrong with a device.

use std::sync::{Arc, Mutex, PoisonError};

use super::GpuError;

/// Holds the first fault of a device, whoever finds it: a callback of the driver, or the thread as it ends.
#[derive(Clone, Default)]
pub(super) struct FaultCell(Arc<Mutex<Option<GpuError>>>);

impl FaultCell {
    pub(super) fn set(&self, fault: GpuError) {
        // The first fault is the cause, later ones are its consequences.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(fault);
    }

    pub(super) fn get(&self) -> Option<GpuError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
