/// What a process is there for, where jobs are kept at a broker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duty {
    /// It answers calls and looks after the jobs, whether or not it works at them, too. Without a broker it answers
    /// everything but jobs.
    Serve,
    /// It works at jobs and does nothing else: without a broker it has nothing to do, and is not ready.
    Work,
}

impl Duty {
    /// As the broker and its tools see it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Work => "worker",
        }
    }
}
