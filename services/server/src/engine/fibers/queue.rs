use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Instant,
};

use tabiya_api::error::ServiceError;
use tabiya_evaluator::batch::BatchEvaluator;
use tabiya_rules::Game;
use tabiya_search::{Limits, Options};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::Fetched;
use crate::{compute::Class, metrics::Metrics};

/// A search that waits for a thread.
pub(super) struct Order {
    pub(super) batches: Arc<BatchEvaluator>,
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) options: Options,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) reply: oneshot::Sender<Result<Fetched, ServiceError>>,
    pub(super) submitted: Instant,
    /// Held while it waits.
    pub(super) place: OwnedSemaphorePermit,
}

/// Searches that wait for a thread. How many may is up to those who push.
pub(super) struct Queue {
    state: Mutex<State>,
    order_or_end: Condvar,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    orders: VecDeque<Order>,
    closed: bool,
}

impl Queue {
    pub(super) fn new(metrics: &Arc<Metrics>) -> Self {
        Self {
            state: Mutex::default(),
            order_or_end: Condvar::new(),
            metrics: metrics.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, order: Order) {
        let mut state = self.lock();
        if !state.closed {
            state.orders.push_back(order);
            drop(state);
            self.order_or_end.notify_one();
        }
    }

    /// The next search that somebody still wants. Without `wait`, `None` also says that there is none now; with it,
    /// that there will be none any more.
    pub(super) fn take(&self, wait: bool) -> Option<Order> {
        let mut state = self.lock();
        loop {
            match state.orders.pop_front() {
                Some(order) if order.reply.is_closed() => {
                    self.metrics.class(Class::Bulk).abandoned.queued.inc();
                }
                Some(order) => return Some(order),
                None if state.closed || !wait => return None,
                None => {
                    state = self
                        .order_or_end
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    pub(super) fn close(&self) {
        let dropped = {
            let mut state = self.lock();
            state.closed = true;
            std::mem::take(&mut state.orders)
        };
        drop(dropped);
        self.order_or_end.notify_all();
    }
}
