use std::time::Duration;

use crate::{Fault, Job, JobId, Past, Pins, Span};

/// Items of a job that are handed to one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The job.
    pub job_id: JobId,
    /// The items.
    pub span: Span,
    /// What became of the tries before.
    pub past: Past,
}

impl Task {
    /// Which try this is, from 1. Only tries that failed with a word count: not those that were handed back
    /// ([`Lease::hand_back`]), nor those that ended with their process.
    pub fn tries(&self) -> u32 {
        self.past.failures.saturating_add(1)
    }
}

/// Who asks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInfo {
    /// Its name, unique among all workers.
    pub name: String,
    /// What its answers come from, for each network that it has: only tasks of jobs with any of these pins are good to it.
    pub pins: Vec<Pins>,
    /// Whether it has a GPU, for jobs that ask for one.
    pub has_gpu: bool,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Tasks that nobody holds.
    pub waiting: u64,
    /// Tasks under a lease.
    pub leased: u64,
}

/// How much a queue takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Tasks that it holds at most.
    pub in_all: u64,
    /// Tasks that there is room for now.
    pub free: u64,
    /// When there will be room for the job that was asked about.
    pub retry_after: Duration,
}

/// Somebody else may hold the task now: whatever is still unwritten is theirs to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lease was lost")]
pub struct LeaseLost;

/// Says who works at what. It is never trusted with the question of what is done: that is the store's.
///
/// A queue may deliver a task twice and may lose one: results are written once whatever it delivers, and
/// [`WorkQueue::ensure`] is called again from time to time with what has no result.
#[async_trait::async_trait]
pub trait WorkQueue: Send + Sync + 'static {
    /// How much room there is, for one who thinks of putting a job in; `None` if there is always enough.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    async fn room(&self, job: &Job) -> Result<Option<Room>, Fault>;

    /// Makes sure that every item of `spans` will be handed to a worker. Called when a job is submitted, when a process
    /// starts, and from time to time with what still has no result. What is in the queue or under a lease already
    /// need not be put in again; spans may lie across tasks that are.
    ///
    /// # Errors
    /// [`Fault::Full`] if there is no room, other faults if the queue cannot be reached. Some of the spans may be in the
    /// queue then.
    async fn ensure(&self, job: &Job, spans: &[Span]) -> Result<(), Fault>;

    /// Waits for a task of a job with any of the worker's pins and takes it under a lease. Dropping the future takes none.
    ///
    /// # Errors
    /// If the queue cannot be reached; the caller asks again after a pause.
    async fn lease(&self, worker: &WorkerInfo) -> Result<Box<dyn Lease>, Fault>;

    /// Takes all tasks of a job off, because it was cancelled or is complete. Leases on them are lost or end quietly.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    async fn forget(&self, job: &JobId) -> Result<(), Fault>;

    /// Why nothing of a running job is being computed at the moment, for people to read; `None` if something is.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    async fn why_waiting(&self, job: &Job) -> Result<Option<String>, Fault>;

    /// How much there is to do.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    async fn depth(&self) -> Result<Depth, Fault>;
}

/// A task that one worker holds. A lease that is dropped, or not renewed in time, runs out, and the task is handed out
/// again as a suspect ([`Past::suspect`]).
#[async_trait::async_trait]
pub trait Lease: Send {
    /// What is held.
    fn task(&self) -> &Task;

    /// How long the lease holds without being renewed. Renew it a few times in that span.
    fn period(&self) -> Duration;

    /// Holds on to the task. The worker's loop calls it only while there is progress.
    ///
    /// # Errors
    /// [`LeaseLost`] if the task is somebody else's by now, was forgotten, or cannot be held any more.
    async fn renew(&mut self) -> Result<(), LeaseLost>;

    /// Puts on record that the task is begun with nothing else at work in the process, and tells how often that was so
    /// before and the process ended. Asked of suspects, before the try.
    ///
    /// # Errors
    /// If it could not be put on record: then it must not be begun.
    async fn begin_alone(&mut self) -> Result<u32, Fault>;

    /// The task is done: every item of it has a result.
    ///
    /// # Errors
    /// If the queue could not be told; the task may be delivered again.
    async fn done(self: Box<Self>) -> Result<(), Fault>;

    /// It failed: somebody may try again after a pause.
    ///
    /// # Errors
    /// If the queue could not be told; the lease then runs out.
    async fn retry(self: Box<Self>, pause: Duration) -> Result<(), Fault>;

    /// It was not begun, or broken off through no fault of its own (a worker that shuts down, an engine that is away or
    /// has other pins). The try does not count.
    ///
    /// # Errors
    /// If the queue could not be told; the lease then runs out.
    async fn hand_back(self: Box<Self>, pause: Duration) -> Result<(), Fault>;

    /// Replaces the task by several smaller ones, with no try behind them; parts of a suspect are suspects. If the worker dies midway, the task may be
    /// there beside some of the smaller ones.
    ///
    /// # Errors
    /// If the queue could not be told; the lease then runs out.
    async fn split(self: Box<Self>, parts: &[Span]) -> Result<(), Fault>;
}
