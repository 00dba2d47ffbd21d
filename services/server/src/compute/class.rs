/// How urgent the work of a thread is.
///
/// The system runs threads that move bytes before either class: they need little time but need it at once. There may be
/// eight searches a core. A thread that moves bytes gets about half of the core beside so many of the interactive class;
/// with a quarter, which less niceness would give, it stands behind all eight as soon as it has had a burst of work,
/// and answers miss their deadlines by tens of milliseconds. Nicer still, and groups of processes that share a machine
/// by weight would count our threads for too little. On systems other than Linux all threads are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Somebody waits for it.
    Interactive,
    /// It has time.
    Bulk,
}

impl Class {
    /// Takes on the class's priority, for the calling thread, which has that of the process until then.
    pub(crate) fn enter(self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{getpriority_process, setpriority_process};

            // For Linux "this process" is this thread. Without the right to be nice, nothing is lost but time. Beyond the
            // process's own priority: a process that is nice itself has threads that move bytes which are so, too.
            let own = getpriority_process(None).unwrap_or(0);
            let _ = setpriority_process(None, own.saturating_add(self.nicer()).min(NICEST));
        }
    }

    /// How much nicer than the process.
    #[cfg(target_os = "linux")]
    fn nicer(self) -> i32 {
        match self {
            Self::Interactive => 10,
            Self::Bulk => 14,
        }
    }
}

/// What the system knows no nicer than.
#[cfg(target_os = "linux")]
const NICEST: i32 = 19;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{getpriority_process, setpriority_process};

    use super::*;

    #[test]
    fn threads_of_a_process_that_is_nice_are_nicer() {
        for (own, class, expected) in [
            (3, Class::Interactive, 13),
            (3, Class::Bulk, 17),
            (15, Class::Bulk, 19),
        ] {
            let thread = std::thread::spawn(move || {
                // One that is nicer already stays so; then there is nothing to see here.
                if getpriority_process(None).is_ok_and(|now| now <= own) {
                    setpriority_process(None, own).unwrap();
                    class.enter();
                    assert_eq!(getpriority_process(None).unwrap(), expected);
                }
            });
            thread.join().unwrap();
        }
    }
}
