//! A caller's positions on their way through batches, and the reply.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{BatchError, LaneKind};

/// The values of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Centipawns from the side to move, in the order of the positions.
    pub values: Vec<i32>,
    /// The lane that served.
    pub lane: LaneKind,
    /// From submission until the first of its batches began.
    pub queue_time: Duration,
    /// From then until the last value.
    pub compute_time: Duration,
    /// Batches that held a part of it.
    pub batches: u32,
    /// Positions in those batches, those of other requests included.
    pub batch_positions: u64,
    /// How many of those batches the CPU did in the device's place.
    pub stood_in: u32,
}

impl Reply {
    /// The reply to a request without positions.
    pub(super) fn empty(lane: LaneKind) -> Self {
        Self {
            values: vec![],
            lane,
            queue_time: Duration::ZERO,
            compute_time: Duration::ZERO,
            batches: 0,
            batch_positions: 0,
            stood_in: 0,
        }
    }
}

/// Where a reply goes. Exactly one reply comes, on a thread of the evaluator: it must not block there.
pub trait ReplySink: Send + 'static {
    /// Whether anyone still waits. Positions of a request that nobody waits for may be dropped unevaluated.
    ///
    /// It is asked with the queue locked: it must not block, not panic, and not call the evaluator.
    fn is_wanted(&self) -> bool {
        true
    }

    /// Takes the reply.
    fn deliver(self: Box<Self>, reply: Result<Reply, BatchError>);
}

impl<F: FnOnce(Result<Reply, BatchError>) + Send + 'static> ReplySink for F {
    fn deliver(self: Box<Self>, reply: Result<Reply, BatchError>) {
        self(reply);
    }
}

/// A request of which parts may be in several batches. Dropped without a reply, it replies that all is closed.
pub(super) struct Pending(Mutex<State>);

struct State {
    sink: Option<Box<dyn ReplySink>>,
    reply: Reply,
    missing: usize,
    submitted: Instant,
    begun: Option<Instant>,
}

impl Pending {
    pub(super) fn new(positions: usize, lane: LaneKind, sink: Box<dyn ReplySink>) -> Self {
        Self(Mutex::new(State {
            sink: Some(sink),
            reply: Reply {
                values: vec![0; positions],
                ..Reply::empty(lane)
            },
            missing: positions,
            submitted: Instant::now(),
            begun: None,
        }))
    }

    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether anyone still waits for the reply.
    pub(super) fn is_wanted(&self) -> bool {
        self.with(|state| state.sink.as_ref().is_some_and(|sink| sink.is_wanted()))
    }

    /// When it was submitted.
    pub(super) fn submitted(&self) -> Instant {
        self.with(|state| state.submitted)
    }

    /// Forgets the sink: the caller hears of its refusal otherwise.
    pub(super) fn disarm(&self) {
        let sink = self.with(|state| state.sink.take());
        drop(sink);
    }

    /// A part of it goes into a batch now.
    pub(super) fn begin(&self, now: Instant) {
        self.with(|state| {
            if state.begun.is_none() {
                state.begun = Some(now);
                state.reply.queue_time = now.duration_since(state.submitted);
            }
        });
    }

    /// Stores the values of a part, and replies if it was the last.
    pub(super) fn fill(&self, first: usize, values: &[i32], batch_positions: usize, stood_in: bool) {
        let complete = self.with(|state| {
            state.reply.values[first..][..values.len()].copy_from_slice(values);
            state.reply.batches += 1;
            state.reply.batch_positions += batch_positions as u64;
            state.reply.stood_in += u32::from(stood_in);
            state.missing -= values.len();
            if state.missing > 0 {
                return None;
            }
            let begun = state.begun.unwrap_or(state.submitted);
            state.reply.compute_time = begun.elapsed();
            let values = std::mem::take(&mut state.reply.values);
            Some((
                state.sink.take()?,
                Reply {
                    values,
                    ..state.reply.clone()
                },
            ))
        });
        // Outside the lock: the sink is the caller's code.
        if let Some((sink, reply)) = complete {
            sink.deliver(Ok(reply));
        }
    }

    /// Replies with an error, unless a reply went out before.
    pub(super) fn fail(&self, error: BatchError) {
        if let Some(sink) = self.with(|state| state.sink.take()) {
            sink.deliver(Err(error));
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.fail(BatchError::Closed);
    }
}
