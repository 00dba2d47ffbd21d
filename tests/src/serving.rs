//! A server process for a test.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStderr, ExitStatus},
    time::{Duration, Instant},
};

use crate::{signal, start, start_with};

/// `tabiya serve` on free ports. It is killed when dropped.
#[derive(Debug)]
pub struct Serving {
    child: Child,
    /// Held open, and unread.
    _stderr: Option<ChildStderr>,
    /// Address of the services.
    pub address: String,
    /// Address of health.
    pub admin: String,
}

impl Serving {
    /// Starts a server and waits until it says where it listens.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(extra: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", extra)
    }

    /// Starts a server that listens here, such as where another one did before.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_at(listen: &str, extra: &[&str]) -> Self {
        Self::launch(listen, extra).with_log_read()
    }

    /// Starts a server with just these arguments and variables.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_as(arguments: &[String], variables: &[(String, String)]) -> Self {
        Self::announced(start_with(arguments, variables)).with_log_read()
    }

    fn with_log_read(mut self) -> Self {
        let stderr = self._stderr.take().expect("a pipe");
        std::thread::spawn(move || BufReader::new(stderr).lines().for_each(drop));
        self
    }

    /// Starts a server whose log nobody reads.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_unread(extra: &[&str]) -> Self {
        Self::launch("127.0.0.1:0", extra)
    }

    fn launch(listen: &str, extra: &[&str]) -> Self {
        let ports = ["serve", "--listen", listen, "--admin-listen", "127.0.0.1:0"];
        Self::announced(start(ports.iter().chain(extra)))
    }

    /// The server of this process, once it says where it listens.
    fn announced(mut child: Child) -> Self {
        let stdout = child.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let mut address = |what: &str| {
            let line = lines.next().expect("a line").expect("text");
            line.strip_prefix(what)
                .unwrap_or_else(|| panic!("{line:?} instead of {what:?}"))
                .to_owned()
        };
        let (address, admin) = (address("listening on "), address("admin on "));
        Self {
            _stderr: child.stderr.take(),
            child,
            address,
            admin,
        }
    }

    /// URL of the services.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends a signal by its name, such as `TERM`.
    ///
    /// # Panics
    /// If it cannot be sent.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// If it does not come in time.
    pub fn wait(&mut self, patience: Duration) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status;
            }
            assert!(
                begun.elapsed() < patience,
                "the server still runs after {patience:?}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
