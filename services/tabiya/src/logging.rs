//! Log lines on stderr.

use std::io::{IsTerminal, stderr};

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// The variable that sets what is logged, such as `info` or `tabiya_server=debug`.
const VARIABLE: &str = "TABIYA_LOG";

/// What a server logs. What happens to a connection to NATS is said once by who uses it, not at each attempt.
const SERVER: &str = "info,async_nats=off,wgpu_core=warn,wgpu_hal=error,naga=warn";

/// What a command logs about the server inside it: nothing but errors, as its own words matter more.
const COMMAND: &str = "error,async_nats=off,wgpu_hal=off";

/// Lines that may wait for whoever reads stderr; further ones are dropped.
const WAITING_LINES: usize = 8192;

/// Writes what still waits when it is dropped, as far as anybody reads it.
#[must_use = "nothing is logged any more once it is dropped"]
pub(crate) struct Logging {
    dropped: ErrorCounter,
    _writer: WorkerGuard,
}

/// Starts logging: as a server's records, or as a command's errors.
///
/// Lines are written by a thread of their own. A reader that is slow or stalled costs lines, and they are counted;
/// it never holds up the thread that had something to say.
pub(crate) fn start(server: bool) -> Logging {
    let default = || EnvFilter::new(if server { SERVER } else { COMMAND });
    let filter = match std::env::var(VARIABLE).map(EnvFilter::try_new) {
        Ok(Ok(filter)) => filter,
        Ok(Err(error)) => {
            eprintln!("tabiya: {VARIABLE} is left aside: {error}");
            default()
        }
        Err(_) => default(),
    };
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING_LINES)
        .thread_name("tabiya-log")
        .finish(stderr());
    let dropped = writer.error_counter();
    // Fails only if a subscriber is there already, which then serves as well.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(stderr().is_terminal())
        .with_writer(writer)
        .try_init();
    if server {
        // The default hook writes to stderr itself, and would wait there with the thread that panicked.
        std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a thread panicked")));
    }
    Logging {
        dropped,
        _writer: guard,
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        let lines = self.dropped.dropped_lines();
        if lines > 0 {
            tracing::warn!(lines, "log lines were dropped: nobody read them in time");
        }
    }
}
