use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    thread::available_parallelism,
    time::Duration,
};

use tabiya_api::{MAX_MESSAGE_BYTES, MAX_POSITIONS_PER_MESSAGE};

use crate::ServerError;

/// What a search takes at the greatest limits: a table of 64 MiB and the rest.
const GREATEST_SEARCH: usize = 66 << 20;

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
    /// Threads that evaluate batches of positions on the CPU.
    pub evaluate_threads: usize,
    /// Connections served at once; further ones wait to be accepted.
    pub max_connections: usize,
    /// How long a new connection may take to send its first bytes.
    pub handshake_patience: Duration,
    /// How long a connection may go without a call before it is told to go away; callers connect again by themselves.
    pub idle_connection: Duration,
    /// Bytes of requests that are taken in at once, as they travel; further ones are refused.
    pub request_bytes: usize,
    /// How long the rest of a message is waited for, once it is wanted and has begun.
    pub message_patience: Duration,
    /// Bytes that searches of waiting callers may take at once, mostly for tables; further ones wait. An eighth of it
    /// rests between searches.
    pub search_memory: usize,
    /// The longest search for a waiting caller, and the longest count, whatever was asked for.
    pub longest_call: Duration,
    /// The longest search of a bulk item, whatever was asked for.
    pub longest_item: Duration,
    /// How long a stopping server still accepts connections after readiness has gone, for load balancers to notice.
    pub drain_delay: Duration,
    /// How long calls in flight may go on after that. Searches that are still running then answer with their best
    /// so far.
    pub drain_grace: Duration,
    /// A network file to use in place of the embedded one.
    pub network: Option<PathBuf>,
    /// Ruleset files to serve beside those of the program. Each may build on those before it.
    pub rulesets: Vec<PathBuf>,
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
        Self::for_cores(available_parallelism().map_or(1, usize::from))
    }
}

impl Config {
    /// The defaults for a server that has so many cores to itself.
    pub fn for_cores(cores: usize) -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 50051).into(),
            admin_listen: (Ipv4Addr::LOCALHOST, 9090).into(),
            io_threads: 2,
            interactive_threads: cores.saturating_mul(8).clamp(16, 128),
            threads_per_search: cores.min(256),
            bulk_threads: cores,
            rules_threads: cores,
            interactive_queue: 256,
            bulk_queue: 4096,
            evaluate_queue: 65_536,
            stream_in_flight: 256,
            evaluate_threads: cores,
            max_connections: 1000,
            handshake_patience: Duration::from_secs(10),
            idle_connection: Duration::from_secs(600),
            request_bytes: 256 << 20,
            message_patience: Duration::from_secs(60),
            search_memory: cores.clamp(8, 1024) * 2 * GREATEST_SEARCH,
            longest_call: Duration::from_secs(600),
            longest_item: Duration::from_secs(3600),
            drain_delay: Duration::ZERO,
            drain_grace: Duration::from_secs(25),
            network: None,
            rulesets: Vec::new(),
            gpu: GpuPolicy::Hardware,
            calibration: Duration::from_millis(300),
        }
    }

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
            // Room for the greatest message.
            (
                "evaluate_queue",
                self.evaluate_queue,
                MAX_POSITIONS_PER_MESSAGE,
                1 << 24,
            ),
            ("stream_in_flight", self.stream_in_flight, 1, 1 << 16),
            ("search_memory", self.search_memory, GREATEST_SEARCH, 1 << 44),
            ("evaluate_threads", self.evaluate_threads, 1, 1024),
            ("max_connections", self.max_connections, 1, 1 << 20),
            (
                "request_bytes",
                self.request_bytes,
                2 * MAX_MESSAGE_BYTES,
                1 << 40,
            ),
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
