//! The batch evaluator: exact batches, bounds, and fail-over with devices that break in every way.

#[path = "../common/mod.rs"]
mod common;
mod devices;
mod failover;
mod forming;
mod lanes;

use std::sync::Arc;

use tabiya_evaluator::{
    BatchOptions, Network, PackedPosition, batch::RecoveryOptions, evaluate_reference, pack,
};

/// The embedded network: its scale is a real one.
fn network() -> Arc<Network> {
    Network::default_network()
}

/// Positions from random games.
fn positions(count: usize, seed: u64) -> Vec<PackedPosition> {
    common::random_boards(count, 150, seed).iter().map(pack).collect()
}

/// What every backend must answer.
fn expected(positions: &[PackedPosition]) -> Vec<i32> {
    let network = network();
    positions
        .iter()
        .map(|position| network.to_centipawns(evaluate_reference(&network, position)))
        .collect()
}

/// Two CPU threads, batches of 256, no pause before a device is opened again.
fn options() -> BatchOptions {
    BatchOptions {
        cpu_threads: 2,
        cpu_batch: 256,
        device_batch: 256,
        recovery: RecoveryOptions {
            first_pause: std::time::Duration::ZERO,
            ..RecoveryOptions::default()
        },
        ..BatchOptions::default()
    }
}
