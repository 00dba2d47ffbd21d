use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the answers of a [`Cached`](crate::Cached) engine came from, since it was made.
#[derive(Debug, Default)]
pub struct CacheCounts {
    hits: AtomicU64,
    shared: AtomicU64,
    misses: AtomicU64,
    apart: AtomicU64,
}

/// Where one answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Known,
    UnderWay,
    Engine,
    EngineAlone,
}

impl CacheCounts {
    pub(super) fn note(&self, source: Source, answers: u64) {
        let counter = match source {
            Source::Known => &self.hits,
            Source::UnderWay => &self.shared,
            Source::Engine => &self.misses,
            Source::EngineAlone => &self.apart,
        };
        counter.fetch_add(answers, Relaxed);
    }

    /// Answers by where they came from: `hit` (remembered), `shared` (somebody else had asked the same and waited),
    /// `miss` (the engine, and remembered if it may be), `apart` (the engine; the next answer may differ).
    pub fn by_result(&self) -> [(&'static str, u64); 4] {
        [
            ("hit", self.hits.load(Relaxed)),
            ("shared", self.shared.load(Relaxed)),
            ("miss", self.misses.load(Relaxed)),
            ("apart", self.apart.load(Relaxed)),
        ]
    }
}
