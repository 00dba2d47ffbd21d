//! What `GetEngineInfo` tells.

use std::time::Duration;

use tabiya_api::{
    MAX_MESSAGE_BYTES, MAX_POSITIONS_PER_MESSAGE,
    convert::{DEFAULT_PROOF_NODES, MAX_MULTIPV, MAX_PROOF_NODES, duration_message},
    error::ServiceError,
    v1,
};
use tabiya_evaluator::batch::{BackendChoice, BackendStatus, CalibrationRow};
use tabiya_search::{MAX_PLY, Tablebase};

use super::{Engine, Served, endgames};
use crate::{Config, perft};

pub(super) fn limits(config: &Config) -> v1::EngineLimits {
    v1::EngineLimits {
        max_message_bytes: MAX_MESSAGE_BYTES as u64,
        max_positions_per_message: MAX_POSITIONS_PER_MESSAGE as u32,
        max_queued_positions: config.interactive_queue as u32,
        search_threads: config.interactive_threads as u32,
        max_threads_per_search: config.threads_per_search.min(config.interactive_threads) as u32,
        max_multipv: MAX_MULTIPV,
        max_depth: MAX_PLY as u32 - 1,
        max_perft_depth: perft::MAX_DEPTH,
        search_memory_bytes: config.search_memory as u64,
        longest_call: Some(duration_message(config.longest_call)),
        longest_item: Some(duration_message(config.longest_item)),
        default_proof_nodes: DEFAULT_PROOF_NODES,
        max_proof_nodes: MAX_PROOF_NODES,
        proof_memory_bytes: config.proof_memory as u64,
    }
}

impl Engine {
    /// Everything about this server that a caller may want to know. Waits for the evaluators to be open.
    ///
    /// # Errors
    /// INTERNAL if one could not be opened.
    pub(crate) async fn info(&self) -> Result<v1::GetEngineInfoResponse, ServiceError> {
        let mut networks = Vec::new();
        for served in self.networks.iter() {
            networks.push(network(served).await?);
        }
        let default = &networks[0];
        Ok(v1::GetEngineInfoResponse {
            backends: default.backends.clone(),
            graphics_from: default.graphics_from,
            networks,
            limits: Some(self.limits),
            version: env!("CARGO_PKG_VERSION").into(),
            endgame_tables: self.endgames.as_deref().map(endgames::message),
        })
    }

    /// The hash of the endgame tables; empty without.
    pub(crate) fn tables_hash(&self) -> String {
        self.endgames
            .as_deref()
            .map(Tablebase::digest)
            .unwrap_or_default()
    }
}

/// What a caller may know of a network, once its evaluator is open.
async fn network(served: &Served) -> Result<v1::NetworkInfo, ServiceError> {
    let status = served.batches.ready().await?.status();
    let graphics_from = status.calibration.as_ref().and_then(|table| table.device_from);
    Ok(v1::NetworkInfo {
        name: served.name().into(),
        architecture: served.network.architecture().to_string(),
        size: served.bytes,
        hash: served.hash.clone(),
        embedded_name: served.embedded_name().into(),
        backends: backends(&status),
        graphics_from: graphics_from.unwrap_or(0) as u32,
    })
}

fn backends(status: &BackendStatus) -> Vec<v1::BackendInfo> {
    let rates = |of: fn(&CalibrationRow) -> Option<(f64, f64)>| -> Vec<v1::BatchRate> {
        let rows = status.calibration.iter().flat_map(|table| &table.rows);
        rows.filter_map(|row| of(row).map(|(all, single)| batch_rate(row.batch, all, single)))
            .collect()
    };
    let best = |rates: &[v1::BatchRate]| {
        let rates = rates.iter().map(|rate| rate.evaluations_per_second);
        rates.fold(0.0, f64::max)
    };
    let cpu_rates = rates(|row| Some((row.cpu_all, row.cpu_thread)));
    let device_rates = rates(|row| row.device_all.zip(row.device_single));
    let device_chosen = status.auto == BackendChoice::Gpu;
    let cpu = v1::BackendInfo {
        name: status.cpu.name.clone(),
        kind: v1::Backend::Cpu.into(),
        driver: String::new(),
        evaluations_per_second: best(&cpu_rates),
        rates: cpu_rates,
        available: true,
        chosen: !device_chosen,
        why_not_chosen: if device_chosen {
            status.auto_reason.clone()
        } else {
            String::new()
        },
    };
    let health = status.device_health.reason();
    let device = v1::BackendInfo {
        name: status
            .device
            .as_ref()
            .map_or("gpu".into(), |info| info.device.clone()),
        kind: v1::Backend::Gpu.into(),
        driver: status
            .device
            .as_ref()
            .map(|info| info.driver.clone())
            .unwrap_or_default(),
        evaluations_per_second: best(&device_rates),
        rates: device_rates,
        available: health.is_none(),
        chosen: device_chosen,
        why_not_chosen: if device_chosen {
            String::new()
        } else {
            health.unwrap_or(status.auto_reason.clone())
        },
    };
    let scalar = v1::BackendInfo {
        name: status.scalar.name.clone(),
        kind: v1::Backend::Scalar.into(),
        driver: String::new(),
        evaluations_per_second: 0.0,
        rates: vec![],
        available: true,
        chosen: false,
        why_not_chosen: "the reference, which the others are checked against".into(),
    };
    vec![cpu, device, scalar]
}

/// `all` and `single` are positions a second: of everything at once, and of one batch at a time.
fn batch_rate(batch: usize, all: f64, single: f64) -> v1::BatchRate {
    // A rate of 0 is a backend that failed: it has no time.
    let round_trip = Duration::try_from_secs_f64(batch as f64 / single).ok();
    v1::BatchRate {
        batch: batch as u32,
        evaluations_per_second: all,
        round_trip: round_trip.map(duration_message),
    }
}
