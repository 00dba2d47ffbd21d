//! Bulk searches on a device: some hundred searches a thread, suspended at each leaf, whose leaves share batches.

mod leaves;
mod queue;
#[cfg(test)]
mod tests;

use std::{
    cell::Cell,
    fmt,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use tabiya_api::{convert::SearchQuestion, error::ServiceError};
use tabiya_evaluator::batch::BatchEvaluator;
use tabiya_search::{
    Limits,
    fiber::{FiberScheduler, STACK_BYTES, Supply, Task},
};
use tokio::sync::{Semaphore, oneshot};

use super::{SEARCHER_BYTES, Sought, leaf::BatchCount};
use crate::{ServerError, compute::Class, config::GREATEST_SEARCH, metrics::Metrics};
use leaves::DeviceLeaves;
use queue::{Order, Queue};

/// Searches of one thread at a time: enough to cover the way to a device and back.
const FIBERS: usize = 256;

/// Groups of them: one searches while the others' leaves are with the device.
const GROUPS: usize = 2;

/// Bytes of the tables of one thread's searches from which on no more is begun.
const TABLES: usize = 1 << 30;

/// What a thread of fibers may take: tables of running searches and the last one's, tables that are kept for the next, and what
/// a search has besides.
pub(crate) const FIBERS_BYTES: usize = 2 * TABLES + GREATEST_SEARCH + FIBERS * (SEARCHER_BYTES + STACK_BYTES);

/// The threads that run fibers.
#[derive(Clone)]
pub(crate) struct Fibers {
    queue: Arc<Queue>,
    /// One permit a position that may wait.
    places: Arc<Semaphore>,
    capacity: usize,
}

/// What comes back with a search's answer.
struct Claim {
    reply: oneshot::Sender<Result<Fetched, ServiceError>>,
    queue_time: Duration,
    /// The thread's batches when the search began.
    before: BatchCount,
}

/// An answer and what it took.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) sought: Sought,
    /// Time between submission and the start of the search.
    pub(crate) queue_time: Duration,
}

impl fmt::Debug for Fibers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fibers").finish_non_exhaustive()
    }
}

impl Fibers {
    /// Starts `threads` threads with room for `capacity` waiting searches.
    ///
    /// # Errors
    /// [`ServerError::Thread`] if the system refuses a thread.
    pub(super) fn start(
        threads: usize,
        capacity: usize,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ServerError> {
        let fibers = Self {
            queue: Arc::new(Queue::new(metrics)),
            places: Arc::new(Semaphore::new(capacity)),
            capacity,
        };
        for index in 0..threads {
            let (queue, metrics) = (fibers.queue.clone(), metrics.clone());
            let spawned = thread::Builder::new()
                .name(format!("tabiya-fibers-{index}"))
                .spawn(move || {
                    Class::Bulk.enter();
                    run(&queue, &metrics);
                });
            if let Err(source) = spawned {
                fibers.close();
                return Err(ServerError::Thread {
                    what: "a thread for fibers",
                    source,
                });
            }
        }
        Ok(fibers)
    }

    /// Searches once there is room. `stop` ends the search at its next leaf.
    ///
    /// # Errors
    /// INTERNAL if leaves were not evaluated; UNAVAILABLE when the server ends.
    pub(crate) async fn search(
        &self,
        batches: Arc<BatchEvaluator>,
        question: &SearchQuestion,
        limits: Limits,
        stop: Arc<AtomicBool>,
    ) -> Result<Fetched, ServiceError> {
        let place = self
            .places
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| ServiceError::ShuttingDown)?;
        let (reply, receiver) = oneshot::channel();
        self.queue.push(Order {
            batches,
            game: question.position.game.clone(),
            limits,
            options: question.options.clone(),
            stop,
            reply,
            submitted: Instant::now(),
            place,
        });
        receiver.await.unwrap_or(Err(ServiceError::ShuttingDown))
    }

    /// Searches that wait for a thread.
    pub(crate) fn waiting(&self) -> usize {
        self.capacity - self.places.available_permits()
    }

    /// Lets the threads end after what they are doing; searches that wait are dropped.
    pub(crate) fn close(&self) {
        self.queue.close();
    }
}

/// A thread's work, until the queue is closed. A device that fails ends the searches under way, not the thread.
fn run(queue: &Queue, metrics: &Metrics) {
    let work = metrics.class(Class::Bulk);
    let mut scheduler = FiberScheduler::<Claim>::new(FIBERS, GROUPS).with_table_limit(TABLES);
    loop {
        // The first search brings the evaluator along; all of a server's searches have the same one.
        let Some(mut first) = queue.take(true).map(Some) else {
            return;
        };
        let Some(batches) = first.as_ref().map(|order| order.batches.clone()) else {
            return;
        };
        let count = Cell::new(BatchCount::default());
        let mut leaves = DeviceLeaves::new(batches, &count);
        let mut source = |idle: bool| match first.take().or_else(|| queue.take(false)) {
            Some(order) => {
                let task = task(order, count.get());
                work.queue.observe(task.ticket.queue_time);
                Supply::Task(Box::new(task))
            }
            // Others still search: what comes meanwhile must not wait until all of them have ended.
            None if !idle => Supply::NothingNow,
            // Rather than to block here, go back to where the thread waits for the next search.
            None => Supply::Closed,
        };
        let mut finish = |claim: Claim, result: Option<tabiya_search::SearchResult>| {
            let fetched = match result {
                Some(result) => {
                    work.compute.observe(result.elapsed);
                    Ok(Fetched {
                        sought: Sought {
                            result,
                            mean_batch: count.get().since(claim.before).mean(),
                        },
                        queue_time: claim.queue_time,
                    })
                }
                None => Err(ServiceError::Internal("leaves were not evaluated".into())),
            };
            // The caller may have gone.
            if claim.reply.send(fetched).is_err() {
                work.abandoned.computing.inc();
            }
        };
        if let Err(error) = scheduler.run(&mut source, &mut leaves, &mut finish) {
            tracing::error!(%error, "fibers stopped");
        }
    }
}

fn task(order: Order, before: BatchCount) -> Task<Claim> {
    let queue_time = order.submitted.elapsed();
    drop(order.place);
    Task {
        ticket: Claim {
            reply: order.reply,
            queue_time,
            before,
        },
        game: order.game,
        limits: order.limits,
        options: order.options,
        stop: order.stop,
    }
}
