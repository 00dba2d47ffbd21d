use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use tabiya_api::error::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{Class, DrainRate, Ticket, Timed, after::with_chores};
use crate::{
    ServerError,
    metrics::{ClassWork, Metrics, Shed},
};

/// Threads that take work from one queue. The queue is bounded, and counted in positions.
#[derive(Clone)]
pub(crate) struct Pool {
    pub(super) shared: Arc<Shared>,
    _owner: Arc<Owner>,
}

/// Lets the threads end when the last handle of the pool is gone.
struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

pub(super) struct Shared {
    state: Mutex<State>,
    work_or_end: Condvar,
    /// One permit a position that may wait.
    places: Arc<Semaphore>,
    capacity: usize,
    threads: usize,
    /// How fast positions leave the queue.
    rate: DrainRate,
    class: Class,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
pub(super) struct State {
    queue: VecDeque<Entry>,
    next_id: u64,
    closed: bool,
    /// Threads at work.
    running: usize,
    /// One for each thread that rests because another one computes in its place; set when it shall come back.
    pub(super) lent: Vec<Arc<AtomicBool>>,
}

struct Entry {
    id: u64,
    positions: usize,
    run: Box<dyn FnOnce() + Send>,
    /// Held while the work waits, not while it runs.
    place: OwnedSemaphorePermit,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("threads", &self.shared.threads)
            .field("waiting", &self.waiting())
            .finish()
    }
}

impl Pool {
    /// Starts `threads` threads with room for `capacity` waiting positions.
    ///
    /// # Errors
    /// [`ServerError::Thread`] if the system refuses a thread.
    pub(crate) fn start(
        name: &'static str,
        threads: usize,
        capacity: usize,
        class: Class,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ServerError> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            work_or_end: Condvar::new(),
            places: Arc::new(Semaphore::new(capacity)),
            capacity,
            threads,
            rate: DrainRate::default(),
            class,
            metrics: metrics.clone(),
        });
        let pool = Self {
            _owner: Arc::new(Owner(shared.clone())),
            shared,
        };
        for index in 0..threads {
            let shared = pool.shared.clone();
            let spawned = thread::Builder::new()
                .name(format!("{name}-{index}"))
                .spawn(move || {
                    class.enter();
                    shared.work();
                });
            if let Err(source) = spawned {
                return Err(ServerError::Thread { what: name, source });
            }
        }
        Ok(pool)
    }

    /// Queues work of so many positions, or refuses it when there is no room.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the queue is full; INVALID_ARGUMENT for what could never fit.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        positions: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Ticket<T>, ServiceError> {
        let permits = self.permits(positions)?;
        match self.shared.places.clone().try_acquire_many_owned(permits) {
            Ok(place) => Ok(self.enqueue(positions, place, work)),
            Err(_) => Err(self.overloaded(Shed::QueueFull)),
        }
    }

    /// Queues work of one position that nobody wants to wait for, or refuses it when there is no room, or when as much
    /// waits already as all threads do in so many rounds. In the measure of the work before it, a caller waits for
    /// no more than that, however fast or slow the machine is.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED.
    pub(crate) fn submit_within<T: Send + 'static>(
        &self,
        rounds: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Ticket<T>, ServiceError> {
        let most = self.shared.threads.saturating_mul(rounds.saturating_add(1));
        let state = self.shared.lock();
        // Threads that are lent come back at once.
        let ahead = state.running + state.queue.len();
        drop(state);
        if ahead >= most {
            return Err(self.overloaded(Shed::QueueFull));
        }
        self.submit(1, work)
    }

    /// Queues work once there is room for it: back-pressure for streams.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for what could never fit.
    pub(crate) async fn submit_when_free<T: Send + 'static>(
        &self,
        positions: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Ticket<T>, ServiceError> {
        let permits = self.permits(positions)?;
        match self.shared.places.clone().acquire_many_owned(permits).await {
            Ok(place) => Ok(self.enqueue(positions, place, work)),
            Err(_) => Err(ServiceError::ShuttingDown),
        }
    }

    /// How many threads it has.
    pub(crate) fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Positions that may wait at most.
    pub(crate) fn capacity(&self) -> usize {
        self.shared.capacity
    }

    /// How urgent its work is.
    pub(crate) fn class(&self) -> Class {
        self.shared.class
    }

    /// Whether work that is submitted now has a thread. One that is lent comes back at once.
    pub(crate) fn has_free(&self) -> bool {
        let state = self.shared.lock();
        state.running + state.queue.len() < self.shared.threads
    }

    /// Threads at work.
    pub(crate) fn busy(&self) -> usize {
        self.shared.lock().running
    }

    /// Positions that wait for a thread.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.capacity - self.shared.places.available_permits()
    }

    /// Lets the threads end after what they are doing; work that waits is dropped.
    pub(crate) fn close(&self) {
        self.shared.close();
    }

    fn permits(&self, positions: usize) -> Result<u32, ServiceError> {
        if positions > self.shared.capacity {
            let reason = format!("the queue holds {} positions in all", self.shared.capacity);
            return Err(ServiceError::invalid("positions", &positions.to_string(), reason));
        }
        Ok(positions as u32)
    }

    /// The refusal of work that there is no room or no time for.
    pub(crate) fn overloaded(&self, why: Shed) -> ServiceError {
        self.shared.counts().shed(why);
        let waiting = self.waiting();
        ServiceError::Overloaded {
            waiting,
            retry_after: self.shared.rate.time_for(waiting),
        }
    }

    fn enqueue<T: Send + 'static>(
        &self,
        positions: usize,
        place: OwnedSemaphorePermit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Ticket<T> {
        let (sender, receiver) = oneshot::channel();
        let submitted = Instant::now();
        let shared = self.shared.clone();
        let run = Box::new(move || {
            let begun = Instant::now();
            let queue_time = begun - submitted;
            shared.counts().queue.observe(queue_time);
            let running = Running(&shared);
            let value = work();
            // Before the answer: whoever gets it may count on the thread.
            drop(running);
            let compute_time = begun.elapsed();
            shared.counts().compute.observe(compute_time);
            let timed = Timed {
                value,
                queue_time,
                compute_time,
            };
            // The caller may have gone; then nobody wants the value.
            if sender.send(timed).is_err() {
                shared.counts().abandoned.computing.inc();
            }
        });
        let mut state = self.shared.lock();
        let id = state.next_id;
        state.next_id += 1;
        if !state.closed {
            state.queue.push_back(Entry {
                id,
                positions,
                run,
                place,
            });
        }
        self.shared.recall(&state);
        drop(state);
        self.shared.work_or_end.notify_one();
        Ticket::new(receiver, self.shared.clone(), id)
    }
}

