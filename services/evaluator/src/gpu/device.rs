//! The handle of the GPU thread.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::Duration,
};

use tabiya_eval_shaders::PackedPosition;

use super::{
    AdapterKind, AdapterReport, GpuError, GpuOptions,
    engine::SLOTS,
    fault::FaultCell,
    options::MAX_BATCH,
    thread::{self, Command, Job},
};
use crate::{
    backend::{BackendInfo, BackendKind},
    network::Network,
};

/// An open GPU with one network, on a thread of its own. Several threads may ask it at once: up to three
/// batches are in flight.
///
/// After an error it stays broken; open another. Dropping it ends the thread and waits for that.
pub struct GpuDevice {
    commands: Option<Sender<Command>>,
    thread: Option<JoinHandle<()>>,
    // A receiver is not `Sync`, hence the lock; only `drop` looks at it.
    ended: Mutex<Receiver<()>>,
    fault: FaultCell,
    info: BackendInfo,
    adapter: AdapterReport,
    network: Arc<Network>,
    max_batch: usize,
    batch_timeout: Duration,
}

impl GpuDevice {
    /// Opens the best allowed adapter, sets up the kernel and checks it against the scalar reference.
    ///
    /// # Errors
    /// Any [`GpuError`]: the reason why there is no working GPU.
    pub fn open(network: &Arc<Network>, options: &GpuOptions) -> Result<Self, GpuError> {
        let options = GpuOptions {
            max_batch: options.max_batch.clamp(1, MAX_BATCH),
            ..options.clone()
        };
        let (commands, receiver) = mpsc::channel();
        let (ready, is_ready) = mpsc::sync_channel(1);
        let (end, ended) = mpsc::sync_channel(1);
        let fault = FaultCell::default();
        let thread = {
            let (network, options, fault) = (Arc::clone(network), options.clone(), fault.clone());
            std::thread::Builder::new()
                .name("tabiya-gpu".to_owned())
                .spawn(move || {
                    thread::run(&network, &options, &receiver, &ready, &fault);
                    let _ = end.try_send(());
                })
        }
        .map_err(|error| GpuError::NoThread(error.to_string()))?;
        let ready = match is_ready.recv_timeout(options.open_timeout) {
            Ok(outcome) => outcome?,
            // The thread is left to itself: joining it could hang as its driver does.
            Err(RecvTimeoutError::Timeout) => return Err(GpuError::Timeout(options.open_timeout)),
            Err(RecvTimeoutError::Disconnected) => return Err(cause(&fault)),
        };
        let kind = match ready.adapter.kind {
            AdapterKind::Software => BackendKind::SoftwareGpu,
            _ => BackendKind::Gpu,
        };
        Ok(Self {
            commands: Some(commands),
            thread: Some(thread),
            ended: Mutex::new(ended),
            fault,
            info: BackendInfo {
                name: "gpu".to_owned(),
                kind,
                device: ready.adapter.name.clone(),
                driver: format!("{} {}", ready.adapter.interface, ready.adapter.driver)
                    .trim()
                    .to_owned(),
            },
            adapter: ready.adapter,
            network: Arc::clone(network),
            max_batch: options.max_batch,
            batch_timeout: ready.batch_timeout,
        })
    }

    /// What it is.
    pub fn info(&self) -> &BackendInfo {
        &self.info
    }

    /// The adapter that was chosen.
    pub fn adapter(&self) -> &AdapterReport {
        &self.adapter
    }

    /// The network that answers.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Most positions in a batch.
    pub fn max_batch(&self) -> usize {
        self.max_batch
    }

    /// The network's integer output, before scaling, for each position of a batch of any size.
    ///
    /// # Errors
    /// [`GpuError::Timeout`], [`GpuError::Lost`], [`GpuError::Driver`] or [`GpuError::Panicked`].
    pub fn evaluate_raw(&self, positions: &Arc<[PackedPosition]>) -> Result<Vec<i32>, GpuError> {
        if positions.len() <= self.max_batch {
            return if positions.is_empty() {
                Ok(vec![])
            } else {
                self.wait(&self.send(positions)?)
            };
        }
        let parts: Vec<_> = positions
            .chunks(self.max_batch)
            .map(|part| self.send(&part.into()))
            .collect::<Result<_, _>>()?;
        let mut values = Vec::with_capacity(positions.len());
        for part in parts {
            values.extend(self.wait(&part)?);
        }
        Ok(values)
    }

    /// Loses the device, as a driver reset does.
    #[cfg(any(test, feature = "faults"))]
    pub fn destroy_device(&self) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(Command::DestroyDevice);
        }
    }

    fn send(
        &self,
        positions: &Arc<[PackedPosition]>,
    ) -> Result<Receiver<Result<Vec<i32>, GpuError>>, GpuError> {
        let (reply, receiver) = mpsc::sync_channel(1);
        let job = Job {
            positions: Arc::clone(positions),
            reply,
        };
        let sent = self
            .commands
            .as_ref()
            .map(|commands| commands.send(Command::Batch(job)));
        match sent {
            Some(Ok(())) => Ok(receiver),
            _ => Err(cause(&self.fault)),
        }
    }

    /// Longer than a full ring takes.
    fn ring_time(&self) -> Duration {
        self.batch_timeout * (SLOTS as u32 + 1)
    }

    fn wait(&self, reply: &Receiver<Result<Vec<i32>, GpuError>>) -> Result<Vec<i32>, GpuError> {
        // The ring may hold other batches, each with its own time, and the thread's time-out must have its chance
        // first. This one catches a driver call that never returns.
        let limit = self.ring_time();
        match reply.recv_timeout(limit) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => Err(GpuError::Timeout(limit)),
            Err(RecvTimeoutError::Disconnected) => Err(cause(&self.fault)),
        }
    }
}

/// Why the thread ended.
fn cause(fault: &FaultCell) -> GpuError {
    fault
        .get()
        .unwrap_or_else(|| GpuError::Lost("gpu thread has ended".to_owned()))
}

impl Drop for GpuDevice {
    fn drop(&mut self) {
        drop(self.commands.take());
        let Some(thread) = self.thread.take() else { return };
        // Device and instance must be gone before `main` returns (drivers have crashed otherwise), but a driver
        // that hangs must not hang the program.
        let limit = self.ring_time() + Duration::from_secs(2);
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(limit) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                let _ = thread.join();
            }
            Err(RecvTimeoutError::Timeout) => {
                tracing::warn!(
                    device = self.info.device,
                    "gpu thread does not end, it is left behind"
                );
            }
        }
    }
}

impl std::fmt::Debug for GpuDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuDevice")
            .field("info", &self.info)
            .field("max_batch", &self.max_batch)
            .finish()
    }
}
