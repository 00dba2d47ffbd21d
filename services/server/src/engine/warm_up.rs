//! The first work of a server: opening the evaluator, a batch that proves it, and the calibration.

use std::{sync::Arc, thread};

use tabiya_evaluator::{
    Network, PackedPosition,
    batch::{BackendChoice, BatchEvaluator, BatchOptions, LaneKind},
    evaluate_reference, pack,
};
use tabiya_rules::{Board, MoveList};

use super::Engine;
use crate::{Config, GpuPolicy, ServerError, compute::Class};

/// Plies from the start of which every position is in the proof's batch.
const PROOF_PLIES: usize = 2;

/// Opens the evaluator and proves it on a thread of its own.
pub(super) fn start(engine: &Engine, config: &Config) -> Result<(), ServerError> {
    let engine = engine.clone();
    let options = options(config);
    let calibration = config.calibration;
    thread::Builder::new()
        .name("tabiya-warm-up".into())
        .spawn(move || {
            // The evaluator's threads are started from here and inherit it: they must not outrank what moves bytes.
            Class::Interactive.enter();
            let evaluator = match BatchEvaluator::start(&engine.network, &options) {
                Ok(evaluator) => Arc::new(evaluator),
                Err(error) => {
                    tracing::error!(%error, "no evaluator");
                    return engine.batches.open(Err(error.to_string()));
                }
            };
            // Measured before anybody can have work here.
            if !calibration.is_zero() {
                evaluator.calibrate(calibration);
            }
            match prove(&evaluator, &engine.network) {
                Ok(()) => {
                    let status = evaluator.status();
                    tracing::info!(
                        cpu = status.cpu.name,
                        auto = status.auto_reason,
                        "evaluator is ready"
                    );
                    engine.batches.open(Ok(evaluator));
                    engine.proof.give();
                }
                Err(reason) => {
                    tracing::error!(reason, "evaluations are wrong: the server stays unready");
                    engine.batches.open(Err(reason));
                }
            }
        })
        .map(drop)
        .map_err(|source| ServerError::Thread {
            what: "the warm-up",
            source,
        })
}

fn options(config: &Config) -> BatchOptions {
    #[allow(unused_mut)]
    let mut options = BatchOptions {
        backend: match config.gpu {
            GpuPolicy::Off => BackendChoice::Cpu,
            GpuPolicy::Hardware | GpuPolicy::AllowSoftware => BackendChoice::Auto,
        },
        queue_positions: config.evaluate_queue,
        cpu_threads: config.evaluate_threads,
        ..BatchOptions::default()
    };
    #[cfg(feature = "gpu")]
    {
        options.gpu.allow_software = config.gpu == GpuPolicy::AllowSoftware;
    }
    options
}

/// Compares a real batch on each backend with the reference.
fn prove(evaluator: &BatchEvaluator, network: &Network) -> Result<(), String> {
    let mut positions = vec![];
    collect(&Board::startpos(), PROOF_PLIES, &mut positions);
    let scale = network.scale();
    let expected: Vec<i32> = positions
        .iter()
        .map(|position| scale.to_centipawns(evaluate_reference(network, position)))
        .collect();
    let mut lanes = vec![LaneKind::Cpu];
    if evaluator.status().device_health.reason().is_none() {
        lanes.push(LaneKind::Device);
    }
    for lane in lanes {
        let mut values = vec![0; positions.len()];
        evaluator
            .evaluate_blocking_in(lane, &positions, &mut values)
            .map_err(|error| error.to_string())?;
        if values != expected {
            return Err(format!("backend {} differs from the reference", lane.name()));
        }
    }
    Ok(())
}

fn collect(board: &Board, plies: usize, positions: &mut Vec<PackedPosition>) {
    positions.push(pack(board));
    if plies > 0 {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        moves
            .iter()
            .for_each(|&mv| collect(&board.after(mv), plies - 1, positions));
    }
}
