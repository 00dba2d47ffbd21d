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
use tabiya_search::{
    Limits,
    fiber::{FiberScheduler, STACK_BYTES, Supply, Task},
};
use tokio::sync::{Semaphore, oneshot};

use super::{Batches, Networks, SEARCHER_BYTES, Served, Sought, leaf::BatchCount};
use crate::{ServerError, compute::Class, config::GREATEST_SEARCH, metrics::Metrics};
use leaves::{DeviceLeaves, network_of};
use queue::{Order, Queue};

/// Searches by one network of one thread at a time: enough to cover the way to a device and back.
const FIBERS: usize = 256;

/// Groups of them: one searches while the others' leaves are with the device.
const GROUPS: usize = 2;

/// Bytes of the tables of one thread's searches from which on no more is begun.
const TABLES: usize = 1 << 30;

/// What a thread of fibers may take: tables of running searches and the last one's, tables that are kept for the next, and what
/// a search has besides. All networks share the tables.
pub(crate) const fn fibers_bytes(networks: usize) -> usize {
    2 * TABLES + GREATEST_SEARCH + networks * FIBERS * (SEARCHER_BYTES + STACK_BYTES)
}

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
    /// Place of the network.
    network: usize,
    /// The thread's batches of this network when the search began.
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
        networks: &Networks,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ServerError> {
        let batches = networks.iter().map(|served| served.batches.clone());
        Self::start_with(threads, capacity, batches.collect(), metrics)
    }

    fn start_with(
        threads: usize,
        capacity: usize,
        batches: Arc<[Batches]>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ServerError> {
        let fibers = Self {
            queue: Arc::new(Queue::new(batches.len(), metrics)),
            places: Arc::new(Semaphore::new(capacity)),
            capacity,
        };
        for index in 0..threads {
            let (queue, batches, metrics) = (fibers.queue.clone(), batches.clone(), metrics.clone());
            let spawned = thread::Builder::new()
                .name(format!("tabiya-fibers-{index}"))
                .spawn(move || {
                    Class::Bulk.enter();
                    run(&queue, &batches, &metrics);
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
        network: &Served,
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
            network: network.place,
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
fn run(queue: &Queue, batches: &[Batches], metrics: &Metrics) {
    let work = metrics.class(Class::Bulk);
    let networks = batches.len();
    let scheduler = FiberScheduler::<Claim>::new(networks * FIBERS, networks * GROUPS);
    let mut scheduler = scheduler.with_table_limit(TABLES);
    loop {
        let mut first = match queue.take_any() {
            Some(order) => Some(order),
            None => return,
        };
        let counts = vec![Cell::new(BatchCount::default()); networks];
        let mut leaves = DeviceLeaves::new(batches, &counts);
        let mut source = |group: usize, idle: bool| {
            let network = network_of(group, networks);
            let order = match first.take_if(|first| first.network == network) {
                Some(first) => Some(first),
                None => queue.take_of(network),
            };
            match order {
                Some(order) => {
                    let task = task(order, counts[network].get());
                    work.queue.observe(task.ticket.queue_time);
                    Supply::Task(Box::new(task))
                }
                // Others still search, or will: what comes meanwhile must not wait until all of them have ended.
                None if !idle || first.is_some() => Supply::NothingNow,
                // Rather than to block here, go back to where the thread waits for the next search.
                None => Supply::Closed,
            }
        };
        let mut finish = |claim: Claim, result: Option<tabiya_search::SearchResult>| {
            let fetched = match result {
                Some(result) => {
                    work.compute.observe(result.elapsed);
                    Ok(Fetched {
                        sought: Sought {
                            result,
                            mean_batch: counts[claim.network].get().since(claim.before).mean(),
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
            network: order.network,
            before,
        },
        game: order.game,
        limits: order.limits,
        options: order.options,
        stop: order.stop,
    }
}
