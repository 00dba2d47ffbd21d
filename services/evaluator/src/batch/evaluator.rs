//! The evaluator that services and search share.

use std::{
    sync::{Arc, Mutex, PoisonError, RwLock, atomic::Ordering::Relaxed},
    thread::JoinHandle,
    time::Duration,
};

use tabiya_eval_shaders::PackedPosition;

use super::{
    BackendChoice, BackendStatus, BatchCounters, BatchError, BatchOptions, CalibrationTable, DeviceFactory,
    DeviceHealth, LaneKind, Reply, ReplySink, Ticket, calibration,
    counters::CounterCells,
    options::MAX_DELAY,
    queue::Queue,
    request::Pending,
    supervisor::DevicePlace,
    worker::{self, Shared},
};
use crate::{
    backend::{Backend, check_lengths},
    cpu::{CpuBatch, ReferenceBatch},
    kernel::{AnyKernel, Kernel, KernelVisitor, dispatch},
    network::Network,
};

/// Threads of the device's lane: batches that are formed, computed and dealt out at the same time.
const DEVICE_THREADS: usize = 3;

/// Evaluates positions from any number of threads, in batches; the module's text says how.
///
/// Dropping it answers what waits with [`BatchError::Closed`] and joins its threads.
pub struct BatchEvaluator {
    shared: Arc<Shared>,
    network: Arc<Network>,
    cpu_threads: usize,
    calibration: RwLock<Option<CalibrationTable>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// As long as this lives, positions wait and no batch is formed.
#[must_use = "batches go on as soon as the hold is dropped"]
pub struct Hold<'a>(&'a Queue);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl BatchEvaluator {
    /// Starts the evaluator, with a GPU if the options want one.
    ///
    /// # Errors
    /// [`BatchError::NoDevice`] if a GPU is insisted on and none works; [`BatchError::NoThread`].
    pub fn start(network: &Arc<Network>, options: &BatchOptions) -> Result<Self, BatchError> {
        let wanted = matches!(options.backend, BackendChoice::Auto | BackendChoice::Gpu);
        let open: DeviceFactory = if wanted {
            gpu_factory(network, options)
        } else {
            let reason = format!("the configuration asks for backend {}", options.backend);
            Box::new(move || Err(reason.clone()))
        };
        Self::start_with_device(network, options, open)
    }

    /// Starts the evaluator with a device of the caller's own in the GPU's place.
    ///
    /// # Errors
    /// As [`BatchEvaluator::start`].
    pub fn start_with_device(
        network: &Arc<Network>,
        options: &BatchOptions,
        mut open: DeviceFactory,
    ) -> Result<Self, BatchError> {
        let device = open();
        if let (Err(reason), BackendChoice::Gpu) = (&device, options.backend) {
            return Err(BatchError::NoDevice(reason.clone()));
        }
        let has_device = device.is_ok();
        let shared = Arc::new(Shared {
            queue: Queue::new(options.queue_positions, options.max_delay.min(MAX_DELAY)),
            counters: CounterCells::default(),
            place: DevicePlace::new(device, options.recovery.clone()),
            scale: network.scale(),
            cpu_batch: options.cpu_batch.max(1),
            device_batch: options.device_batch.max(1),
        });
        let evaluator = Self {
            shared,
            network: Arc::clone(network),
            cpu_threads: options.cpu_threads.max(1),
            calibration: RwLock::new(None),
            threads: Mutex::default(),
        };
        for index in 0..evaluator.cpu_threads {
            evaluator.spawn(LaneKind::Cpu, index)?;
        }
        evaluator.spawn(LaneKind::Scalar, 0)?;
        if has_device {
            for index in 0..DEVICE_THREADS {
                evaluator.spawn(LaneKind::Device, index)?;
            }
            let shared = Arc::clone(&evaluator.shared);
            evaluator.spawn_thread("tabiya-eval-supervisor".to_owned(), move || {
                shared.place.supervise(open, &shared.counters);
            })?;
        }
        Ok(evaluator)
    }

    fn spawn(&self, lane: LaneKind, index: usize) -> Result<(), BatchError> {
        let shared = Arc::clone(&self.shared);
        let cpu: Box<dyn Backend + Send> = match lane {
            LaneKind::Cpu | LaneKind::Device => cpu_backend(&self.network),
            LaneKind::Scalar => Box::new(ReferenceBatch::new(Arc::clone(&self.network))),
        };
        self.spawn_thread(format!("tabiya-eval-{}-{index}", lane.name()), move || {
            worker::work(&shared, lane, cpu);
        })
    }

    fn spawn_thread(&self, name: String, body: impl FnOnce() + Send + 'static) -> Result<(), BatchError> {
        let thread = std::thread::Builder::new().name(name).spawn(body);
        let thread = thread.map_err(|error| BatchError::NoThread(error.to_string()))?;
        self.threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        Ok(())
    }

