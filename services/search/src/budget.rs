//! The limits of a running search, in the form in which it checks them.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::crew::{Ration, Work};
use crate::{Limits, StoppedBy, TimeBudget};

/// The search must unwind; [`Budget::reason`] says why.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Counts nodes and says when to stop.
pub(crate) struct Budget<'a> {
    start: Instant,
    stop: &'a AtomicBool,
    /// Nodes allowed so far: all there are, or what was taken from the ration.
    allowed: u64,
    /// Where a thread of several takes its nodes from.
    ration: Option<Ration<'a>>,
    hard: Option<Instant>,
    clock: Option<TimeBudget>,
    clock_mask: u64,
    /// Work done by this thread.
    pub(crate) work: Work,
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
            allowed: limits.effective_nodes().unwrap_or(u64::MAX),
            ration: None,
            hard: [by_time, by_clock, limits.deadline].into_iter().flatten().min(),
            clock: limits.budget,
            clock_mask: clock_interval.clamp(1, 1 << 20).next_power_of_two() - 1,
            work: Work::default(),
            reason: None,
        }
    }

    /// For one of several threads, whose nodes come out of one store.
    pub(crate) fn rationed(
        limits: &Limits,
        clock_interval: u64,
        stop: &'a AtomicBool,
        ration: Ration<'a>,
    ) -> Self {
        Self {
            allowed: 0,
            ration: Some(ration),
            ..Self::new(limits, clock_interval, stop)
        }
    }

    /// Counts a node about to be visited.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), Stopped> {
        if self.work.nodes >= self.allowed {
            self.fetch()?;
        }
        self.work.nodes += 1;
        self.check_stop()?;
        if self.work.nodes & self.clock_mask == 0 && self.hard.is_some_and(|hard| Instant::now() >= hard) {
            return self.end(StoppedBy::Time);
        }
        Ok(())
    }

    /// Takes more nodes from the ration, if there is one and it has any.
    #[cold]
    fn fetch(&mut self) -> Result<(), Stopped> {
        match &mut self.ration {
            None => self.end(StoppedBy::Nodes),
            Some(ration) => match ration.fetch(self.work) {
                Ok(nodes) => {
                    self.allowed += nodes;
                    Ok(())
                }
                Err(reason) => self.end(reason),
            },
        }
    }

    /// Work done so far by all threads of the search; that of others lags behind by less than a portion each.
    pub(crate) fn total(&self) -> Work {
        match &self.ration {
            None => self.work,
            Some(ration) => ration.total(self.work),
        }
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
