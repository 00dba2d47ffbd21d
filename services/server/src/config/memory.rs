//! What a server's work may take, added up.

use tabiya_api::MAX_MESSAGE_BYTES;
use tabiya_search::MAX_TABLEBASE_BYTES;

use super::{Config, GREATEST_SEARCH, GpuPolicy};
use crate::engine::{FIBERS_BYTES, RESTING_SHARE};

/// Bytes of requests that the admin port takes in at once: two of the greatest messages.
pub(crate) const ADMIN_REQUEST_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

impl Config {
    /// Threads of bulk searches whose leaves a device evaluates. Without one nothing comes their way.
    pub(crate) fn fiber_threads(&self) -> usize {
        match self.gpu {
            GpuPolicy::Off => 0,
            GpuPolicy::Hardware | GpuPolicy::AllowSoftware => self.bulk_threads,
        }
    }

    /// The bytes that each kind of work may take at once, by what it is. The process has some hundred MiB beside them (the
    /// program, connections, answers on their way out), so whoever sets a limit for it sets one well above their sum.
    pub fn memory_budgets(&self) -> [(&'static str, usize); 9] {
        let submissions = if self.jobs_dir.is_none() && self.nats.is_none() {
            0
        } else {
            self.jobs_incoming
        };
        let endgames = if self.syzygy_path.is_empty() {
            0
        } else {
            MAX_TABLEBASE_BYTES as usize
        };
        [
            ("searches of callers", self.search_memory),
            ("tables at rest", self.search_memory / RESTING_SHARE),
            ("proofs and decisions", self.proof_memory),
            ("requests", self.request_bytes + ADMIN_REQUEST_BYTES),
            ("bulk searches", self.bulk_threads * GREATEST_SEARCH),
            ("bulk searches on a device", self.fiber_threads() * FIBERS_BYTES),
            ("submissions of jobs", submissions),
            ("remembered answers of jobs", self.jobs_cache),
            ("small endgame tables", endgames),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_follow_the_settings() {
        let config = Config {
            gpu: GpuPolicy::Off,
            jobs_cache: 1000,
            ..Config::for_cores(2)
        };
        let sum = |config: &Config| {
            config
                .memory_budgets()
                .iter()
                .map(|(_, bytes)| bytes)
                .sum::<usize>()
        };
        let mib = |count: usize| count << 20;
        // Searches 16 x 66 MiB and an eighth of it, proofs 512, requests 256 and 8, two bulk searches of 66.
        assert_eq!(sum(&config), mib(1056 + 132 + 512 + 256 + 8 + 132) + 1000);
        let gpu = Config {
            gpu: GpuPolicy::Hardware,
            ..config.clone()
        };
        // A GiB of running tables and as much of kept ones, the last table, 256 stacks and histories: two threads.
        assert_eq!(sum(&gpu) - sum(&config), 2 * mib(2048 + 66 + 448));
        let jobs = Config {
            nats: Some("nats://localhost".into()),
            ..config.clone()
        };
        assert_eq!(sum(&jobs) - sum(&config), mib(256));
        let tables = Config {
            syzygy_path: vec!["/syzygy".into()],
            ..config.clone()
        };
        assert_eq!(sum(&tables) - sum(&config), mib(256));
    }
}
