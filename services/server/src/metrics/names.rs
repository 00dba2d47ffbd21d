//! Every metric that the admin port shows, by name. Dashboards and alerts are checked against [`ALL`].
//!
//! Names end in a unit, or in `_total` where something is counted. Labels have few values: those of [`METHOD`] come from
//! the services' descriptors, the others are listed beside them.

/// How a metric behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size: `_bucket`, `_sum` and `_count`.
    Histogram,
}

/// A metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// Its whole name.
    pub name: &'static str,
    /// How it behaves.
    pub kind: Kind,
    /// Names of its labels, in order.
    pub labels: &'static [&'static str],
    /// What it says, in one sentence.
    pub help: &'static str,
}

/// A gRPC method, as in `tabiya.v1.RulesService/LegalMoves`, or `other`.
pub const METHOD: &str = "method";
/// A gRPC status code in the words of the protocol, such as `OK` or `RESOURCE_EXHAUSTED`.
pub const CODE: &str = "code";
/// `main` or `admin`.
pub const PORT: &str = "port";
/// `interactive` (somebody waits) or `bulk`.
pub const CLASS: &str = "class";
/// Why something happened; the metric's text lists the values.
pub const REASON: &str = "reason";
/// `queued` or `computing`.
pub const STAGE: &str = "stage";
/// A group of compute threads: `rules`, `rules_bulk`, `counting`, `proving`, `search`, `search_bulk`.
pub const POOL: &str = "pool";
/// `cpu`, `gpu` or `scalar`.
pub const BACKEND: &str = "backend";
/// Name of the network that evaluates, as its file says it.
pub const NETWORK: &str = "network";
/// `search`, `proofs`, `tables`, `requests`, or `submissions` where there is a place for jobs.
pub const BUDGET: &str = "budget";

macro_rules! metrics {
    ($($id:ident = $kind:ident $name:literal [$($label:expr),*] $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $id: Metric = Metric {
                name: $name,
                kind: Kind::$kind,
                labels: &[$($label),*],
                help: $help,
            };
        )*

        /// All of them, in the order in which they are shown.
        pub const ALL: &[Metric] = &[$($id),*];
    };
}

