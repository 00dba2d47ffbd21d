//! The signals that end a server.

use std::{process, sync::mpsc, thread};

use tokio::runtime;

use crate::ServerError;

/// Exit code after a second signal.
const INTERRUPTED: i32 = 130;

/// Listens for SIGTERM and interrupts on a thread of its own. The first one is sent, the second ends the process.
pub(crate) fn listen() -> Result<mpsc::Receiver<&'static str>, ServerError> {
    let error = |source| ServerError::Thread {
        what: "the signal listener",
        source,
    };
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(error)?;
    let mut signals = {
        let _guard = runtime.enter();
        Signals::new().map_err(error)?
    };
    let (sender, first) = mpsc::channel();
    thread::Builder::new()
        .name("tabiya-signals".into())
        .spawn(move || {
            runtime.block_on(async {
                let _ = sender.send(signals.next().await);
                let signal = signals.next().await;
                tracing::warn!(signal, "second signal: leaving at once");
                process::exit(INTERRUPTED);
            });
        })
        .map_err(error)?;
    Ok(first)
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "interrupt"
    }
}
