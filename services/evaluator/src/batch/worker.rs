//! The threads that evaluate.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering::Relaxed},
};

use tabiya_eval_shaders::PackedPosition;

use super::{
    BatchError, LaneKind,
    counters::CounterCells,
    queue::{Batch, Queue},
    supervisor::DevicePlace,
};
use crate::{
    backend::{Backend, BackendError},
    network::Scale,
};

/// What all threads of an evaluator share.
pub(super) struct Shared {
    pub(super) queue: Queue,
    pub(super) counters: CounterCells,
    pub(super) place: DevicePlace,
    pub(super) scale: Scale,
    pub(super) cpu_batch: usize,
    pub(super) device_batch: usize,
}

/// Serves a lane until the queue closes. `cpu` is the thread's own backend, and the stand-in of the device.
pub(super) fn work(shared: &Shared, lane: LaneKind, mut cpu: Box<dyn Backend + Send>) {
    loop {
        let device = || shared.place.device();
        let max = match lane {
            LaneKind::Device => device().map_or(shared.cpu_batch, |device| {
                shared.device_batch.min(device.max_batch())
            }),
            LaneKind::Cpu | LaneKind::Scalar => shared.cpu_batch,
        };
        let Some(mut batch) = shared.queue.next_batch(lane, max, &shared.counters) else {
            return;
        };
        if batch.positions.is_empty() {
            continue;
        }
        let on_device = if lane == LaneKind::Device {
            evaluate_on_device(shared, &mut batch)
        } else {
            None
        };
        match on_device {
            Some(values) => answer(shared, lane, &batch, values, false),
            None => evaluate_on_cpu(shared, lane, &batch, &mut *cpu),
        }
    }
}

/// The device's values; `None` if the CPU has to do it.
fn evaluate_on_device(shared: &Shared, batch: &mut Batch) -> Option<Vec<i32>> {
    let Some(device) = shared.place.device() else {
        shared.counters.standin_batches.fetch_add(1, Relaxed);
        return None;
    };
    // Shared with the device's thread, which may hang and keep it.
    let positions: Arc<[PackedPosition]> = batch.positions.as_slice().into();
    let outcome = device.evaluate_raw(&positions).and_then(|values| {
        let complete = values.len() == positions.len();
        complete
            .then_some(values)
            .ok_or_else(|| BackendError::Device("wrong number of values".to_owned()))
    });
    match outcome {
        Ok(values) => Some(values),
        Err(error) => {
            shared.counters.fallback_batches.fetch_add(1, Relaxed);
            shared.place.report(device, &error, &shared.counters);
            None
        }
    }
}

/// Evaluates all parts together; if that fails, each alone, so that no request suffers for its neighbour.
fn evaluate_on_cpu(shared: &Shared, lane: LaneKind, batch: &Batch, cpu: &mut (dyn Backend + Send)) {
    let stood_in = lane == LaneKind::Device;
    if let Ok(values) = guarded(cpu, &batch.positions) {
        answer(shared, lane, batch, values, stood_in);
        return;
    }
    let mut from = 0;
    for part in &batch.parts {
        match guarded(cpu, &batch.positions[from..][..part.count]) {
            Ok(values) => {
                shared.counters.count_batch(lane, part.count);
                let scaled: Vec<i32> = values
                    .iter()
                    .map(|&raw| shared.scale.to_centipawns(raw))
                    .collect();
                deliver(|| part.pending.fill(part.first, &scaled, part.count, stood_in));
            }
            Err(error) => deliver(|| part.pending.fail(BatchError::Backend(error))),
        }
        from += part.count;
    }
}

/// The kernels panic on records that nobody checked and that are none; the thread must outlive that. They
/// keep nothing between positions but scratch memory.
fn guarded(cpu: &mut (dyn Backend + Send), positions: &[PackedPosition]) -> Result<Vec<i32>, BackendError> {
    let mut values = vec![0; positions.len()];
    catch_unwind(AssertUnwindSafe(|| cpu.evaluate_raw(positions, &mut values))).unwrap_or_else(|_| {
        Err(BackendError::Device(
            "cpu kernel panicked: malformed position".to_owned(),
        ))
    })?;
    Ok(values)
}

/// Deals the values out.
fn answer(shared: &Shared, lane: LaneKind, batch: &Batch, mut values: Vec<i32>, stood_in: bool) {
    shared.counters.count_batch(lane, values.len());
    for value in &mut values {
        *value = shared.scale.to_centipawns(*value);
    }
    let mut from = 0;
    for part in &batch.parts {
        let share = &values[from..][..part.count];
        deliver(|| part.pending.fill(part.first, share, values.len(), stood_in));
        from += part.count;
    }
}

/// Runs a caller's sink; its panic is its own affair.
fn deliver(reply: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(reply)).is_err() {
        tracing::error!("a receiver of evaluations panicked");
    }
}
