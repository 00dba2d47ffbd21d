//! The page of metrics, made anew whenever it is asked for.

use std::{fmt, sync::Arc};

use prometheus_client::{collector::Collector, encoding::DescriptorEncoder, registry::Registry};
use tabiya_evaluator::batch::{
    BackendStatus, BatchCounters, CalibrationTable, DeviceHealth, LaneCounters, LaneKind, SIZE_CLASSES,
};

use super::{
    Metrics, names,
    process::process,
    text::{self, Text},
    writer::Writer,
};
use crate::{
    compute::Class,
    edge::Intake,
    engine::{Engine, Served},
    health::Proof,
    phase::{Lifecycle, Phase},
};

/// The classes and what metrics call them.
const CLASSES: [(Class, &str); 2] = [(Class::Interactive, "interactive"), (Class::Bulk, "bulk")];

/// The lanes of the evaluator and what metrics call them.
const LANES: [(LaneKind, &str); 3] = [
    (LaneKind::Cpu, "cpu"),
    (LaneKind::Device, "gpu"),
    (LaneKind::Scalar, "scalar"),
];

/// Writes everything that is known about a server.
#[derive(Debug)]
pub(crate) struct Page(Registry);

/// Where the figures come from.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) engine: Engine,
    pub(crate) proof: Proof,
    pub(crate) lifecycle: Lifecycle,
    /// The main port's.
    pub(crate) intake: Intake,
}

impl Page {
    pub(crate) fn new(sources: Sources) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(sources));
        Self(registry)
    }

    /// The page as it is now, in the format that fits an `Accept` header.
    ///
    /// # Errors
    /// None that are known: writing to a string does not fail.
    pub(crate) fn text(&self, accept: &str) -> Result<Text, fmt::Error> {
        text::write(&self.0, accept)
    }
}

impl Collector for Sources {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut page = Writer::new(encoder);
        self.calls(&mut page)?;
        self.connections(&mut page)?;
        self.admission(&mut page)?;
        self.evaluations(&mut page)?;
        self.searches(&mut page)?;
        self.memory(&mut page)?;
        self.jobs(&mut page)?;
        self.program(&mut page)
    }
}

impl Sources {
    fn calls(&self, page: &mut Writer<'_>) -> fmt::Result {
        let methods = self.metrics.methods.all();
        let ended = methods
            .iter()
            .flat_map(|method| method.ended().map(|(code, count)| ([&*method.name, code], count)));
        page.counter(&names::REQUESTS, ended)?;
        let seen = || {
            methods
                .iter()
                .filter(|method| method.ended().any(|(_, count)| count > 0))
        };
        let seconds = seen().map(|method| ([&*method.name], method.seconds.read()));
        page.histogram(&names::REQUEST_SECONDS, seconds)?;
        let open = methods.iter().map(|method| ([&*method.name], method.open.get()));
        page.gauge(&names::OPEN_REQUESTS, open)?;
        let positions = methods
            .iter()
            .map(|method| ([&*method.name], method.positions.get()));
        page.counter(&names::REQUEST_POSITIONS, positions)?;
        page.counter(&names::PANICS, one_label(self.metrics.panics.by_place()))
    }

    fn connections(&self, page: &mut Writer<'_>) -> fmt::Result {
        let ports = [
            ("main", &self.metrics.main_port),
            ("admin", &self.metrics.admin_port),
        ];
        page.gauge(
            &names::OPEN_CONNECTIONS,
            ports.map(|(name, port)| ([name], port.open())),
        )?;
        page.counter(
            &names::CONNECTIONS,
            ports.map(|(name, port)| ([name], port.accepted())),
        )?;
        let ends = ports
            .iter()
            .flat_map(|(name, port)| port.ends().map(|(why, count)| ([*name, why], count)));
        page.counter(&names::CONNECTION_ENDS, ends)?;
        page.counter(&names::RELOADS, self.metrics.reloads.all())
    }

