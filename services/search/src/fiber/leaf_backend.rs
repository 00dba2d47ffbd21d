//! Where the leaves of fibers go.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use tabiya_evaluator::{Backend, BackendError, PackedPosition};

/// Evaluates one batch for each group of fibers at a time.
pub trait LeafBackend {
    /// Takes a group's batch. The group has no other batch outstanding.
    ///
    /// # Errors
    /// What the backend reports; an implementation may also report it when the values are collected.
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError>;

    /// Waits for the values of the group's batch, centipawns from the side to move, and writes them into `values`, which
    /// has the batch's length.
    ///
    /// # Errors
    /// What the backend reports.
    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError>;
}

/// Evaluates on the fibers' own thread, when a batch is submitted.
pub struct InPlace<B> {
    backend: B,
    values: Vec<Vec<i32>>,
}

impl<B: Backend> InPlace<B> {
    /// A front of a backend.
    pub fn new(backend: B) -> Self {
        Self {
            backend,
            values: Vec::new(),
        }
    }
}

impl<B: Backend> LeafBackend for InPlace<B> {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        if self.values.len() <= group {
            self.values.resize_with(group + 1, Vec::new);
        }
        let values = &mut self.values[group];
        values.clear();
        values.resize(positions.len(), 0);
        self.backend.evaluate(positions, values)
    }

    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError> {
        copy_values(self.values.get(group).map_or(&[], Vec::as_slice), values)
    }
}

/// Evaluates on threads of its own, one for each group, so that a group's round trip passes while others search.
pub struct OffThread {
    workers: Vec<Worker>,
}

struct Worker {
    /// Buffers travel to the worker and back, so that none is allocated for each batch.
    requests: Option<Sender<Batch>>,
    answers: Receiver<(Batch, Result<(), BackendError>)>,
    spare: Option<Batch>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Batch {
    positions: Vec<PackedPosition>,
    values: Vec<i32>,
}

impl OffThread {
    /// One thread for each backend; group `n` goes to backend `n` modulo their number.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new<B: Backend + Send + 'static>(backends: Vec<B>) -> std::io::Result<Self> {
        let workers = backends
            .into_iter()
            .map(Worker::start)
            .collect::<std::io::Result<_>>()?;
        Ok(Self { workers })
    }
}

impl Worker {
    fn start<B: Backend + Send + 'static>(mut backend: B) -> std::io::Result<Self> {
        let (requests, inbox) = channel::<Batch>();
        let (outbox, answers) = channel();
        let thread = thread::Builder::new().name("leaves".to_owned()).spawn(move || {
            for mut batch in inbox {
                batch.values.clear();
                batch.values.resize(batch.positions.len(), 0);
                let outcome = backend.evaluate(&batch.positions, &mut batch.values);
                if outbox.send((batch, outcome)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self {
            requests: Some(requests),
            answers,
            spare: Some(Batch::default()),
            thread: Some(thread),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker ends when nobody can send any more.
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl LeafBackend for OffThread {
    fn submit(&mut self, group: usize, positions: &[PackedPosition]) -> Result<(), BackendError> {
        let count = self.workers.len().max(1);
        let worker = self.workers.get_mut(group % count).ok_or_else(gone)?;
        let mut batch = worker.spare.take().unwrap_or_default();
        batch.positions.clear();
        batch.positions.extend_from_slice(positions);
        worker
            .requests
            .as_ref()
            .and_then(|requests| requests.send(batch).ok())
            .ok_or_else(gone)
    }

    fn collect(&mut self, group: usize, values: &mut [i32]) -> Result<(), BackendError> {
        let count = self.workers.len().max(1);
        let worker = self.workers.get_mut(group % count).ok_or_else(gone)?;
        let (batch, outcome) = worker.answers.recv().map_err(|_| gone())?;
        let copied = copy_values(&batch.values, values);
        worker.spare = Some(batch);
        outcome.and(copied)
    }
}

fn copy_values(from: &[i32], to: &mut [i32]) -> Result<(), BackendError> {
    if from.len() != to.len() {
        return Err(BackendError::Length {
            positions: from.len(),
            values: to.len(),
        });
    }
    to.copy_from_slice(from);
    Ok(())
}

/// The worker's thread is no more, which only a panic in the backend explains.
fn gone() -> BackendError {
    BackendError::Device("the thread that evaluates leaves has ended".to_owned())
}
