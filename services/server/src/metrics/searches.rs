use tabiya_api::v1::{Backend, StoppedBy};
use tabiya_search::SearchResult;

use super::cell::Counter;

/// What ended a search, as the metrics name it; the last is for what its caller or the server ended.
const ENDS: [(StoppedBy, &str); 7] = [
    (StoppedBy::Nodes, "nodes"),
    (StoppedBy::Depth, "depth"),
    (StoppedBy::Time, "time"),
    (StoppedBy::Mate, "mate"),
    (StoppedBy::Deadline, "deadline"),
    (StoppedBy::NoLegalMoves, "no_legal_moves"),
    (StoppedBy::Unspecified, "stopped"),
];

/// Searches and their work.
#[derive(Debug, Default)]
pub(crate) struct Searches {
    ended: [Counter; ENDS.len()],
    cpu: Work,
    gpu: Work,
    scalar: Work,
    /// Searches that got no thread before their deadline.
    pub(crate) no_thread: Counter,
    /// Searches that got no memory.
    pub(crate) no_memory: Counter,
}

/// The work of searches on one backend.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) nodes: Counter,
    pub(super) evaluations: Counter,
    pub(super) table_hits: Counter,
    pub(super) endgame_hits: Counter,
}

impl Searches {
    /// Counts a search that ended by `cause`.
    pub(crate) fn count(&self, backend: Backend, result: &SearchResult, cause: StoppedBy) {
        let at = ENDS.iter().position(|(end, _)| *end == cause);
        self.ended[at.unwrap_or(ENDS.len() - 1)].inc();
        let work = match backend {
            Backend::Gpu => &self.gpu,
            Backend::Scalar => &self.scalar,
            Backend::Cpu | Backend::Auto | Backend::Unspecified => &self.cpu,
        };
        work.nodes.add(result.nodes);
        work.evaluations.add(result.evaluations);
        work.table_hits.add(result.tt_hits);
        work.endgame_hits.add(result.tb_hits);
    }

    pub(super) fn by_end(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = ENDS.iter().map(|(_, name)| *name);
        names.zip(self.ended.iter().map(Counter::get))
    }

    pub(super) fn by_backend(&self) -> [(&'static str, &Work); 3] {
        [("cpu", &self.cpu), ("gpu", &self.gpu), ("scalar", &self.scalar)]
    }
}