    /// The network that answers.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The lane that serves a choice now, for work of this many positions. Work that consists of many requests
    /// and must not fail half-way asks once and then uses [`BatchEvaluator::submit_in`].
    ///
    /// # Errors
    /// [`BatchError::NoDevice`] if a GPU is asked for and none works.
    pub fn choose(&self, choice: BackendChoice, positions: usize) -> Result<LaneKind, BatchError> {
        match choice {
            BackendChoice::Cpu => Ok(LaneKind::Cpu),
            BackendChoice::Scalar => Ok(LaneKind::Scalar),
            BackendChoice::Gpu => match self.shared.place.health().reason() {
                None => Ok(LaneKind::Device),
                Some(reason) => Err(BatchError::NoDevice(reason)),
            },
            BackendChoice::Auto => {
                let from = self.calibrated(|table| table.device_from).flatten();
                let worth = from.is_some_and(|from| {
                    // Small requests ride along where others fill the batch.
                    positions + self.shared.queue.lane_waiting(LaneKind::Device) >= from
                });
                let healthy = self.shared.place.health() == DeviceHealth::Healthy;
                Ok(if worth && healthy {
                    LaneKind::Device
                } else {
                    LaneKind::Cpu
                })
            }
        }
    }

    /// Submits positions. The ticket waits for their values.
    ///
    /// # Errors
    /// [`BatchError::QueueFull`], [`BatchError::TooLarge`], [`BatchError::NoDevice`] or [`BatchError::Closed`].
    pub fn submit(
        &self,
        choice: BackendChoice,
        positions: Vec<PackedPosition>,
    ) -> Result<Ticket, BatchError> {
        self.submit_in(self.choose(choice, positions.len())?, positions)
    }

    /// Submits positions to a lane. In the device's lane the CPU stands in while the device does not work.
    ///
    /// # Errors
    /// As [`BatchEvaluator::submit`]; [`BatchError::NoDevice`] only if there never was a device.
    pub fn submit_in(&self, lane: LaneKind, positions: Vec<PackedPosition>) -> Result<Ticket, BatchError> {
        let (ticket, sink) = Ticket::new();
        self.enqueue(lane, positions, sink, Queue::push)?;
        Ok(ticket)
    }

    /// Submits positions to a lane once there is room for them.
    ///
    /// # Errors
    /// As [`BatchEvaluator::submit_in`], but for [`BatchError::QueueFull`].
    pub fn submit_when_free_in(
        &self,
        lane: LaneKind,
        positions: Vec<PackedPosition>,
    ) -> Result<Ticket, BatchError> {
        let (ticket, sink) = Ticket::new();
        self.enqueue(lane, positions, sink, Queue::push_when_free)?;
        Ok(ticket)
    }

    /// Submits positions whose values go to `sink`. After an error the sink gets nothing.
    ///
    /// # Errors
    /// As [`BatchEvaluator::submit`].
    pub fn submit_to(
        &self,
        choice: BackendChoice,
        positions: Vec<PackedPosition>,
        sink: Box<dyn ReplySink>,
    ) -> Result<(), BatchError> {
        self.enqueue(
            self.choose(choice, positions.len())?,
            positions,
            sink,
            Queue::push,
        )
    }

    /// Evaluates on the calling thread's behalf: waits for room in the queue and for the values.
    ///
    /// # Errors
    /// [`BatchError::Backend`] if the slices differ in length; else as [`BatchEvaluator::submit`], but for
    /// [`BatchError::QueueFull`].
    pub fn evaluate_blocking(
        &self,
        choice: BackendChoice,
        positions: &[PackedPosition],
        out: &mut [i32],
    ) -> Result<(), BatchError> {
        self.evaluate_blocking_in(self.choose(choice, positions.len())?, positions, out)
    }

    /// The same in a lane; see [`BatchEvaluator::submit_in`].
    ///
    /// # Errors
    /// As [`BatchEvaluator::evaluate_blocking`].
    pub fn evaluate_blocking_in(
        &self,
        lane: LaneKind,
        positions: &[PackedPosition],
        out: &mut [i32],
    ) -> Result<(), BatchError> {
        check_lengths(positions, out)?;
        let most = self.shared.queue.capacity();
        for (positions, out) in positions.chunks(most).zip(out.chunks_mut(most)) {
            let ticket = self.submit_when_free_in(lane, positions.to_vec())?;
            out.copy_from_slice(&ticket.wait()?.values);
        }
        Ok(())
    }

