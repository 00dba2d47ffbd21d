//! What becomes of a task that does not come to its end.

use crate::{DEATHS_OF_A_CHUNK, Span, TRIES_OF_A_CHUNK, TRIES_OF_AN_ITEM, Task};

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
    /// After a try that failed with a word.
    pub fn after_failure(task: &Task) -> Self {
        Self::after(task.span, task.tries(), TRIES_OF_A_CHUNK)
    }

    /// After tries, each of them alone in its process, that ended with the process. Deaths in company say nothing about
    /// one of the company.
    pub fn after_deaths(span: Span, alone: u32) -> Self {
        Self::after(span, alone, DEATHS_OF_A_CHUNK)
    }

    fn after(span: Span, tries: u32, of_a_chunk: u32) -> Self {
        match span.halves() {
            Some((first, second)) if tries >= of_a_chunk => Self::Split(first, second),
            None if tries >= TRIES_OF_AN_ITEM => Self::GiveUp,
            _ => Self::Try,
        }
    }
}
