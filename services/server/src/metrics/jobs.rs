use std::sync::{Arc, OnceLock};

use tabiya_jobs::CacheCounts;

use super::cell::{Counter, Gauge};
use crate::jobs::Submissions;

/// Durable jobs: what waits, as this process last saw it, and what its own workers did.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pub(crate) running: Gauge,
    pub(crate) tasks_waiting: Gauge,
    pub(crate) tasks_leased: Gauge,
    pub(crate) results_done: Counter,
    pub(crate) results_failed: Counter,
    pub(crate) retries_lease_lost: Counter,
    pub(crate) retries_failed: Counter,
    pub(crate) retries_bisected: Counter,
    /// Whether the broker answers: set where there is one.
    broker: OnceLock<Gauge>,
    /// Where answers came from: set where some are remembered.
    cache: OnceLock<Arc<CacheCounts>>,
    /// Memory of jobs that are being submitted: set where there is a place for jobs.
    submissions: OnceLock<Submissions>,
}

impl Jobs {
    /// Memory of jobs that are being submitted; `None` where there is no place for jobs.
    pub(super) fn submissions(&self) -> Option<&Submissions> {
        self.submissions.get()
    }

    /// Notes what that memory is.
    pub(crate) fn submit_into(&self, memory: Submissions) {
        // A server has one place for jobs, so nobody was here before.
        let _ = self.submissions.set(memory);
    }

    /// Notes whether the broker answers.
    pub(crate) fn broker_answers(&self, answers: bool) {
        self.broker.get_or_init(Gauge::default).set(answers.into());
    }

    /// The connection to the broker, 0 or 1; `None` without a broker, as there is none to lose.
    pub(super) fn broker(&self) -> Option<i64> {
        self.broker.get().map(Gauge::get)
    }

    /// Has the page show where this cache's answers came from.
    pub(crate) fn show_cache(&self, counts: Arc<CacheCounts>) {
        // A process has one cache, so there is none yet.
        let _ = self.cache.set(counts);
    }

    /// Answers by where they came from; nothing where none is remembered.
    pub(super) fn cache(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.cache.get().into_iter().flat_map(|counts| counts.by_result())
    }

    pub(super) fn tasks(&self) -> [(&'static str, i64); 2] {
        [
            ("waiting", self.tasks_waiting.get()),
            ("leased", self.tasks_leased.get()),
        ]
    }

    pub(super) fn results(&self) -> [(&'static str, u64); 2] {
        [
            ("done", self.results_done.get()),
            ("failed", self.results_failed.get()),
        ]
    }

    pub(super) fn retries(&self) -> [(&'static str, u64); 3] {
        [
            ("lease_lost", self.retries_lease_lost.get()),
            ("failed", self.retries_failed.get()),
            ("bisected", self.retries_bisected.get()),
        ]
    }
}
