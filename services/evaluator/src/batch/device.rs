//! A backend that may fail, behind a thread of its own.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender, SyncSender},
    },
    time::Duration,
};

use tabiya_eval_shaders::PackedPosition;

use crate::backend::{Backend, BackendError, BackendInfo};

/// A backend that may fail. It never blocks a caller for longer than its time-out.
pub trait Device: Send + Sync {
    /// What and where it runs.
    fn info(&self) -> &BackendInfo;

    /// Most positions in a batch.
    fn max_batch(&self) -> usize;

    /// The network's integer output for each position, before scaling. After an error the device is broken.
    ///
    /// # Errors
    /// What the device reports, or that it gave no answer in time.
    fn evaluate_raw(&self, positions: &Arc<[PackedPosition]>) -> Result<Vec<i32>, BackendError>;
}

/// Opens the device, at the start and again after failures.
pub type DeviceFactory = Box<dyn FnMut() -> Result<Arc<dyn Device>, String> + Send>;

#[cfg(feature = "gpu")]
impl Device for crate::gpu::GpuDevice {
    fn info(&self) -> &BackendInfo {
        self.info()
    }

    fn max_batch(&self) -> usize {
        self.max_batch()
    }

    fn evaluate_raw(&self, positions: &Arc<[PackedPosition]>) -> Result<Vec<i32>, BackendError> {
        Ok(self.evaluate_raw(positions)?)
    }
}

struct Job {
    positions: Arc<[PackedPosition]>,
    reply: SyncSender<Result<Vec<i32>, BackendError>>,
}

/// Any [`Backend`] as a device: it works on a thread of its own, so that a call which hangs or panics in there
/// comes back as an error here.
pub struct DeviceThread {
    jobs: Sender<Job>,
    info: BackendInfo,
    max_batch: usize,
    timeout: Duration,
}

impl DeviceThread {
    /// Moves `backend` to a new thread. The thread ends when the device is dropped and its last call returns;
    /// one whose call never returns is left behind.
    ///
    /// # Errors
    /// [`BackendError::Device`] if the operating system gives no thread.
    pub fn start(
        mut backend: Box<dyn Backend + Send>,
        max_batch: usize,
        timeout: Duration,
    ) -> Result<Self, BackendError> {
        let info = backend.info().clone();
        let (jobs, queue) = mpsc::channel::<Job>();
        std::thread::Builder::new()
            .name(format!("tabiya-{}", info.name))
            .spawn(move || {
                for job in queue {
                    let mut values = vec![0; job.positions.len()];
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        backend.evaluate_raw(&job.positions, &mut values)
                    }))
                    .unwrap_or_else(|_| Err(BackendError::DeviceLost("backend panicked".to_owned())));
                    // A caller that timed out is gone.
                    let _ = job.reply.try_send(outcome.map(|()| values));
                }
            })
            .map_err(|error| BackendError::Device(format!("no thread: {error}")))?;
        Ok(Self {
            jobs,
            info,
            max_batch: max_batch.max(1),
            timeout,
        })
    }
}

impl Device for DeviceThread {
    fn info(&self) -> &BackendInfo {
        &self.info
    }

    fn max_batch(&self) -> usize {
        self.max_batch
    }

    fn evaluate_raw(&self, positions: &Arc<[PackedPosition]>) -> Result<Vec<i32>, BackendError> {
        let (reply, answer) = mpsc::sync_channel(1);
        let gone = || BackendError::DeviceLost("its thread has ended".to_owned());
        self.jobs
            .send(Job {
                positions: Arc::clone(positions),
                reply,
            })
            .map_err(|_| gone())?;
        match answer.recv_timeout(self.timeout) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => Err(BackendError::Timeout(self.timeout)),
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }
}
