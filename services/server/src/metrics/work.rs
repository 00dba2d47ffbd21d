//! What is counted about work on compute threads, evaluations and searches.

use super::cell::{Counter, Seconds};

/// Why a call was refused with RESOURCE_EXHAUSTED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shed {
    /// There was no room for its positions.
    QueueFull,
    /// No thread was free for it in time.
    TooLate,
    /// Too many bytes of requests are here already.
    RequestBytes,
    /// Its caller has used up what it may have.
    Quota,
    /// As many streams of results are open as may be.
    ResultStreams,
    /// As many connections are served as may be.
    Connections,
}

impl Shed {
    const NAMES: [&str; 6] = [
        "queue_full",
        "too_late",
        "request_bytes",
        "quota",
        "result_streams",
        "connections",
    ];
}

/// The work of one class.
#[derive(Debug, Default)]
pub(crate) struct ClassWork {
    pub(crate) queue: Seconds,
    pub(crate) compute: Seconds,
    pub(crate) eval_queue: Seconds,
    pub(crate) eval_compute: Seconds,
    pub(crate) abandoned: Abandoned,
    shed: [Counter; Shed::NAMES.len()],
}

impl ClassWork {
    /// Counts a call that was refused.
    pub(crate) fn shed(&self, reason: Shed) {
        self.shed[reason as usize].inc();
    }

    pub(super) fn shed_by_reason(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Shed::NAMES.into_iter().zip(self.shed.iter().map(Counter::get))
    }
}

/// Work whose caller went away.
#[derive(Debug, Default)]
pub(crate) struct Abandoned {
    /// Before it began: it was not done.
    pub(crate) queued: Counter,
    /// Meanwhile: it was done, in part or whole, for nobody.
    pub(crate) computing: Counter,
}

impl Abandoned {
    pub(super) fn by_stage(&self) -> [(&'static str, u64); 2] {
        [("queued", self.queued.get()), ("computing", self.computing.get())]
    }
}

/// Panics that were caught.
#[derive(Debug, Default)]
pub(crate) struct Panics {
    pub(crate) handler: Counter,
    pub(crate) stream: Counter,
    pub(crate) work: Counter,
    pub(crate) connection: Counter,
}

impl Panics {
    pub(super) fn by_place(&self) -> [(&'static str, u64); 4] {
        [
            ("handler", self.handler.get()),
            ("stream", self.stream.get()),
            ("work", self.work.get()),
            ("connection", self.connection.get()),
        ]
    }
}
