//! The reference as a backend, for callers who want its word.

use std::sync::Arc;

use tabiya_eval_shaders::PackedPosition;

use crate::backend::{Backend, BackendError, BackendInfo, BackendKind, check_lengths};
use crate::evaluate_reference;
use crate::network::Network;

/// Evaluates batches with [`evaluate_reference`].
#[derive(Clone, Debug)]
pub struct ReferenceBatch {
    network: Arc<Network>,
    info: BackendInfo,
}

impl ReferenceBatch {
    /// A backend for this network.
    pub fn new(network: Arc<Network>) -> Self {
        let info = BackendInfo {
            name: "reference".to_owned(),
            kind: BackendKind::Scalar,
            device: std::env::consts::ARCH.to_owned(),
            driver: String::new(),
        };
        Self { network, info }
    }
}

impl Backend for ReferenceBatch {
    fn network(&self) -> &Arc<Network> {
        &self.network
    }

    fn info(&self) -> &BackendInfo {
        &self.info
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        check_lengths(positions, out)?;
        for (position, value) in positions.iter().zip(out) {
            *value = evaluate_reference(&self.network, position);
        }
        Ok(())
    }
}
