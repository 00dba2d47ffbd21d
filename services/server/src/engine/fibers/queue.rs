use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Instant,
};

use tabiya_api::error::ServiceError;
use tabiya_rules::Game;
use tabiya_search::{Limits, Options};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::Fetched;
use crate::{compute::Class, metrics::Metrics};

/// A search that waits for a thread.
pub(super) struct Order {
    /// Place of the network that evaluates its leaves.
    pub(super) network: usize,
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

struct State {
    /// For each network, the oldest first.
    orders: Vec<VecDeque<Order>>,
    closed: bool,
}

impl State {
    /// The network with the search that has waited longest.
    fn oldest(&self) -> Option<usize> {
        let fronts = self.orders.iter().map(|orders| orders.front());
        let waiting = fronts
            .enumerate()
            .filter_map(|(network, front)| Some((network, front?)));
        waiting
            .min_by_key(|(_, order)| order.submitted)
            .map(|(network, _)| network)
    }

    /// The next search of a network that somebody still wants.
    fn take(&mut self, network: usize, metrics: &Metrics) -> Option<Order> {
        let orders = self.orders.get_mut(network)?;
        while let Some(order) = orders.pop_front() {
            if !order.reply.is_closed() {
                return Some(order);
            }
            metrics.class(Class::Bulk).abandoned.queued.inc();
        }
        None
    }
}

impl Queue {
    pub(super) fn new(networks: usize, metrics: &Arc<Metrics>) -> Self {
        let state = State {
            orders: std::iter::repeat_with(VecDeque::new).take(networks).collect(),
            closed: false,
        };
        Self {
            state: Mutex::new(state),
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
        if state.closed {
            return;
        }
        if let Some(orders) = state.orders.get_mut(order.network) {
            orders.push_back(order);
            drop(state);
            self.order_or_end.notify_one();
        }
    }

    /// The search that has waited longest, of any network. Waits for one; `None` says that there will be none any more.
    pub(super) fn take_any(&self) -> Option<Order> {
        let mut state = self.lock();
        loop {
            while let Some(network) = state.oldest() {
                if let Some(order) = state.take(network, &self.metrics) {
                    return Some(order);
                }
            }
            if state.closed {
                return None;
            }
            state = self
                .order_or_end
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The search by a network that has waited longest, if one does now.
    pub(super) fn take_of(&self, network: usize) -> Option<Order> {
        self.lock().take(network, &self.metrics)
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