/// A thread at work, until this is dropped.
struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(entry) = self.next() {
            drop(entry.place);
            self.rate.note(entry.positions);
            // A panic drops the sender, which the ticket reports as an internal error. The thread goes on.
            if catch_unwind(AssertUnwindSafe(|| with_chores(entry.run))).is_err() {
                self.metrics.panics.work.inc();
                tracing::error!("work on a compute thread failed");
            }
        }
    }

    /// What is counted about its class of work.
    pub(super) fn counts(&self) -> &ClassWork {
        self.metrics.class(self.class)
    }

    fn next(&self) -> Option<Entry> {
        let mut state = self.lock();
        loop {
            if state.running + state.lent.len() < self.threads
                && let Some(entry) = state.queue.pop_front()
            {
                state.running += 1;
                return Some(entry);
            }
            if state.closed {
                return None;
            }
            state = self
                .work_or_end
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Threads with nothing to do, nor anything waiting for them.
    pub(super) fn free(&self, state: &State) -> usize {
        self.threads
            .saturating_sub(state.running + state.lent.len() + state.queue.len())
    }

    /// Calls lent threads back for work that no other thread is free for.
    fn recall(&self, state: &State) {
        let free = self.threads.saturating_sub(state.running + state.lent.len());
        let needed = state.queue.len().saturating_sub(free);
        for recalled in state.lent.iter().rev().take(needed) {
            recalled.store(true, Ordering::Relaxed);
        }
    }

    /// Lets a thread go on that rested.
    pub(super) fn wake(&self) {
        self.work_or_end.notify_one();
    }

    fn close(&self) {
        let dropped = {
            let mut state = self.lock();
            state.closed = true;
            std::mem::take(&mut state.queue)
        };
        drop(dropped);
        self.work_or_end.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Takes work back that no thread has begun; false if one has.
    pub(super) fn withdraw(&self, id: u64) -> bool {
        let mut state = self.lock();
        // Identifiers only grow along the queue.
        let found = state.queue.binary_search_by_key(&id, |entry| entry.id);
        let entry = found.ok().and_then(|at| state.queue.remove(at));
        drop(state);
        entry.is_some()
    }
}

#[cfg(test)]
mod tests;
