use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use crate::auth::answers_items;

/// The messages of a call, both ways.
#[derive(Debug)]
pub(crate) struct Exchange {
    begun: Instant,
    idle: Duration,
    /// Whether every message of the caller has an answer of its own.
    answers_items: bool,
    received: AtomicU64,
    sent: AtomicU64,
    /// When the last message went, in milliseconds after the beginning.
    last: AtomicU64,
}

impl Exchange {
    pub(super) fn new(path: &str, idle: Duration) -> Self {
        Self {
            begun: Instant::now(),
            idle,
            answers_items: answers_items(path),
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }

    /// Messages came in whole.
    pub(super) fn receive(&self, messages: u64) {
        self.count(&self.received, messages);
    }

    /// Messages went out whole.
    pub(super) fn send(&self, messages: u64) {
        self.count(&self.sent, messages);
    }

    fn count(&self, counter: &AtomicU64, messages: u64) {
        if messages > 0 {
            counter.fetch_add(messages, Ordering::Relaxed);
            let millis = self.begun.elapsed().as_millis() as u64;
            self.last.store(millis, Ordering::Relaxed);
        }
    }

    /// How long the caller may still rest; `None` if he has rested too long. While an answer is owed to him, he rests with
    /// every right.
    pub(super) fn rest(&self) -> Option<Duration> {
        let owed =
            self.answers_items && self.received.load(Ordering::Relaxed) > self.sent.load(Ordering::Relaxed);
        if owed {
            return Some(self.idle);
        }
        let last = Duration::from_millis(self.last.load(Ordering::Relaxed));
        let rested = self.begun.elapsed().saturating_sub(last);
        self.idle.checked_sub(rested).filter(|rest| !rest.is_zero())
    }

    /// What a caller who rested too long is told.
    pub(super) fn rested(&self) -> String {
        format!(
            "no message came for {:?}; open the stream again when there is one",
            self.idle
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_owed_an_answer_may_rest() {
        let idle = Duration::from_millis(20);
        let bulk = Exchange::new("/tabiya.v1.RulesService/BatchLegalMoves", idle);
        bulk.receive(2);
        std::thread::sleep(2 * idle);
        assert_eq!(bulk.rest(), Some(idle));
        bulk.send(2);
        assert!(bulk.rest().is_some());
        std::thread::sleep(2 * idle);
        assert_eq!(bulk.rest(), None);
        // One answer to all: none is owed before the last message.
        let single = Exchange::new("/tabiya.v1.RulesService/LegalMoves", idle);
        single.receive(1);
        std::thread::sleep(2 * idle);
        assert_eq!(single.rest(), None);
    }
}
