//! A process that works at jobs.

use std::{
    io::{BufRead, BufReader, Read},
    process::Child,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{signal, start, start_with};

/// `tabiya worker`, one of several. It is killed when dropped.
#[derive(Debug)]
pub struct Working {
    child: Child,
    log: Arc<Mutex<Vec<String>>>,
}

impl Working {
    /// Starts a worker that takes its work from this broker, and waits until it does.
    ///
    /// # Panics
    /// If it ends, or does not begin.
    pub fn start(nats: &str, extra: &[&str]) -> Self {
        Self::once_at_work(start(["worker", "--nats", nats].iter().chain(extra)))
    }

    /// Starts a worker with just these arguments and variables, and waits until it works.
    ///
    /// # Panics
    /// If it ends, or does not begin.
    pub fn start_as(arguments: &[String], variables: &[(String, String)]) -> Self {
        Self::once_at_work(start_with(arguments, variables))
    }

    fn once_at_work(mut child: Child) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        listen(child.stdout.take().expect("a pipe"), &log);
        listen(child.stderr.take().expect("a pipe"), &log);
        let mut working = Self { child, log };
        let begun = Instant::now();
        while !working.log().iter().any(|line| line.contains("working at jobs")) {
            let ended = working.child.try_wait().expect("a child of ours");
            assert!(
                ended.is_none() && begun.elapsed() < Duration::from_secs(180),
                "no worker: {ended:?}\n{:#?}",
                working.log()
            );
            thread::sleep(Duration::from_millis(10));
        }
        working
    }

    /// Address of health, of a worker with an engine of its own.
    ///
    /// # Panics
    /// If it did not say it.
    pub fn admin(&self) -> String {
        let log = self.log();
        let admin = log.iter().find_map(|line| line.strip_prefix("admin on "));
        admin
            .unwrap_or_else(|| panic!("no admin port: {log:#?}"))
            .to_owned()
    }

    /// Ends it as the kernel does when memory runs out: SIGKILL.
    ///
    /// # Panics
    /// If it has ended before.
    pub fn kill(&mut self) {
        self.child.kill().expect("a worker to kill");
        self.child.wait().expect("it ends");
    }

    /// Sends a signal by its name, such as `STOP`.
    ///
    /// # Panics
    /// If it cannot be sent.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// What it said on standard error, line by line.
    ///
    /// # Panics
    /// Never: nobody panics while the lines are held.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().expect("no panic").clone()
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps what a process says.
fn listen(output: impl Read + Send + 'static, log: &Arc<Mutex<Vec<String>>>) {
    let log = Arc::clone(log);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            log.lock().expect("no panic").push(line);
        }
    });
}