    fn admission(&self, page: &mut Writer<'_>) -> fmt::Result {
        let engine = &self.engine;
        let gates = CLASSES.map(|(class, name)| (name, engine.admission.gate(class)));
        let waiting = CLASSES.map(|(class, name)| ([name], engine.waiting(class) as u64));
        page.gauge(&names::QUEUE_POSITIONS, waiting)?;
        let admitted = gates.map(|(name, gate)| ([name], gate.taken() as u64));
        page.gauge(&names::ADMITTED_POSITIONS, admitted)?;
        let limit = gates.map(|(name, gate)| ([name], gate.limit() as u64));
        page.gauge(&names::ADMISSION_LIMIT, limit)?;
        let rate = gates.map(|(name, gate)| ([name], gate.rate().unwrap_or(0.0)));
        page.gauge(&names::DRAIN_RATE, rate)?;

        let work = CLASSES.map(|(class, name)| (name, self.metrics.class(class)));
        page.histogram(
            &names::QUEUE_SECONDS,
            work.map(|(name, work)| ([name], work.queue.read())),
        )?;
        page.histogram(
            &names::COMPUTE_SECONDS,
            work.map(|(name, work)| ([name], work.compute.read())),
        )?;
        let shed = work
            .iter()
            .flat_map(|(name, work)| work.shed_by_reason().map(|(why, count)| ([*name, why], count)));
        page.counter(&names::SHED, shed)?;
        let abandoned = work.iter().flat_map(|(name, work)| {
            work.abandoned
                .by_stage()
                .map(|(stage, count)| ([*name, stage], count))
        });
        page.counter(&names::ABANDONED, abandoned)?;
        let pools = engine.pools();
        let threads = pools.map(|(name, pool)| ([name], pool.threads() as u64));
        page.gauge(&names::COMPUTE_THREADS, threads)?;
        let busy = pools.map(|(name, pool)| ([name], pool.busy() as u64));
        page.gauge(&names::BUSY_THREADS, busy)
    }

    fn evaluations(&self, page: &mut Writer<'_>) -> fmt::Result {
        let evaluators: Vec<Evaluator<'_>> = self.engine.networks.iter().map(Evaluator::of).collect();
        let each = || evaluators.iter();
        let lanes = || each().flat_map(Evaluator::lanes);
        page.counter(
            &names::EVAL_POSITIONS,
            lanes().map(|(labels, lane)| (labels, lane.positions)),
        )?;
        page.counter(
            &names::EVAL_BATCHES,
            lanes().map(|(labels, lane)| (labels, lane.batches)),
        )?;
        let sizes = |lane: &LaneCounters| (lane.positions as f64, sizes(&lane.batch_sizes));
        page.histogram(
            &names::EVAL_BATCH_SIZE,
            lanes().map(|(labels, lane)| (labels, sizes(&lane))),
        )?;
        let counted = |count: fn(&BatchCounters) -> u64| {
            each().map(move |evaluator| ([evaluator.name], count(&evaluator.counters)))
        };
        page.gauge(&names::EVAL_QUEUE_POSITIONS, counted(|counters| counters.waiting))?;
        let work = CLASSES.map(|(class, name)| (name, self.metrics.class(class)));
        page.histogram(
            &names::EVAL_QUEUE_SECONDS,
            work.map(|(name, work)| ([name], work.eval_queue.read())),
        )?;
        page.histogram(
            &names::EVAL_COMPUTE_SECONDS,
            work.map(|(name, work)| ([name], work.eval_compute.read())),
        )?;
        let fallback = each().flat_map(|Evaluator { name, counters, .. }| {
            [
                ([*name, "device_failed"], counters.fallback_batches),
                ([*name, "device_absent"], counters.standin_batches),
            ]
        });
        page.counter(&names::EVAL_FALLBACK, fallback)?;
        let queued = each().map(|evaluator| evaluator.counters.abandoned).sum::<u64>();
        let abandoned = [
            (["queued"], queued),
            (["computing"], self.metrics.eval_abandoned.get()),
        ];
        page.counter(&names::EVAL_ABANDONED, abandoned)?;
        page.counter(
            &names::DEVICE_FAILURES,
            counted(|counters| counters.device_failures),
        )?;
        page.counter(
            &names::DEVICE_RECOVERIES,
            counted(|counters| counters.device_recoveries),
        )?;
        page.gauge(&names::BACKEND_INFO, each().flat_map(Evaluator::backends))?;
        page.gauge(&names::BACKEND_RATE, each().flat_map(Evaluator::rates))?;
        let networks = self.engine.networks.iter();
        let networks = networks.map(|served| {
            let labels = [served.name(), &served.hash, served.batches.state()];
            (labels.map(str::to_owned), 1_u64)
        });
        page.gauge(&names::NETWORK_INFO, networks)
    }

