//! The limits of a running search, in the form in which it checks them.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::{Limits, StoppedBy, TimeBudget};

/// The search must unwind; [`Budget::reason`] says why.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Counts nodes and says when to stop.
pub(crate) struct Budget<'a> {
    start: Instant,
    stop: &'a AtomicBool,
    node_limit: u64,
    hard: Option<Instant>,
    clock: Option<TimeBudget>,
    clock_mask: u64,
    /// Positions visited.
    pub(crate) nodes: u64,
    /// Why the search stopped, once it did.
    pub(crate) reason: Option<StoppedBy>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &Limits, clock_interval: u64, stop: &'a AtomicBool) -> Self {
        let start = Instant::now();
        let by_time = limits.time.and_then(|time| start.checked_add(time));
        let by_clock = limits.budget.and_then(|budget| start.checked_add(budget.hard));
        Self {
            start,
            stop,
            node_limit: limits.effective_nodes().unwrap_or(u64::MAX),
            hard: [by_time, by_clock, limits.deadline].into_iter().flatten().min(),
            clock: limits.budget,
            clock_mask: clock_interval.clamp(1, 1 << 20).next_power_of_two() - 1,
            nodes: 0,
            reason: None,
        }
    }

    /// Counts a node about to be visited.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.node_limit {
            return self.end(StoppedBy::Nodes);
        }
        self.nodes += 1;
        self.check_stop()?;
        if self.nodes & self.clock_mask == 0 && self.hard.is_some_and(|hard| Instant::now() >= hard) {
            return self.end(StoppedBy::Time);
        }
        Ok(())
    }

    /// Looks at the stop flag.
    #[inline]
    pub(crate) fn check_stop(&mut self) -> Result<(), Stopped> {
        if self.stop.load(Relaxed) {
            self.end(StoppedBy::Stop)
        } else {
            Ok(())
        }
    }

    /// Whether the clock says not to begin another iteration; `stretch` scales its soft limit, in permille.
    pub(crate) fn out_of_time(&self, stretch: u64) -> bool {
        let soft = self.clock.is_some_and(|clock| {
            self.elapsed().as_nanos() >= clock.soft.as_nanos() * u128::from(stretch) / 1_000
        });
        soft || self.hard.is_some_and(|hard| Instant::now() >= hard)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    #[cold]
    fn end(&mut self, reason: StoppedBy) -> Result<(), Stopped> {
        self.reason = Some(reason);
        Err(Stopped)
    }
}
