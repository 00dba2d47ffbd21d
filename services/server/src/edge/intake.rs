use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use futures_util::task::AtomicWaker;
use tabiya_api::error::ServiceError;

/// Until when room for a request can be expected: requests are read in milliseconds, unless their senders are slow.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What of a stream may be worked on while there is enough room for others: while there is less, it reads no further.
const READ_AHEAD: usize = 1 << 20;

/// How much of its peers' requests a listener holds at once, as they come and once they are read, and how long it waits for
/// one to be complete.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    budget: Arc<Budget>,
    pub(super) patience: Duration,
}

#[derive(Debug)]
struct Budget {
    bytes: usize,
    taken: AtomicUsize,
}

impl Budget {
    /// Takes `after` bytes in place of `before`.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if that is more than there were and more than there is room for; nothing is changed then.
    fn exchange(&self, before: usize, after: usize) -> Result<(), ServiceError> {
        let changed = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                let taken = taken - before + after;
                (after <= before || taken <= self.bytes).then_some(taken)
            });
        changed.map(drop).map_err(|taken| ServiceError::Crowded {
            bytes: taken,
            retry_after: RETRY_AFTER,
        })
    }
}

impl Intake {
    /// Holds `bytes` bytes of requests at once, each message complete after `patience`.
    pub(crate) fn new(bytes: usize, patience: Duration) -> Self {
        let taken = AtomicUsize::new(0);
        Self {
            budget: Arc::new(Budget { bytes, taken }),
            patience,
        }
    }

    /// Bytes that are here.
    pub(crate) fn taken(&self) -> usize {
        self.budget.taken.load(Ordering::Relaxed)
    }

    /// Bytes that may be here at once.
    pub(crate) fn limit(&self) -> usize {
        self.budget.bytes
    }

    /// The share of a call, empty at first.
    pub(super) fn share(&self) -> Arc<Share> {
        Arc::new(Share {
            budget: self.budget.clone(),
            coming: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            weighed: AtomicUsize::new(0),
            lighter: AtomicWaker::new(),
        })
    }
}

/// The bytes of one call's request that are here. They are given back when the call ends.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    /// Of what came and is not read yet.
    coming: AtomicUsize,
    /// Of the message that was read last, as long as no [`Weight`] was made of it: until the next one is read.
    read: AtomicUsize,
    /// Of all weights.
    weighed: AtomicUsize,
    /// Whoever waits for a weight to go.
    lighter: AtomicWaker,
}

impl Share {
    /// Holds so many bytes of what is not read yet from now on. Only one thread at a time resizes a share or reads.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the listener holds too much; the share is then as it was.
    pub(super) fn resize(&self, bytes: usize) -> Result<(), ServiceError> {
        let coming = self.coming.load(Ordering::Relaxed);
        self.budget.exchange(coming, bytes)?;
        self.coming.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Holds a message that is to be read in place of its bytes.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the listener holds too much; the share is then as it was.
    pub(super) fn read(&self, sent: usize, bytes: usize) -> Result<(), ServiceError> {
        let (coming, read) = (
            self.coming.load(Ordering::Relaxed),
            self.read.load(Ordering::Relaxed),
        );
        let rest = coming.saturating_sub(sent);
        self.budget.exchange(coming + read, rest + bytes)?;
        self.coming.store(rest, Ordering::Relaxed);
        self.read.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Makes a weight of the message that was read last, for a call that works on several at once.
    pub(crate) fn weigh(self: &Arc<Self>) -> Weight {
        let bytes = self.read.swap(0, Ordering::Relaxed);
        self.weighed.fetch_add(bytes, Ordering::Relaxed);
        Weight {
            share: self.clone(),
            bytes,
        }
    }

    /// Whether part of a message is here.
    pub(crate) fn is_within_message(&self) -> bool {
        self.coming.load(Ordering::Relaxed) > 0
    }

    /// Ready when the next message of a stream may be read. It may while none of it is worked on, so that each stream goes on;
    /// else it depends on how much there is of this stream and of all requests.
    pub(crate) fn poll_room(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.lighter.register(cx.waker());
        let weighed = self.weighed.load(Ordering::Acquire);
        let (taken, limit) = (self.budget.taken.load(Ordering::Relaxed), self.budget.bytes);
        let has_room = weighed == 0 || taken <= limit / 2 || (weighed < READ_AHEAD && taken <= limit / 4 * 3);
        if has_room { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let held = *self.coming.get_mut() + *self.read.get_mut();
        self.budget.taken.fetch_sub(held, Ordering::Relaxed);
    }
}

/// The bytes of a message that is worked on, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Weight {
    share: Arc<Share>,
    bytes: usize,
}

impl Drop for Weight {
    fn drop(&mut self) {
        let share = &self.share;
        share.budget.taken.fetch_sub(self.bytes, Ordering::Relaxed);
        share.weighed.fetch_sub(self.bytes, Ordering::Release);
        share.lighter.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn shares_are_bounded_together_and_given_back() {
        let intake = Intake::new(100, Duration::ZERO);
        let (first, second) = (intake.share(), intake.share());
        first.resize(60).unwrap();
        assert!(second.resize(41).is_err());
        second.resize(40).unwrap();
        assert!(first.resize(61).is_err());
        first.resize(10).unwrap();
        second.resize(90).unwrap();
        drop(second);
        first.resize(100).unwrap();
        drop(first);
        assert_eq!(intake.taken(), 0);
    }

    #[test]
    fn a_message_that_is_read_takes_what_it_takes() {
        let intake = Intake::new(100, Duration::ZERO);
        let share = intake.share();
        share.resize(25).unwrap();
        // More than there is room for is not read, and its bytes are still here.
        assert!(share.read(20, 96).is_err());
        assert_eq!(intake.taken(), 25);
        share.read(20, 60).unwrap();
        assert_eq!(intake.taken(), 65);
        // The next one takes the place of one that was not weighed.
        share.read(5, 70).unwrap();
        assert_eq!(intake.taken(), 70);
        let weight = share.weigh();
        assert!(share.read(0, 31).is_err());
        share.read(0, 30).unwrap();
        assert_eq!(intake.taken(), 100);
        drop(weight);
        assert_eq!(intake.taken(), 30);
        drop(share);
        assert_eq!(intake.taken(), 0);
    }

    #[test]
    fn a_stream_reads_ahead_while_there_is_room() {
        let intake = Intake::new(8 * READ_AHEAD, Duration::ZERO);
        let (stream, other) = (intake.share(), intake.share());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let may_read = || stream.poll_room(&mut Context::from_waker(&waker)).is_ready();
        let weigh = |bytes| {
            stream.read(0, bytes).unwrap();
            stream.weigh()
        };
        let mut weights = vec![weigh(READ_AHEAD / 2)];
        // More than half is taken: a little of each stream may be worked on.
        other.resize(4 * READ_AHEAD).unwrap();
        assert!(may_read());
        weights.push(weigh(READ_AHEAD / 2));
        assert!(!may_read());
        let before = woken.0.load(Ordering::Relaxed);
        weights.pop();
        assert_eq!(woken.0.load(Ordering::Relaxed), before + 1);
        assert!(may_read());
        // More than three quarters: one at a time.
        other.resize(6 * READ_AHEAD).unwrap();
        assert!(!may_read());
        weights.pop();
        assert!(may_read());
        other.resize(8 * READ_AHEAD).unwrap();
        assert!(may_read());
        // Half of it: as much as it likes.
        other.resize(0).unwrap();
        weights.push(weigh(4 * READ_AHEAD));
        assert!(may_read());
        weights.push(weigh(1));
        assert!(!may_read());
    }

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl std::task::Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}
