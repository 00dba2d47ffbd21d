use super::cell::{Counter, Gauge};

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Its peer ended it, or was lost.
    Peer,
    /// It had no call for too long.
    Idle,
    /// It was old.
    Old,
    /// Its peer never began to speak.
    Silent,
    /// It was one too many: its calls were refused.
    Full,
    /// The server ends, and it was done.
    Drained,
    /// The server ends, and it was not done.
    Cut,
    /// What served it panicked.
    Failed,
}

impl End {
    const NAMES: [&str; 8] = [
        "peer", "idle", "old", "silent", "full", "drained", "cut", "failed",
    ];
}

/// The connections of one port.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    accepted: Counter,
    open: Gauge,
    ends: [Counter; End::NAMES.len()],
}

impl Connections {
    /// Counts a connection that was accepted.
    pub(crate) fn begin(&self) {
        self.accepted.inc();
        self.open.add(1);
    }

    /// Counts its end.
    pub(crate) fn end(&self, why: End) {
        self.open.add(-1);
        self.ends[why as usize].inc();
    }

    pub(super) fn accepted(&self) -> u64 {
        self.accepted.get()
    }

    pub(super) fn open(&self) -> i64 {
        self.open.get()
    }

    pub(super) fn ends(&self) -> impl Iterator<Item = (&'static str, u64)> {
        End::NAMES.into_iter().zip(self.ends.iter().map(Counter::get))
    }
}
