//! What the threads of one search share beside the table: a store of nodes, and counts of the work done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::StoppedBy;

/// Nodes that a thread takes from the store at a time. When a search ends, each thread leaves fewer than this untouched.
pub(crate) const PORTION: u64 = 64;

/// Work that was done, by one thread or by several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Positions visited.
    pub(crate) nodes: u64,
    /// Calls of the evaluator.
    pub(crate) evaluations: u64,
    /// Positions found in the table.
    pub(crate) tt_hits: u64,
    /// Positions found in the endgame tables.
    pub(crate) tb_hits: u64,
}

impl Work {
    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            evaluations: self.evaluations + other.evaluations,
            tt_hits: self.tt_hits + other.tt_hits,
            tb_hits: self.tb_hits + other.tb_hits,
        }
    }
}

/// A thread's [`Work`], for other threads to read.
#[derive(Default)]
#[repr(align(128))]
struct Tally {
    nodes: AtomicU64,
    evaluations: AtomicU64,
    tt_hits: AtomicU64,
    tb_hits: AtomicU64,
}

/// Shared by the threads of one search.
pub(crate) struct Crew<'a> {
    /// Nodes not yet taken by any thread.
    store: AtomicU64,
    /// One for each thread, the first one's first.
    tallies: Vec<Tally>,
    /// The caller's wish to end the search.
    stop: &'a AtomicBool,
    /// Set when the first thread has its answer.
    pub(crate) finished: AtomicBool,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(nodes: u64, threads: usize, stop: &'a AtomicBool) -> Self {
        Self {
            store: AtomicU64::new(nodes),
            tallies: (0..threads).map(|_| Tally::default()).collect(),
            stop,
            finished: AtomicBool::new(false),
        }
    }

    /// Writes down what a thread has done.
    pub(crate) fn record(&self, thread: usize, work: Work) {
        if let Some(tally) = self.tallies.get(thread) {
            tally.nodes.store(work.nodes, Relaxed);
            tally.evaluations.store(work.evaluations, Relaxed);
            tally.tt_hits.store(work.tt_hits, Relaxed);
            tally.tb_hits.store(work.tb_hits, Relaxed);
        }
    }

    /// What the threads other than this one have written down.
    pub(crate) fn others(&self, thread: usize) -> Work {
        let others = self
            .tallies
            .iter()
            .enumerate()
            .filter(|&(index, _)| index != thread);
        others.fold(Work::default(), |sum, (_, tally)| {
            sum.plus(Work {
                nodes: tally.nodes.load(Relaxed),
                evaluations: tally.evaluations.load(Relaxed),
                tt_hits: tally.tt_hits.load(Relaxed),
                tb_hits: tally.tb_hits.load(Relaxed),
            })
        })
    }
}

/// One thread's access to the store.
pub(crate) struct Ration<'a> {
    pub(crate) crew: &'a Crew<'a>,
    pub(crate) thread: usize,
    /// Whether the thread is needed for something else.
    pub(crate) leave: &'a dyn Fn() -> bool,
}

impl Ration<'_> {
    /// Takes up to a portion of nodes, and writes down the work so far.
    ///
    /// # Errors
    /// Why this thread has to end: there are none left, or nobody wants it to go on.
    pub(crate) fn fetch(&mut self, done: Work) -> Result<u64, StoppedBy> {
        self.crew.record(self.thread, done);
        if self.crew.stop.load(Relaxed) || (self.leave)() {
            return Err(StoppedBy::Stop);
        }
        let before = self
            .crew
            .store
            .fetch_update(Relaxed, Relaxed, |left| Some(left - left.min(PORTION)))
            .unwrap_or_else(|left| left);
        match before.min(PORTION) {
            0 => Err(StoppedBy::Nodes),
            nodes => Ok(nodes),
        }
    }

    /// This thread's work and what the others have written down.
    pub(crate) fn total(&self, own: Work) -> Work {
        own.plus(self.crew.others(self.thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_gives_what_it_has_and_no_more() {
        let stop = AtomicBool::new(false);
        let crew = Crew::new(2 * PORTION + 5, 2, &stop);
        let mut ration = Ration {
            crew: &crew,
            thread: 1,
            leave: &|| false,
        };
        let work = Work {
            nodes: 7,
            evaluations: 3,
            tt_hits: 1,
            tb_hits: 2,
        };
        assert_eq!(ration.fetch(work), Ok(PORTION));
        assert_eq!(crew.others(0), work);
        assert_eq!(crew.others(1), Work::default());
        assert_eq!(ration.fetch(work), Ok(PORTION));
        assert_eq!(ration.fetch(work), Ok(5));
        assert_eq!(ration.fetch(work), Err(StoppedBy::Nodes));
        stop.store(true, Relaxed);
        assert_eq!(ration.fetch(work), Err(StoppedBy::Stop));
    }

    #[test]
    fn a_thread_wanted_elsewhere_leaves() {
        let stop = AtomicBool::new(false);
        let crew = Crew::new(u64::MAX, 1, &stop);
        let mut ration = Ration {
            crew: &crew,
            thread: 0,
            leave: &|| true,
        };
        assert_eq!(ration.fetch(Work::default()), Err(StoppedBy::Stop));
    }
}