    fn enqueue(
        &self,
        lane: LaneKind,
        positions: Vec<PackedPosition>,
        sink: Box<dyn ReplySink>,
        push: impl FnOnce(&Queue, LaneKind, Vec<PackedPosition>, &Arc<Pending>) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        if let (LaneKind::Device, DeviceHealth::Absent(reason)) = (lane, self.shared.place.health()) {
            // Nobody serves that lane.
            return Err(BatchError::NoDevice(reason));
        }
        if positions.is_empty() {
            sink.deliver(Ok(Reply::empty(lane)));
            return Ok(());
        }
        let pending = Arc::new(Pending::new(positions.len(), lane, sink));
        push(&self.shared.queue, lane, positions, &pending).inspect_err(|error| {
            if matches!(error, BatchError::QueueFull { .. }) {
                self.shared.counters.refused.fetch_add(1, Relaxed);
            }
            pending.disarm();
        })
    }

    /// Measures the backends for about `budget` and lets [`BackendChoice::Auto`] choose by the result. To be
    /// called when nothing else runs.
    pub fn calibrate(&self, budget: Duration) -> CalibrationTable {
        let device = self.shared.place.device().ok_or_else(|| {
            self.shared
                .place
                .health()
                .reason()
                .unwrap_or_else(|| "device is being opened".to_owned())
        });
        let make = || cpu_backend(&self.network);
        let measured = device.clone();
        let (table, failure) =
            calibration::measure(&make, self.cpu_threads, measured, DEVICE_THREADS, budget);
        if let (Ok(device), Some(error)) = (device, failure) {
            self.shared.place.report(device, &error, &self.shared.counters);
        }
        tracing::info!(reason = table.reason, "backends calibrated");
        *self.calibration.write().unwrap_or_else(PoisonError::into_inner) = Some(table.clone());
        table
    }

    fn calibrated<T>(&self, read: impl FnOnce(&CalibrationTable) -> T) -> Option<T> {
        self.calibration
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(read)
    }

    /// What serves now, and why.
    pub fn status(&self) -> BackendStatus {
        let health = self.shared.place.health();
        let calibration = self.calibrated(CalibrationTable::clone);
        let (auto, auto_reason) = match (&calibration, health.reason()) {
            (_, Some(reason)) => (BackendChoice::Cpu, format!("cpu: no gpu, {reason}")),
            (None, None) => (BackendChoice::Cpu, "cpu: not calibrated yet".to_owned()),
            (Some(table), None) => {
                let auto = if table.device_from.is_some() {
                    BackendChoice::Gpu
                } else {
                    BackendChoice::Cpu
                };
                (auto, table.reason.clone())
            }
        };
        BackendStatus {
            cpu: cpu_backend(&self.network).info().clone(),
            cpu_threads: self.cpu_threads,
            scalar: ReferenceBatch::new(Arc::clone(&self.network)).info().clone(),
            device: self.shared.place.info(),
            device_health: health,
            auto,
            auto_reason,
            calibration,
        }
    }

    /// What was done so far.
    pub fn counters(&self) -> BatchCounters {
        self.shared.counters.read(self.shared.queue.waiting())
    }

    /// Keeps positions waiting until the hold is dropped, so that what is submitted meanwhile shares batches.
    pub fn hold(&self) -> Hold<'_> {
        self.shared.queue.hold();
        Hold(&self.shared.queue)
    }

    /// Ends all threads after what they are doing; what waits is answered with [`BatchError::Closed`].
    pub fn close(&self) {
        self.shared.queue.close();
        self.shared.place.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A sink may close the evaluator from one of its own threads.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

impl Drop for BatchEvaluator {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for BatchEvaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchEvaluator")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// The fastest kernel's backend.
fn cpu_backend(network: &Arc<Network>) -> Box<dyn Backend + Send> {
    struct Make<'a>(&'a Arc<Network>);
    impl KernelVisitor for Make<'_> {
        type Output = Box<dyn Backend + Send>;
        fn visit<K: Kernel>(self, kernel: K) -> Self::Output {
            Box::new(CpuBatch::new(kernel, Arc::clone(self.0)))
        }
    }
    dispatch(AnyKernel::best(), Make(network))
}

#[cfg(feature = "gpu")]
fn gpu_factory(network: &Arc<Network>, options: &BatchOptions) -> DeviceFactory {
    let (network, gpu) = (Arc::clone(network), options.gpu.clone());
    Box::new(move || {
        let device = crate::gpu::GpuDevice::open(&network, &gpu).map_err(|error| error.to_string())?;
        Ok(Arc::new(device) as Arc<dyn super::Device>)
    })
}

#[cfg(not(feature = "gpu"))]
fn gpu_factory(_network: &Arc<Network>, _options: &BatchOptions) -> DeviceFactory {
    Box::new(|| Err("this program was built without gpu support".to_owned()))
}
