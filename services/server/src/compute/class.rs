/// How urgent the work of a thread is.
///
/// The system runs threads that move bytes before either class: they need little time but need it at once, and with
/// more searches than cores they would otherwise wait for tens of milliseconds. On systems other than Linux all
/// threads are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Somebody waits for it.
    Interactive,
    /// It has time.
    Bulk,
}

impl Class {
    /// Takes on the class's priority, for the calling thread.
    pub(crate) fn enter(self) {
        #[cfg(target_os = "linux")]
        {
            let nice = match self {
                Self::Interactive => 4,
                Self::Bulk => 8,
            };
            // For Linux "this process" is this thread. Without the right to be nice, nothing is lost but time.
            let _ = rustix::process::setpriority_process(None, nice);
        }
    }
}
