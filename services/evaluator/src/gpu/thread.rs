//! The one thread that talks to the graphics library.

use std::{
    any::Any,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, TryRecvError},
    },
    time::Duration,
};

use tabiya_eval_shaders::PackedPosition;

use super::{
    AdapterKind, AdapterReport, GpuError, GpuOptions, HARDWARE_TIMEOUT, SOFTWARE_TIMEOUT,
    engine::{Engine, Flight, SLOTS},
    fault::FaultCell,
    warm_up,
};
use crate::network::Network;

/// A batch for the device and where its sums go.
pub(super) struct Job {
    pub(super) positions: Arc<[PackedPosition]>,
    pub(super) reply: SyncSender<Result<Vec<i32>, GpuError>>,
}

/// What the thread is asked for.
pub(super) enum Command {
    /// Evaluate.
    Batch(Job),
    /// Lose the device.
    #[cfg(any(test, feature = "faults"))]
    DestroyDevice,
}

/// What the thread says when it is ready.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) adapter: AdapterReport,
    pub(super) batch_timeout: Duration,
}

/// A job whose batch is on the device; `flight` is empty while the batch is being started or finished.
struct InFlight {
    flight: Option<(usize, Flight)>,
    reply: SyncSender<Result<Vec<i32>, GpuError>>,
}

/// Serves until the commands end or the device fails; then every job gets an answer.
pub(super) fn run(
    network: &Network,
    options: &GpuOptions,
    commands: &Receiver<Command>,
    ready: &SyncSender<Result<Ready, GpuError>>,
    fault: &FaultCell,
) {
    let mut flights = VecDeque::with_capacity(SLOTS);
    // Poll panics when the driver reports a lost device; other calls may too.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let (mut engine, report) = Engine::open(network, options)?;
        let batch_timeout = options.batch_timeout.unwrap_or(match report.kind {
            AdapterKind::Software => SOFTWARE_TIMEOUT,
            _ => HARDWARE_TIMEOUT,
        });
        warm_up::check(&mut engine, network, options)?;
        // A receiver that gave up has dropped the commands too: the loop ends at once.
        let _ = ready.try_send(Ok(Ready {
            adapter: report,
            batch_timeout,
        }));
        let outcome = serve(&mut engine, commands, &mut flights, batch_timeout);
        if let Err(error) = &outcome {
            // Before the engine drops, which may wait for the device.
            fail(&mut flights, commands, fault, error);
        }
        outcome
    }));
    let error = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(payload) => GpuError::Panicked(panic_text(&*payload)),
    };
    let _ = ready.try_send(Err(error.clone()));
    fail(&mut flights, commands, fault, &error);
}

/// Answers every waiting job with the error; the fault is set first, for those that come later.
fn fail(flights: &mut VecDeque<InFlight>, commands: &Receiver<Command>, fault: &FaultCell, error: &GpuError) {
    fault.set(error.clone());
    for flight in flights.drain(..) {
        let _ = flight.reply.try_send(Err(error.clone()));
    }
    for command in commands.try_iter() {
        match command {
            Command::Batch(job) => {
                let _ = job.reply.try_send(Err(error.clone()));
            }
            #[cfg(any(test, feature = "faults"))]
            Command::DestroyDevice => {}
        }
    }
}

/// Keeps up to [`SLOTS`] batches in flight and answers them in order.
fn serve(
    engine: &mut Engine,
    commands: &Receiver<Command>,
    flights: &mut VecDeque<InFlight>,
    timeout: Duration,
) -> Result<(), GpuError> {
    let mut free: Vec<usize> = (0..SLOTS).collect();
    loop {
        while let Some(&slot) = free.last() {
            let command = if flights.is_empty() {
                match commands.recv() {
                    Ok(command) => command,
                    Err(_) => return Ok(()),
                }
            } else {
                match commands.try_recv() {
                    Ok(command) => command,
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
            };
            match command {
                Command::Batch(job) => {
                    // In the queue before the driver is called: a panic in there must not lose the reply.
                    flights.push_back(InFlight {
                        flight: None,
                        reply: job.reply,
                    });
                    let flight = engine.submit(slot, &job.positions)?;
                    free.pop();
                    if let Some(last) = flights.back_mut() {
                        last.flight = Some((slot, flight));
                    }
                }
                #[cfg(any(test, feature = "faults"))]
                Command::DestroyDevice => engine.destroy_device(),
            }
        }
        let Some((slot, flight)) = flights.front_mut().and_then(|first| first.flight.take()) else {
            continue;
        };
        let values = engine.finish(flight, timeout)?;
        free.push(slot);
        if let Some(first) = flights.pop_front() {
            // A caller that left is no fault.
            let _ = first.reply.try_send(Ok(values));
        }
    }
}

/// The words of a panic.
pub(super) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.chars().take(300).collect()
}
