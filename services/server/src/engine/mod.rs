//! What the services compute with.

mod batches;
mod endgames;
mod fibers;
mod info;
mod leaf;
mod memory;
mod networks;
mod rulesets;
mod seat;
mod tables;
mod warm_up;

use std::{sync::Arc, time::Duration};

use tabiya_api::{convert::Rulesets, error::ServiceError, v1};
use tabiya_evaluator::AnyKernel;
use tabiya_search::Tablebase;

use crate::{
    Config, ServerError,
    compute::{Admission, Class, Pool},
    health::Proof,
    metrics::Metrics,
    phase::Lifecycle,
};

pub(crate) use batches::{Batches, served};
pub(crate) use fibers::{Fetched, Fibers, fibers_bytes};
pub(crate) use memory::{ADJUDICATION_BYTES, COMPARISON_BYTES, Held, Memory, SEARCHER_BYTES, proof_bytes};
pub(crate) use networks::{Networks, Served};
pub(crate) use seat::{Means, Seat, Sought};
pub(crate) use tables::Tables;

/// The share of the memory for searches that may rest between them.
pub(crate) const RESTING_SHARE: usize = 8;

/// The compute threads and what they compute with, shared by the services.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// What comes in at all.
    pub(crate) admission: Admission,
    /// Long games.
    pub(crate) rules: Pool,
    /// Bulk work of the rules, and reading what is to be evaluated in bulk.
    pub(crate) rules_bulk: Pool,
    /// Perft, which may take long.
    pub(crate) counting: Pool,
    /// Proofs of who can still mate, which may take long.
    pub(crate) proving: Pool,
    /// Searches that somebody waits for.
    pub(crate) interactive: Pool,
    /// Searches of bulk streams.
    pub(crate) bulk: Pool,
    /// Searches of bulk streams on a device.
    pub(crate) fibers: Fibers,
    /// What can be evaluated by.
    pub(crate) networks: Networks,
    /// Endgame tables, which every search asks.
    pub(crate) endgames: Option<Arc<Tablebase>>,
    pub(crate) rulesets: Arc<Rulesets>,
    pub(crate) lifecycle: Lifecycle,
    /// Rounds of work that a call without a deadline waits for at most.
    pub(crate) interactive_rounds: usize,
    /// Items of one bulk stream that are worked on at once.
    pub(crate) stream_in_flight: usize,
    /// What searches of waiting callers may take.
    pub(crate) memory: Memory,
    /// What proofs and adjudications may take.
    pub(crate) proofs: Memory,
    /// Tables that rest between searches.
    pub(crate) tables: Tables,
    /// The longest search for a waiting caller, and the longest count.
    pub(crate) longest_call: Duration,
    /// The longest search of a bulk item.
    pub(crate) longest_item: Duration,
    pub(crate) metrics: Arc<Metrics>,
    proof: Proof,
    pub(crate) limits: v1::EngineLimits,
}

impl Engine {
    /// Loads the networks, the rulesets and the endgame tables, starts the threads and begins to warm up. `proof` is given once
    /// a real batch of evaluations by each network has come out right.
    ///
    /// # Errors
    /// A network, a ruleset or tables that cannot be used, or a thread that the system refuses.
    pub(crate) fn start(config: &Config, lifecycle: Lifecycle, proof: Proof) -> Result<Self, ServerError> {
        let metrics = Arc::new(Metrics::new());
        let networks = Networks::load(config, &metrics)?;
        let rulesets = rulesets::load(config)?;
        let endgames = endgames::load(config)?;
        let fiber_threads = config.fiber_threads();
        let engine = Self {
            admission: Admission::new(config.interactive_positions, config.bulk_positions, &metrics),
            rules: Pool::start(
                "tabiya-rules",
                config.rules_threads,
                config.bulk_queue,
                Class::Interactive,
                &metrics,
            )?,
            rules_bulk: Pool::start(
                "tabiya-rbulk",
                config.rules_threads,
                config.bulk_queue,
                Class::Bulk,
                &metrics,
            )?,
            counting: Pool::start(
                "tabiya-perft",
                config.rules_threads,
                config.interactive_queue,
                Class::Bulk,
                &metrics,
            )?,
            proving: Pool::start(
                "tabiya-proof",
                config.rules_threads,
                config.interactive_queue,
                Class::Interactive,
                &metrics,
            )?,
            interactive: Pool::start(
                "tabiya-search",
                config.interactive_threads,
                config.interactive_queue,
                Class::Interactive,
                &metrics,
            )?,
            bulk: Pool::start(
                "tabiya-bulk",
                config.bulk_threads,
                config.bulk_queue,
                Class::Bulk,
                &metrics,
            )?,
            fibers: Fibers::start(fiber_threads, config.bulk_queue, &networks, &metrics)?,
            networks,
            endgames,
            rulesets,
            lifecycle,
            interactive_rounds: config.interactive_rounds,
            stream_in_flight: config.stream_in_flight,
            memory: Memory::new(config.search_memory),
            proofs: Memory::new(config.proof_memory),
            tables: Tables::new(config.search_memory / RESTING_SHARE),
            longest_call: config.longest_call,
            longest_item: config.longest_item,
            metrics,
            proof,
            limits: info::limits(config),
        };
        warm_up::start(&engine, config)?;
        Ok(engine)
    }

    /// Where a search takes its evaluations by a network from.
    ///
    /// AUTO is the CPU: with a network of this size, updating the sums in place is cheaper than the way to a device
    /// and back, whatever the device does there.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if a GPU is asked for and none works.
    pub(crate) async fn seat(&self, network: &Served, backend: v1::Backend) -> Result<Seat, ServiceError> {
        match backend {
            v1::Backend::Unspecified | v1::Backend::Auto | v1::Backend::Cpu => {
                Ok(Seat::Kernel(AnyKernel::best()))
            }
            v1::Backend::Scalar => Ok(Seat::scalar()),
            v1::Backend::Gpu => {
                let batches = network.batches.ready().await?;
                match batches.status().device_health.reason() {
                    None => Ok(Seat::Device(batches)),
                    Some(reason) => Err(ServiceError::FailedPrecondition(format!("no gpu: {reason}"))),
                }
            }
        }
    }

    /// The pools of compute threads, by the names that metrics give them.
    pub(crate) fn pools(&self) -> [(&'static str, &Pool); 6] {
        [
            ("rules", &self.rules),
            ("rules_bulk", &self.rules_bulk),
            ("counting", &self.counting),
            ("proving", &self.proving),
            ("search", &self.interactive),
            ("search_bulk", &self.bulk),
        ]
    }

    /// Positions of a class that wait for a compute thread.
    pub(crate) fn waiting(&self, class: Class) -> usize {
        let pools = self.pools().map(|(_, pool)| pool);
        let in_pools = pools.iter().filter(|pool| pool.class() == class);
        let fibers = match class {
            Class::Interactive => 0,
            Class::Bulk => self.fibers.waiting(),
        };
        in_pools.map(|pool| pool.waiting()).sum::<usize>() + fibers
    }

    /// Lets all compute threads end.
    pub(crate) fn close(&self) {
        for (_, pool) in self.pools() {
            pool.close();
        }
        self.fibers.close();
        self.networks.close();
    }
}
