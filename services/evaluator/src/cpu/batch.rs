//! The CPU as a backend for batches.

use std::sync::Arc;

use tabiya_eval_shaders::PackedPosition;

use super::rows::Rows;
use crate::backend::{Backend, BackendError, BackendInfo, BackendKind, check_lengths};
use crate::kernel::Kernel;
use crate::lane::Lane;
use crate::network::Network;

/// Evaluates batches on one core with kernel `K`, each position from scratch.
#[derive(Clone, Debug)]
pub struct CpuBatch<K> {
    kernel: K,
    network: Arc<Network>,
    info: BackendInfo,
    /// First-layer sums of White and Black, reused from position to position.
    sums: Vec<Lane>,
}

impl<K: Kernel> CpuBatch<K> {
    /// A backend for this network.
    pub fn new(kernel: K, network: Arc<Network>) -> Self {
        let info = BackendInfo {
            name: format!("cpu-{}", kernel.name()),
            kind: BackendKind::Cpu,
            device: std::env::consts::ARCH.to_owned(),
            driver: String::new(),
        };
        let sums = vec![Lane::ZERO; 2 * network.row_lanes()];
        Self {
            kernel,
            network,
            info,
            sums,
        }
    }

    fn evaluate_one(&mut self, position: &PackedPosition) -> i32 {
        let architecture = self.network.architecture();
        let rows = Rows::of_record(position, architecture);
        let (white, black) = self.sums.split_at_mut(self.network.row_lanes());
        let bias = self.network.feature_bias();
        self.kernel
            .update(&self.network, bias, rows[0].as_slice(), &[], white);
        self.kernel
            .update(&self.network, bias, rows[1].as_slice(), &[], black);
        let (own, their) = if position.black_to_move() {
            (black, white)
        } else {
            (white, black)
        };
        let bucket = architecture.output_buckets.select(position.piece_count());
        self.kernel.forward(&self.network, own, their, bucket)
    }
}

impl<K: Kernel> Backend for CpuBatch<K> {
    fn network(&self) -> &Arc<Network> {
        &self.network
    }

    fn info(&self) -> &BackendInfo {
        &self.info
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        check_lengths(positions, out)?;
        for (position, value) in positions.iter().zip(out) {
            *value = self.evaluate_one(position);
        }
        Ok(())
    }
}
