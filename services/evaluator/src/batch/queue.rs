//! The bounded queue and the forming of batches.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};

use tabiya_eval_shaders::PackedPosition;

use super::{BatchError, LaneKind, counters::CounterCells, request::Pending};

/// The three lanes' queues under one lock, with one bound.
pub(super) struct Queue {
    state: Mutex<State>,
    /// Work for a lane, or the end.
    work: [Condvar; 3],
    /// Room for waiting callers, or the end.
    room: Condvar,
    capacity: usize,
    max_delay: Duration,
}

#[derive(Default)]
struct State {
    lanes: [VecDeque<Entry>; 3],
    lane_positions: [usize; 3],
    holds: usize,
    closed: bool,
}

/// A request's positions that no batch has taken yet: those from `next` on.
struct Entry {
    pending: Arc<Pending>,
    positions: Vec<PackedPosition>,
    next: usize,
}

/// A request's share of a batch.
pub(super) struct Part {
    pub(super) pending: Arc<Pending>,
    /// Index of its first position within the request.
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Positions to evaluate together, and whose they are, in order.
pub(super) struct Batch {
    pub(super) positions: Vec<PackedPosition>,
    pub(super) parts: Vec<Part>,
}

impl State {
    fn waiting(&self) -> usize {
        self.lane_positions.iter().sum()
    }
}

impl Queue {
    pub(super) fn new(capacity: usize, max_delay: Duration) -> Self {
        Self {
            state: Mutex::default(),
            work: Default::default(),
            room: Condvar::new(),
            capacity: capacity.max(1),
            max_delay,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Positions that wait, over all lanes.
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting()
    }

    /// Positions that wait in a lane.
    pub(super) fn lane_waiting(&self, lane: LaneKind) -> usize {
        self.lock().lane_positions[lane.index()]
    }

    /// Queues positions, or refuses them when there is no room.
    pub(super) fn push(
        &self,
        lane: LaneKind,
        positions: Vec<PackedPosition>,
        pending: &Arc<Pending>,
    ) -> Result<(), BatchError> {
        self.check_size(positions.len())?;
        let state = self.lock();
        let waiting = state.waiting();
        if !state.closed && waiting + positions.len() > self.capacity {
            return Err(BatchError::QueueFull {
                waiting,
                capacity: self.capacity,
            });
        }
        self.enqueue(state, lane, positions, pending)
    }

    /// Queues positions once there is room.
    pub(super) fn push_when_free(
        &self,
        lane: LaneKind,
        positions: Vec<PackedPosition>,
        pending: &Arc<Pending>,
    ) -> Result<(), BatchError> {
        self.check_size(positions.len())?;
        let state = self
            .room
            .wait_while(self.lock(), |state| {
                !state.closed && state.waiting() + positions.len() > self.capacity
            })
            .unwrap_or_else(PoisonError::into_inner);
        self.enqueue(state, lane, positions, pending)
    }

    fn check_size(&self, positions: usize) -> Result<(), BatchError> {
        if positions > self.capacity {
            return Err(BatchError::TooLarge {
                positions,
                capacity: self.capacity,
            });
        }
        Ok(())
    }

    fn enqueue(
        &self,
        mut state: MutexGuard<'_, State>,
        lane: LaneKind,
        positions: Vec<PackedPosition>,
        pending: &Arc<Pending>,
    ) -> Result<(), BatchError> {
        if state.closed {
            return Err(BatchError::Closed);
        }
        state.lane_positions[lane.index()] += positions.len();
        state.lanes[lane.index()].push_back(Entry {
            pending: Arc::clone(pending),
            positions,
            next: 0,
        });
        drop(state);
        self.work[lane.index()].notify_one();
        Ok(())
    }

    /// Waits for work and forms a batch of at most `max` positions, the oldest first; `None` at the end.
    pub(super) fn next_batch(&self, lane: LaneKind, max: usize, counters: &CounterCells) -> Option<Batch> {
        let at = lane.index();
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if state.holds == 0 && !state.lanes[at].is_empty() {
                match self.delay_left(&state, at, max) {
                    None => break,
                    Some(left) => {
                        state = self.work[at]
                            .wait_timeout(state, left)
                            .unwrap_or_else(PoisonError::into_inner)
                            .0;
                        continue;
                    }
                }
            }
            state = self.work[at].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let (batch, dropped) = form(&mut state, at, max, counters);
        let more = !state.lanes[at].is_empty();
        drop(state);
        if more {
            self.work[at].notify_one();
        }
        self.room.notify_all();
        // Entries own sinks, which are the caller's code: not under the lock.
        drop(dropped);
        Some(batch)
    }

    /// How long a lane should still wait for a fuller batch; `None` to go now.
    fn delay_left(&self, state: &State, at: usize, max: usize) -> Option<Duration> {
        if self.max_delay.is_zero() || state.lane_positions[at] >= max {
            return None;
        }
        let oldest = state.lanes[at].front()?.pending.submitted();
        let left = self.max_delay.saturating_sub(oldest.elapsed());
        (!left.is_zero()).then_some(left)
    }

    pub(super) fn hold(&self) {
        self.lock().holds += 1;
    }

    pub(super) fn release(&self) {
        let mut state = self.lock();
        state.holds = state.holds.saturating_sub(1);
        drop(state);
        self.wake_all();
    }

    /// Ends all waiting; what is queued is dropped, and so answered as closed.
    pub(super) fn close(&self) {
        let dropped = {
            let mut state = self.lock();
            state.closed = true;
            state.lane_positions = [0; 3];
            std::mem::take(&mut state.lanes)
        };
        self.wake_all();
        drop(dropped);
    }

    fn wake_all(&self) {
        for work in &self.work {
            work.notify_all();
        }
        self.room.notify_all();
    }
}

/// Takes up to `max` positions, leaving out requests that nobody waits for any more; those come back apart.
fn form(state: &mut State, at: usize, max: usize, counters: &CounterCells) -> (Batch, Vec<Entry>) {
    let now = Instant::now();
    let mut batch = Batch {
        positions: vec![],
        parts: vec![],
    };
    let mut dropped = vec![];
    while batch.positions.len() < max {
        let Some(mut entry) = state.lanes[at].pop_front() else {
            break;
        };
        let left = entry.positions.len() - entry.next;
        if !entry.pending.is_wanted() {
            counters.abandoned.fetch_add(left as u64, Relaxed);
            state.lane_positions[at] -= left;
            dropped.push(entry);
            continue;
        }
        let count = left.min(max - batch.positions.len());
        entry.pending.begin(now);
        batch
            .positions
            .extend_from_slice(&entry.positions[entry.next..][..count]);
        batch.parts.push(Part {
            pending: Arc::clone(&entry.pending),
            first: entry.next,
            count,
        });
        entry.next += count;
        state.lane_positions[at] -= count;
        if entry.next < entry.positions.len() {
            state.lanes[at].push_front(entry);
        } else {
            dropped.push(entry);
        }
    }
    (batch, dropped)
}
