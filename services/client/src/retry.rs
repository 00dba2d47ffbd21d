use std::{
    error::Error,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tonic::{Code, Status, TimeoutExpired};
use tonic_types::StatusExt;

/// When and how often a call is asked again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Greatest number of times that one call is asked, the first included.
    pub attempts: u32,
    /// Pause before the second time; it doubles with each further one.
    pub first_pause: Duration,
    /// Greatest pause, whatever the server proposes.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 6,
            first_pause: Duration::from_millis(50),
            longest_pause: Duration::from_secs(5),
        }
    }
}

impl RetryPolicy {
    /// The pause before the call may be asked again; `None` if it may not.
    pub(crate) fn pause(&self, status: &Status, attempt: u32) -> Option<Duration> {
        if attempt >= self.attempts || !is_transient(status) {
            return None;
        }
        let own = self
            .first_pause
            .saturating_mul(1 << attempt.saturating_sub(1).min(16));
        // Before that time the server would only refuse again.
        let proposed = retry_after(status).map_or(Duration::ZERO, later);
        Some(jittered(own).max(proposed).min(self.longest_pause))
    }
}

/// Between three and five quarters of a pause: callers that were turned away together shall not come back together.
pub(crate) fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.75 + 0.5 * noise())
}

/// A time, or up to half as much again, for the same reason.
fn later(time: Duration) -> Duration {
    time.mul_f64(1.0 + 0.5 * noise())
}

/// When the server proposes to ask again, if it does.
pub(crate) fn retry_after(status: &Status) -> Option<Duration> {
    status.get_details_retry_info()?.retry_delay
}

/// Whether the same call can have a better end.
pub(crate) fn is_transient(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable => true,
        Code::ResourceExhausted => retry_after(status).is_some(),
        // A connection that went away under the call shows itself as one of these, with a cause that is our own
        // side's: a status that the server sent has none.
        Code::Cancelled | Code::Unknown | Code::Internal => {
            status.source().is_some() && !is_own_timeout(status)
        }
        _ => false,
    }
}

/// Whether a call's end says that its server is gone, or leaving.
pub(crate) fn is_server_lost(status: &Status) -> bool {
    status.code() != Code::ResourceExhausted && is_transient(status)
}

/// Whether the call ended because this side's clock ran out.
fn is_own_timeout(status: &Status) -> bool {
    std::iter::successors(status.source(), |&cause| cause.source()).any(|cause| cause.is::<TimeoutExpired>())
}

/// The status as it is, but DEADLINE_EXCEEDED where this side's clock ran out: tonic calls that CANCELLED.
pub(crate) fn own_timeout_named(status: Status) -> Status {
    if is_own_timeout(&status) {
        Status::deadline_exceeded("no answer came within the timeout")
    } else {
        status
    }
}

/// A number from 0 to 1 that differs between processes and calls; nothing depends on its quality.
fn noise() -> f64 {
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    // Not the last digits: some clocks tick in microseconds.
    f64::from(nanos / 1000 % 1000) / 1000.0
}

/// Keeps repeated calls to about a tenth of all: a server in trouble shall not be asked twice as much.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    /// In tenths of a call.
    tenths: AtomicU32,
    calls: AtomicU64,
    retries: AtomicU64,
}

/// What a client has asked so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Calls of the program's, streams among them.
    pub calls: u64,
    /// How often one was asked again.
    pub retries: u64,
}

impl RetryBudget {
    const MOST: u32 = 200;

    pub(crate) fn new() -> Self {
        Self {
            tenths: AtomicU32::new(Self::MOST),
            calls: AtomicU64::new(0),
            retries: AtomicU64::new(0),
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            calls: self.calls.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
        }
    }

    /// Counts a call.
    pub(crate) fn count(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a repetition.
    pub(crate) fn count_retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// Earns a tenth of a retry.
    pub(crate) fn earn(&self) {
        let _ = self
            .tenths
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| {
                (tenths < Self::MOST).then_some(tenths + 1)
            });
    }

    /// Spends a retry; false if there is none.
    pub(crate) fn spend(&self) -> bool {
        self.tenths
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| {
                tenths.checked_sub(10)
            })
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use tonic_types::ErrorDetails;

    use super::*;

    #[test]
    fn only_what_can_end_better_is_asked_again() {
        let policy = RetryPolicy::default();
        assert!(policy.pause(&Status::unavailable("restarting"), 1).is_some());
        assert!(policy.pause(&Status::unavailable("restarting"), 6).is_none());
        for code in [
            Code::InvalidArgument,
            Code::DeadlineExceeded,
            Code::Unimplemented,
            Code::ResourceExhausted,
        ] {
            assert!(policy.pause(&Status::new(code, ""), 1).is_none(), "{code:?}");
        }
        // Sent by a server, so it is the answer.
        assert!(policy.pause(&Status::internal("a handler failed"), 1).is_none());
    }

    #[test]
    fn the_server_s_proposal_is_heeded_up_to_a_limit() {
        let policy = RetryPolicy::default();
        let busy = |delay| {
            let details = ErrorDetails::with_retry_info(Some(delay));
            policy
                .pause(
                    &Status::with_error_details(Code::ResourceExhausted, "busy", details),
                    1,
                )
                .unwrap()
        };
        // As often as makes it unlikely that a pause that may be too short never is.
        for _ in 0..50 {
            let pause = busy(Duration::from_secs(1));
            assert!((1000..=1500).contains(&pause.as_millis()), "{pause:?}");
            std::thread::sleep(Duration::from_micros(37));
        }
        assert_eq!(busy(Duration::from_secs(1000)), policy.longest_pause);
    }

    #[test]
    fn ten_calls_earn_one_retry() {
        let budget = RetryBudget::new();
        assert_eq!((0..100).filter(|_| budget.spend()).count(), 20);
        (0..9).for_each(|_| budget.earn());
        assert!(!budget.spend());
        budget.earn();
        assert!(budget.spend());
    }
}
