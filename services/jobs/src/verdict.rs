//! What becomes of a task that does not come to its end.

use crate::{Span, TRIES_OF_A_CHUNK, TRIES_OF_AN_ITEM, Task};

/// What to do with a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Try it.
    Try,
    /// Cut it in two: one of the halves will come to its end.
    Split(Span, Span),
    /// It is one item, and it fails whoever tries it: an error is its result.
    GiveUp,
}

impl Verdict {
    /// Before a try: the ones that came before may have ended their workers without a word.
    pub fn before(task: &Task) -> Self {
        Self::after_tries(task.span, task.tries.saturating_sub(1))
    }

    /// After a try that failed.
    pub fn after_failure(task: &Task) -> Self {
        Self::after_tries(task.span, task.tries)
    }

    fn after_tries(span: Span, tries: u32) -> Self {
        match span.halves() {
            Some((first, second)) if tries >= TRIES_OF_A_CHUNK => Self::Split(first, second),
            None if tries >= TRIES_OF_AN_ITEM => Self::GiveUp,
            _ => Self::Try,
        }
    }
}