    fn searches(&self, page: &mut Writer<'_>) -> fmt::Result {
        let searches = &self.metrics.searches;
        page.counter(&names::SEARCHES, one_label(searches.by_end()))?;
        let work = searches.by_backend();
        page.counter(
            &names::SEARCH_NODES,
            work.map(|(name, work)| ([name], work.nodes.get())),
        )?;
        let evaluations = work.map(|(name, work)| ([name], work.evaluations.get()));
        page.counter(&names::SEARCH_EVALUATIONS, evaluations)?;
        let hits = work.map(|(name, work)| ([name], work.table_hits.get()));
        page.counter(&names::SEARCH_TABLE_HITS, hits)?;
        let hits = work.map(|(name, work)| ([name], work.endgame_hits.get()));
        page.counter(&names::SEARCH_ENDGAME_HITS, hits)?;
        let fallback = [
            (["no_thread"], searches.no_thread.get()),
            (["no_memory"], searches.no_memory.get()),
        ];
        page.counter(&names::SEARCH_FALLBACK, fallback)
    }

    fn memory(&self, page: &mut Writer<'_>) -> fmt::Result {
        let engine = &self.engine;
        let (memory, proofs, tables) = (&engine.memory, &engine.proofs, &engine.tables);
        let mut budgets = vec![
            ("search", memory.taken(), memory.limit()),
            ("proofs", proofs.taken(), proofs.limit()),
            ("tables", tables.bytes(), tables.limit()),
            ("requests", self.intake.taken(), self.intake.limit()),
        ];
        if let Some(submissions) = self.metrics.jobs.submissions() {
            budgets.push(("submissions", submissions.taken(), submissions.limit()));
        }
        let taken = budgets.iter().map(|&(name, taken, _)| ([name], taken as u64));
        page.gauge(&names::MEMORY, taken)?;
        let limits = budgets.iter().map(|&(name, _, limit)| ([name], limit as u64));
        page.gauge(&names::MEMORY_LIMIT, limits)
    }

    fn jobs(&self, page: &mut Writer<'_>) -> fmt::Result {
        let jobs = &self.metrics.jobs;
        page.gauge(&names::JOBS, no_label(jobs.running.get()))?;
        page.gauge(&names::JOB_ITEMS, one_label(jobs.tasks()))?;
        page.counter(&names::JOB_RESULTS, one_label(jobs.results()))?;
        page.counter(&names::JOB_RETRIES, one_label(jobs.retries()))?;
        page.counter(&names::JOB_CACHE, one_label(jobs.cache()))?;
        page.gauge(
            &names::JOB_BROKER,
            jobs.broker().map(|working| ([""; 0], working)),
        )
    }

    fn program(&self, page: &mut Writer<'_>) -> fmt::Result {
        let state = match self.lifecycle.phase() {
            Phase::Serving if self.proof.given() => "ready",
            Phase::Serving => "starting",
            Phase::Leaving => "leaving",
            Phase::Draining | Phase::Stopping | Phase::Cut => "draining",
        };
        page.gauge(&names::STATE_INFO, [([state], 1_u64)])?;
        let network = self.engine.networks.default_one();
        let tables = self.engine.tables_hash();
        let build = [env!("CARGO_PKG_VERSION"), network.name(), &network.hash, &tables];
        page.gauge(&names::BUILD_INFO, [(build, 1_u64)])?;
        let spans = [
            (["exported"], self.metrics.spans_exported.get()),
            (["failed"], self.metrics.spans_failed.get()),
            (["dropped"], self.metrics.spans_dropped.get()),
        ];
        page.counter(&names::SPANS, spans)?;

        let process = process();
        let process = process.as_ref();
        page.counter(
            &names::PROCESS_CPU,
            process.map(|process| ([""; 0], process.cpu_seconds)),
        )?;
        page.gauge(
            &names::PROCESS_MEMORY,
            process.map(|process| ([""; 0], process.resident_bytes)),
        )?;
        page.gauge(
            &names::PROCESS_VIRTUAL,
            process.map(|process| ([""; 0], process.virtual_bytes)),
        )?;
        page.gauge(
            &names::PROCESS_FDS,
            process.map(|process| ([""; 0], process.open_fds)),
        )?;
        page.gauge(
            &names::PROCESS_MAX_FDS,
            process.and_then(|process| Some(([""; 0], process.max_fds?))),
        )?;
        page.gauge(
            &names::PROCESS_THREADS,
            process.map(|process| ([""; 0], process.threads)),
        )?;
        page.gauge(
            &names::PROCESS_START,
            process.map(|process| ([""; 0], process.started_seconds)),
        )
    }
}

