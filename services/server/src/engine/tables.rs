use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tabiya_search::{Limits, Searcher};

use super::memory::SEARCHER_BYTES;
use crate::compute::after;

/// Tables that rest between searches, cleared, so that a search can begin at once.
#[derive(Clone)]
pub(crate) struct Tables {
    most: usize,
    resting: Arc<Mutex<Resting>>,
}

#[derive(Default)]
struct Resting {
    bytes: usize,
    /// Those that rest longest first.
    searchers: Vec<Searcher>,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("resting", &self.bytes()).finish()
    }
}

impl Tables {
    /// Tables of which at most so many bytes rest.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            resting: Arc::default(),
        }
    }

    /// Empty tables for these limits.
    pub(crate) fn take(&self, limits: &Limits) -> Searcher {
        let wanted = limits.table_bytes();
        let mut resting = self.lock();
        let fits = |searcher: &Searcher| searcher.table_bytes() == wanted;
        // What was used last is the likeliest to be in a cache.
        let found = resting.searchers.iter().rposition(fits);
        let found = found.map(|at| resting.remove(at));
        drop(resting);
        found.unwrap_or_else(|| Searcher::new(wanted))
    }

    /// Takes used tables back; they are cleared after the search's answer has been sent.
    pub(crate) fn give_back(&self, mut searcher: Searcher) {
        if weight(&searcher) > self.most {
            return;
        }
        let tables = self.clone();
        after(move || {
            searcher.clear();
            searcher.forget_helpers();
            let mut resting = tables.lock();
            let mut let_go = Vec::new();
            while resting.bytes + weight(&searcher) > tables.most {
                let_go.push(resting.remove(0));
            }
            resting.bytes += weight(&searcher);
            resting.searchers.push(searcher);
            drop(resting);
            drop(let_go);
        });
    }

    /// Bytes that rest.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Bytes that may rest.
    pub(crate) fn limit(&self) -> usize {
        self.most
    }

    fn lock(&self) -> MutexGuard<'_, Resting> {
        // No code that can panic runs under the lock.
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resting {
    fn remove(&mut self, at: usize) -> Searcher {
        let searcher = self.searchers.remove(at);
        self.bytes -= weight(&searcher);
        searcher
    }
}

fn weight(searcher: &Searcher) -> usize {
    searcher.table_bytes() + SEARCHER_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_rest_up_to_a_limit_and_the_oldest_go_first() {
        let small = Limits::nodes(1000);
        let large = Limits::nodes(100_000);
        let weight = |limits: &Limits| limits.table_bytes() + SEARCHER_BYTES;
        let tables = Tables::new(weight(&small) + weight(&large));
        let taken = (tables.take(&large), tables.take(&small), tables.take(&small));
        assert_eq!(tables.bytes(), 0);
        tables.give_back(taken.0);
        tables.give_back(taken.1);
        assert_eq!(tables.bytes(), weight(&small) + weight(&large));
        // No room for a third: the large one has rested longest.
        tables.give_back(taken.2);
        assert_eq!(tables.bytes(), 2 * weight(&small));

        let taken = tables.take(&small);
        assert_eq!(taken.table_bytes(), small.table_bytes());
        assert_eq!(tables.bytes(), weight(&small));
        assert_eq!(tables.take(&large).table_bytes(), large.table_bytes());
        tables.give_back(Searcher::new(1 << 26));
        assert_eq!(tables.bytes(), weight(&small), "too large to keep");
    }
}
