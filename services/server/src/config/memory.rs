//! What a server's work may take, added up.

use tabiya_api::MAX_MESSAGE_BYTES;
use tabiya_evaluator::{
    NetworkSource, PackedPosition, line_bytes,
    network::architecture::{FEATURES_PER_BUCKET, WIDTHS},
};
use tabiya_search::MAX_TABLEBASE_BYTES;

use super::{Config, GREATEST_SEARCH, GpuPolicy};
use crate::engine::{RESTING_SHARE, fibers_bytes};

/// Bytes of a network's file for each neuron of its first layer, at least: a weight for each piece on each square.
const BYTES_PER_NEURON: usize = 2 * FEATURES_PER_BUCKET;

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

    /// What the networks take: each its weights and the positions that wait for it, with their values; and the sums that the
    /// bulk searches by the widest keep of their lines.
    fn network_bytes(&self) -> usize {
        // The first layer has a row of so many weights for each of its neurons, so a file says how wide its network may be.
        let most_width = |source: &NetworkSource| (source.file_bytes() / BYTES_PER_NEURON).min(*WIDTHS.end());
        let waiting = self.evaluate_queue * (size_of::<PackedPosition>() + size_of::<i32>());
        let weights: usize = self.network.iter().map(NetworkSource::memory_bytes).sum();
        let widest = self.network.iter().map(most_width).max().unwrap_or_default();
        weights + self.network.len() * waiting + self.bulk_threads * line_bytes(widest)
    }

    /// The bytes that each kind of work may take at once, by what it is. The process has some hundred MiB beside them (the
    /// program, connections, answers on their way out), so whoever sets a limit for it sets one well above their sum.
    pub fn memory_budgets(&self) -> [(&'static str, usize); 10] {
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
            (
                "bulk searches on a device",
                self.fiber_threads() * fibers_bytes(self.network.len()),
            ),
            ("submissions of jobs", submissions),
            ("remembered answers of jobs", self.jobs_cache),
            ("small endgame tables", endgames),
            ("networks", self.network_bytes()),
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
        let work = mib(1056 + 132 + 512 + 256 + 8 + 132) + 1000;
        // The network's file twice, its queue, and the lines of two searches by a network of 256 neurons or a little more.
        let (file, queue) = (NetworkSource::default().file_bytes(), 65_536 * (32 + 4));
        let networks = sum(&config) - work;
        let line = |width: usize| 2 * 2 * 257 * 2 * width;
        let least = 2 * file + queue + line(256);
        assert!((least..least + line(16)).contains(&networks), "{networks}");
        // A second one of 1,024 neurons is the widest then, and costs its file twice and a queue.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.nnue");
        let large = 1024 * 1536 + 500_000;
        std::fs::write(&path, vec![0; large]).unwrap();
        let both = Config {
            network: vec![NetworkSource::default(), NetworkSource::File(path)],
            ..config.clone()
        };
        let more = sum(&both) - sum(&config);
        let least = 2 * large + queue + line(1024 - 256);
        assert!((least - line(16)..least + line(512)).contains(&more), "{more}");
        let gpu = Config {
            gpu: GpuPolicy::Hardware,
            ..config.clone()
        };
        // A GiB of running tables and as much of kept ones, the last table, 256 stacks and histories: two threads.
        assert_eq!(sum(&gpu) - sum(&config), 2 * mib(2048 + 66 + 448));
        let gpu_both = Config {
            gpu: GpuPolicy::Hardware,
            ..both.clone()
        };
        assert_eq!(sum(&gpu_both) - sum(&both), 2 * mib(2048 + 66 + 2 * 448));
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