/// What a network's evaluator has done, and what it is. Until it is open it has done nothing.
struct Evaluator<'a> {
    /// The network's.
    name: &'a str,
    counters: BatchCounters,
    status: Option<BackendStatus>,
}

impl<'a> Evaluator<'a> {
    fn of(served: &'a Arc<Served>) -> Self {
        let evaluator = served.batches.now();
        Self {
            name: served.name(),
            counters: evaluator
                .as_ref()
                .map_or_else(BatchCounters::default, |evaluator| evaluator.counters()),
            status: evaluator.map(|evaluator| evaluator.status()),
        }
    }

    fn lanes(&self) -> impl Iterator<Item = ([&'a str; 2], LaneCounters)> + use<'a> {
        let (name, counters) = (self.name, self.counters);
        LANES
            .into_iter()
            .map(move |(lane, of)| ([name, of], *counters.lane(lane)))
    }

    fn backends(&self) -> Vec<([String; 5], u64)> {
        let Some(status) = &self.status else {
            return Vec::new();
        };
        let info = |backend: &str, adapter: &str, driver: &str, state: &str| {
            let labels = [self.name, backend, adapter, driver, state].map(str::to_owned);
            (labels, 1)
        };
        let (adapter, driver) = match &status.device {
            Some(device) => (device.device.as_str(), device.driver.as_str()),
            None => ("", ""),
        };
        let state = match status.device_health {
            DeviceHealth::Healthy => "ready",
            DeviceHealth::Absent(_) => "absent",
            DeviceHealth::Broken { .. } => "broken",
            DeviceHealth::GivenUp { .. } => "given_up",
        };
        vec![
            info("cpu", &status.cpu.name, "", "ready"),
            info("gpu", adapter, driver, state),
            info("scalar", &status.scalar.name, "", "ready"),
        ]
    }

    /// The best rate of each backend in the calibration.
    fn rates(&self) -> Vec<([&'a str; 2], f64)> {
        let table = self
            .status
            .as_ref()
            .and_then(|status| status.calibration.as_ref());
        let rates = table.into_iter().flat_map(best_rates);
        rates
            .map(|(backend, rate)| ([self.name, backend], rate))
            .collect()
    }
}

/// The evaluator's classes of batch sizes with their upper ends.
fn sizes(counts: &[u64; SIZE_CLASSES]) -> Vec<(f64, u64)> {
    let last = SIZE_CLASSES - 1;
    let bound = |class: usize| match class {
        class if class == last => f64::INFINITY,
        class => (1_u64 << class) as f64,
    };
    counts
        .iter()
        .enumerate()
        .map(|(class, &count)| (bound(class), count))
        .collect()
}

/// The best rate of each backend in the calibration.
fn best_rates(table: &CalibrationTable) -> impl Iterator<Item = (&'static str, f64)> {
    let cpu = table.rows.iter().map(|row| row.cpu_all).reduce(f64::max);
    let gpu = table
        .rows
        .iter()
        .filter_map(|row| row.device_all)
        .reduce(f64::max);
    [("cpu", cpu), ("gpu", gpu)]
        .into_iter()
        .filter_map(|(name, rate)| Some((name, rate?)))
}

fn one_label<'a, N>(
    values: impl IntoIterator<Item = (&'a str, N)>,
) -> impl Iterator<Item = ([&'a str; 1], N)> {
    values.into_iter().map(|(label, value)| ([label], value))
}

fn no_label<N>(value: N) -> [([&'static str; 0], N); 1] {
    [([], value)]
}
