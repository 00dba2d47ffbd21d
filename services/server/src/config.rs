use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    thread::available_parallelism,
    time::Duration,
};

use crate::ServerError;

/// Everything that can be set about a server. The defaults suit one server on a machine of its own.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the services listen. Port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where health is served, on a thread of its own. Port 0 picks a free one.
    pub admin_listen: SocketAddr,
    /// Threads that move bytes. They never compute anything long.
    pub io_threads: usize,
    /// Searches for waiting callers that may run at once. The operating system shares the cores among them, so
    /// that one long search does not make the others miss their deadlines.
    pub interactive_threads: usize,
    /// Greatest number of threads of one search. They come out of `interactive_threads`: as many as have nothing to
    /// do when it begins, and back to other callers as soon as these need them.
    pub threads_per_search: usize,
    /// Searches of bulk streams that run at once.
    pub bulk_threads: usize,
    /// Threads for counting, long games and bulk work of the rules.
    pub rules_threads: usize,
    /// Positions of waiting callers that may queue for a search thread.
    pub interactive_queue: usize,
    /// Positions of bulk streams that may queue for a search thread.
    pub bulk_queue: usize,
    /// Positions that may queue for an evaluation.
    pub evaluate_queue: usize,
    /// Items of one bulk stream that are worked on at once; the server reads no further ahead.
    pub stream_in_flight: usize,
    /// Connections served at once; further ones wait to be accepted.
    pub max_connections: usize,
    /// How long a stopping server still accepts connections after readiness has gone, for load balancers to notice.
    pub drain_delay: Duration,
    /// How long calls in flight may go on after that. Searches that are still running then answer with their best
    /// so far.
    pub drain_grace: Duration,
    /// A network file to use in place of the embedded one.
    pub network: Option<PathBuf>,
    /// Whether and which graphics processors may be used.
    pub gpu: GpuPolicy,
    /// How long the backends are measured before readiness; zero leaves them unmeasured and AUTO with the CPU.
    pub calibration: Duration,
}

/// Whether and which graphics processors may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GpuPolicy {
    /// None: do not even look.
    Off,
    /// Hardware only.
    Hardware,
    /// Also a software renderer such as lavapipe, which is for tests.
    AllowSoftware,
}

impl Default for Config {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            listen: (Ipv4Addr::LOCALHOST, 50051).into(),
            admin_listen: (Ipv4Addr::LOCALHOST, 9090).into(),
            io_threads: 2,
            interactive_threads: (cores * 8).clamp(16, 128),
            threads_per_search: cores.min(256),
            bulk_threads: cores,
            rules_threads: cores,
            interactive_queue: 256,
            bulk_queue: 4096,
            evaluate_queue: 65_536,
            stream_in_flight: 256,
            max_connections: 1000,
            drain_delay: Duration::ZERO,
            drain_grace: Duration::from_secs(25),
            network: None,
            gpu: GpuPolicy::Hardware,
            calibration: Duration::from_millis(300),
        }
    }
}

impl Config {
    /// A server inside the caller's own process: free loopback ports, little time at the start and at the end.
    pub fn in_process() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            admin_listen: (Ipv4Addr::LOCALHOST, 0).into(),
            drain_grace: Duration::from_secs(2),
            calibration: Duration::from_millis(100),
            ..Self::default()
        }
    }

    /// Checks every value against its range.
    ///
    /// # Errors
    /// [`ServerError::Config`] names the first setting that is out of range, its value and the range.
    pub fn validate(&self) -> Result<(), ServerError> {
        let counts = [
            ("io_threads", self.io_threads, 1, 64),
            ("interactive_threads", self.interactive_threads, 1, 1024),
            ("threads_per_search", self.threads_per_search, 1, 256),
            ("bulk_threads", self.bulk_threads, 1, 1024),
            ("rules_threads", self.rules_threads, 1, 1024),
            ("interactive_queue", self.interactive_queue, 1, 1 << 20),
            ("bulk_queue", self.bulk_queue, 64, 1 << 20),
            ("evaluate_queue", self.evaluate_queue, 1, 1 << 24),
            ("stream_in_flight", self.stream_in_flight, 1, 1 << 16),
            ("max_connections", self.max_connections, 1, 1 << 20),
        ];
        for (key, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                return Err(ServerError::Config {
                    key,
                    value,
                    least,
                    most,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_out_of_range_is_named() {
        Config::default().validate().unwrap();
        let error = Config {
            bulk_queue: 0,
            ..Config::default()
        }
        .validate()
        .unwrap_err();
        assert_eq!(error.to_string(), "bulk_queue is 0, outside 64..=1048576");
    }
}
