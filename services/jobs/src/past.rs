/// What became of the earlier tries at a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Tries that failed, with a word said about why.
    pub failures: u32,
    /// Whether a try ended without a word: the process that it was in has ended, and this task may be why. It is tried
    /// alone from then on, so that it takes no other with it.
    pub suspect: bool,
}
