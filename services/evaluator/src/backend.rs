//! The contract of everything that evaluates positions in batches.

use std::sync::Arc;

use tabiya_eval_shaders::PackedPosition;

use crate::network::Network;

/// Evaluates slices of positions. Every backend gives the same numbers for the same network and position,
/// whatever stands beside it in the batch.
pub trait Backend {
    /// The network that answers.
    fn network(&self) -> &Arc<Network>;

    /// What and where it runs.
    fn info(&self) -> &BackendInfo;

    /// Writes the network's integer output for each position, before scaling, into `out`.
    ///
    /// # Errors
    /// [`BackendError::Length`] if the slices differ in length; else what the device reports. After an error
    /// the content of `out` means nothing.
    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError>;

    /// Writes centipawns from the side to move for each position into `out`.
    ///
    /// # Errors
    /// As [`Backend::evaluate_raw`].
    fn evaluate(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        self.evaluate_raw(positions, out)?;
        let scale = self.network().scale();
        for value in out {
            *value = scale.to_centipawns(*value);
        }
        Ok(())
    }
}

/// What a backend is and where it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendInfo {
    /// A stable short name, such as `cpu-avx512` or `gpu`.
    pub name: String,
    /// What kind of device computes.
    pub kind: BackendKind,
    /// The device as its driver names it.
    pub device: String,
    /// Driver and version; empty on the CPU.
    pub driver: String,
}

/// What kind of device computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackendKind {
    /// The plain reference, one position after another.
    Scalar,
    /// A CPU kernel.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// A graphics interface run by the CPU (such as llvmpipe), for tests.
    SoftwareGpu,
}

/// Why a batch was not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The slices differ in length.
    #[error("batch has {positions} positions but room for {values} values")]
    Length {
        /// Positions given.
        positions: usize,
        /// Room for values.
        values: usize,
    },
    /// The device did not answer in time.
    #[error("device gave no answer within {0:?}")]
    Timeout(std::time::Duration),
    /// The device is gone and must be opened anew.
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The device or its driver reports an error.
    #[error("device failed: {0}")]
    Device(String),
}

/// Checks that both slices have one length.
///
/// # Errors
/// [`BackendError::Length`].
pub fn check_lengths(positions: &[PackedPosition], out: &[i32]) -> Result<(), BackendError> {
    if positions.len() == out.len() {
        Ok(())
    } else {
        Err(BackendError::Length {
            positions: positions.len(),
            values: out.len(),
        })
    }
}
