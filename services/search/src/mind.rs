//! What one thread keeps from search to search.

use crate::arena::Arena;
use crate::history::History;

/// Statistics and working memory of one thread.
pub(crate) struct Mind {
    pub(crate) history: History,
    pub(crate) arena: Arena,
}

impl Mind {
    pub(crate) fn new() -> Self {
        Self {
            history: History::new(),
            arena: Arena::new(),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.arena.clear();
    }
}
