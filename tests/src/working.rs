//! A process that works at jobs.

use std::{
    io::{BufRead, BufReader},
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
        let stderr = child.stderr.take().expect("a pipe");
        let log = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&log);
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                heard.lock().expect("no panic").push(line);
            }
        });
        let mut working = Self { child, log };
        let begun = Instant::now();
        while !working.log().iter().any(|line| line.contains("working at jobs")) {
            let ended = working.child.try_wait().expect("a child of ours");
            assert!(
                ended.is_none() && begun.elapsed() < Duration::from_secs(60),
                "no worker: {ended:?}\n{:#?}",
                working.log()
            );
            thread::sleep(Duration::from_millis(10));
        }
        working
    }

    /// Where it serves health, as it says first of all.
    ///
    /// # Panics
    /// If it does not, or was asked before.
    pub fn admin(&mut self) -> String {
        let stdout = self.child.stdout.take().expect("a pipe");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let admin = line.trim_end().strip_prefix("admin on ");
        admin.unwrap_or_else(|| panic!("{line:?}")).to_owned()
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
