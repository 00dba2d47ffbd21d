//! The calls of a soak that were not answered as they should be.

use std::{
    collections::BTreeMap,
    fmt::Display,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::figures::{Figure, Table, Unit};

#[derive(Default)]
pub(super) struct Failures {
    calls: AtomicU64,
    /// Calls with a deadline, and those of them that came late.
    timed: AtomicU64,
    late: AtomicU64,
    /// By call: how many failed.
    failed: Mutex<BTreeMap<&'static str, u64>>,
}

impl Failures {
    /// Counts a call. The first failure of each is told.
    pub(super) fn note<T, E: Display>(&self, call: &'static str, end: Result<T, E>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let Err(error) = end else {
            return;
        };
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failed.entry(call).or_default();
        *count += 1;
        if *count == 1 {
            eprintln!("  {call} failed: {error}");
        }
    }

    /// Counts a call with a deadline. On a crowded machine it may come late.
    pub(super) fn note_timed(&self, is_late: bool) {
        self.timed.fetch_add(1, Ordering::Relaxed);
        self.late.fetch_add(u64::from(is_late), Ordering::Relaxed);
    }

    pub(super) fn show(&self, table: &mut Table, rounds: f64) {
        let count = |what, value: f64| Figure::new(what, Unit::Count, vec![value]);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        table.add(count("soak: rounds of calls", rounds).at_least(1.0));
        table.add(count("soak: calls and streams", load(&self.calls)));
        let failed = failed.values().sum::<u64>() as f64;
        table.add(count("soak: calls and streams that failed", failed).at_most(0.0));
        table.add(count(
            "soak: searches with 100 ms, beside the others",
            load(&self.timed),
        ));
        table.add(count("soak: of them late", load(&self.late)));
    }
}