metrics! {
    // Calls.
    REQUESTS = Counter "tabiya_requests_total" [METHOD, CODE] "Calls that ended.";
    REQUEST_SECONDS = Histogram "tabiya_request_seconds" [METHOD] "Time from a call's headers to its last byte.";
    OPEN_REQUESTS = Gauge "tabiya_open_requests" [METHOD] "Calls and streams in flight.";
    REQUEST_POSITIONS = Counter "tabiya_request_positions_total" [METHOD] "Positions that calls brought.";
    PANICS = Counter "tabiya_panics_total" ["place"] "Panics that were caught: in a handler or before it, in a stream, in work on a compute thread, in what serves a connection.";

    // Connections.
    OPEN_CONNECTIONS = Gauge "tabiya_open_connections" [PORT] "Connections that are open.";
    CONNECTIONS = Counter "tabiya_connections_total" [PORT] "Connections that were accepted.";
    CONNECTION_ENDS = Counter "tabiya_connection_ends_total" [PORT, REASON] "Connections that ended: closed by the peer, idle, old, silent from the start, one too many (full), drained, cut, or failed by a panic.";
    RELOADS = Counter "tabiya_reloads_total" ["what", "result"] "Changed certificates, keys and token files: taken up, or refused with the old ones left in use.";

    // Admission, counted in positions.
    QUEUE_POSITIONS = Gauge "tabiya_queue_positions" [CLASS] "Positions that wait for a compute thread.";
    ADMITTED_POSITIONS = Gauge "tabiya_admitted_positions" [CLASS] "Positions that are admitted: waiting or being computed.";
    ADMISSION_LIMIT = Gauge "tabiya_admission_limit_positions" [CLASS] "Positions that are admitted at most.";
    DRAIN_RATE = Gauge "tabiya_drain_positions_per_second" [CLASS] "Positions that left admission a second, of late.";
    QUEUE_SECONDS = Histogram "tabiya_queue_seconds" [CLASS] "Time that work waited for a compute thread.";
    COMPUTE_SECONDS = Histogram "tabiya_compute_seconds" [CLASS] "Time that work took on a compute thread.";
    SHED = Counter "tabiya_shed_total" [CLASS, REASON] "Calls refused with RESOURCE_EXHAUSTED: queue_full, too_late, request_bytes, quota, result_streams, connections.";
    ABANDONED = Counter "tabiya_abandoned_total" [CLASS, STAGE] "Work whose caller went away.";
    COMPUTE_THREADS = Gauge "tabiya_compute_threads" [POOL] "Compute threads that there are.";
    BUSY_THREADS = Gauge "tabiya_busy_threads" [POOL] "Compute threads at work.";

    // Evaluations in batches.
    EVAL_POSITIONS = Counter "tabiya_eval_positions_total" [NETWORK, BACKEND] "Positions evaluated in batches.";
    EVAL_BATCHES = Counter "tabiya_eval_batches_total" [NETWORK, BACKEND] "Batches evaluated.";
    EVAL_BATCH_SIZE = Histogram "tabiya_eval_batch_size" [NETWORK, BACKEND] "Positions in a batch.";
    EVAL_QUEUE_POSITIONS = Gauge "tabiya_eval_queue_positions" [NETWORK] "Positions that wait for a batch.";
    EVAL_QUEUE_SECONDS = Histogram "tabiya_eval_queue_seconds" [CLASS] "Time that requests for evaluations waited for their first batch.";
    EVAL_COMPUTE_SECONDS = Histogram "tabiya_eval_compute_seconds" [CLASS] "Time from a request's first batch to its last value.";
    EVAL_FALLBACK = Counter "tabiya_eval_fallback_total" [NETWORK, REASON] "Batches that the CPU did in the device's place: device_failed (on that batch), device_absent (at the time).";
    EVAL_ABANDONED = Counter "tabiya_eval_abandoned_total" [STAGE] "Positions whose caller went away: queued (not evaluated), computing (evaluated for nobody).";
    DEVICE_FAILURES = Counter "tabiya_device_failures_total" [NETWORK] "Failures of the device.";
    DEVICE_RECOVERIES = Counter "tabiya_device_recoveries_total" [NETWORK] "Times that the device was opened again.";
    BACKEND_INFO = Gauge "tabiya_backend_info" [NETWORK, BACKEND, "adapter", "driver", "state"] "Backends: ready, absent, broken or given_up.";
    BACKEND_RATE = Gauge "tabiya_backend_positions_per_second" [NETWORK, BACKEND] "Evaluations a second, as measured at the start.";
    NETWORK_INFO = Gauge "tabiya_network_info" [NETWORK, "network_hash", "state"] "Networks that can be asked for: starting, ready, or failed, which keeps the server unready.";

    // Searches.
    SEARCHES = Counter "tabiya_searches_total" ["stopped_by"] "Searches that ended.";
    SEARCH_NODES = Counter "tabiya_search_nodes_total" [BACKEND] "Positions visited by searches.";
    SEARCH_EVALUATIONS = Counter "tabiya_search_evaluations_total" [BACKEND] "Evaluations by searches.";
    SEARCH_TABLE_HITS = Counter "tabiya_search_table_hits_total" [BACKEND] "Probes that found their position in a search's table.";
    SEARCH_ENDGAME_HITS = Counter "tabiya_search_endgame_hits_total" [BACKEND] "Positions that searches found in the endgame tables.";
    SEARCH_FALLBACK = Counter "tabiya_search_fallback_total" [REASON] "Searches that were answered from 200 nodes: no_thread (before the deadline), no_memory.";

    // Memory.
    MEMORY = Gauge "tabiya_memory_bytes" [BUDGET] "Memory taken of each budget: running searches, proofs and decisions, resting tables, requests on their way in, jobs that are being submitted.";
    MEMORY_LIMIT = Gauge "tabiya_memory_limit_bytes" [BUDGET] "Memory that each budget allows.";

    // Durable jobs.
    JOBS = Gauge "tabiya_running_jobs" [] "Jobs that have not ended; 0 where another process looks after them.";
    JOB_ITEMS = Gauge "tabiya_job_tasks" ["state"] "Chunks of jobs: waiting, leased.";
    JOB_RESULTS = Counter "tabiya_job_results_total" ["outcome"] "Results that workers of this process handed in: done, failed.";
    JOB_RETRIES = Counter "tabiya_job_retries_total" [REASON] "Chunks of this process's workers that are done again: lease_lost, failed, bisected.";
    JOB_CACHE = Counter "tabiya_job_cache_total" ["result"] "Items of this process's workers by where their answers came from: hit (remembered), shared (asked for by another item already), miss (searched), apart (searched, as the next answer may differ); without jobs_cache there is no series.";
    JOB_BROKER = Gauge "tabiya_job_broker_connections" [] "Connections to the broker that work: 0 or 1; without a broker there is no series.";

    // The program.
    STATE_INFO = Gauge "tabiya_state_info" ["state"] "What the server is doing: starting, ready, leaving, draining.";
    BUILD_INFO = Gauge "tabiya_build_info" ["version", "network", "network_hash", "tables_hash"] "What is running.";
    SPANS = Counter "tabiya_spans_total" ["outcome"] "Trace spans: exported, failed (the collector did not take them), dropped (too many were waiting for it).";
    PROCESS_CPU = Counter "process_cpu_seconds_total" [] "CPU time of the process.";
    PROCESS_MEMORY = Gauge "process_resident_memory_bytes" [] "Memory that the process has in RAM.";
    PROCESS_VIRTUAL = Gauge "process_virtual_memory_bytes" [] "Address space of the process.";
    PROCESS_FDS = Gauge "process_open_fds" [] "Open file descriptors.";
    PROCESS_MAX_FDS = Gauge "process_max_fds" [] "File descriptors that the process may open.";
    PROCESS_THREADS = Gauge "process_threads" [] "Threads of the process.";
    PROCESS_START = Gauge "process_start_time_seconds" [] "When the process started, in seconds since 1970.";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// What the name of a gauge or a histogram may end in.
    const UNITS: &[&str] = &[
        "seconds",
        "bytes",
        "positions",
        "positions_per_second",
        "requests",
        "connections",
        "threads",
        "fds",
        "jobs",
        "tasks",
        "size",
        "info",
    ];

    #[test]
    fn names_end_in_a_unit_and_are_all_different() {
        let names: HashSet<_> = ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), ALL.len());
        for Metric {
            name,
            kind,
            help,
            labels,
        } in ALL
        {
            let ours = name.starts_with("tabiya_") || name.starts_with("process_");
            assert!(ours && !help.is_empty() && labels.len() <= 5, "{name}");
            assert!(!labels.contains(&"le"), "{name}");
            let counts = *kind == Kind::Counter;
            assert_eq!(name.ends_with("_total"), counts, "{name}");
            let has_unit = UNITS.iter().any(|unit| name.ends_with(&format!("_{unit}")));
            assert!(counts || has_unit, "{name}");
        }
    }
}
