use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tonic::Code;

use super::{calls::Call, intake::Share};

/// What a call's handler reports for its log line. Found among the request's extensions.
#[derive(Debug, Default)]
pub(crate) struct RequestStats {
    positions: AtomicU64,
    queue_micros: AtomicU64,
    compute_micros: AtomicU64,
}

impl RequestStats {
    /// Counts positions taken in.
    pub(crate) fn add_positions(&self, positions: usize) {
        self.positions.fetch_add(positions as u64, Ordering::Relaxed);
    }

    /// Counts time spent waiting for a thread and time spent computing.
    pub(crate) fn add_times(&self, queue: Duration, compute: Duration) {
        self.queue_micros
            .fetch_add(queue.as_micros() as u64, Ordering::Relaxed);
        self.compute_micros
            .fetch_add(compute.as_micros() as u64, Ordering::Relaxed);
    }
}

/// The one line that each call leaves behind. Written when dropped; a call that was dropped early was cancelled.
#[derive(Debug)]
pub(super) struct RequestLog {
    method: String,
    started: Instant,
    stats: Arc<RequestStats>,
    code: Code,
    /// Counts the call among those in flight.
    _call: Call,
    /// What the request takes of the listener's intake, until the call has ended.
    _share: Arc<Share>,
}

impl RequestLog {
    pub(super) fn new(
        path: &str,
        started: Instant,
        stats: Arc<RequestStats>,
        call: Call,
        share: Arc<Share>,
    ) -> Self {
        // The path is the caller's text: no more than a method's name is kept.
        let method = tabiya_api::error::excerpt(path.trim_start_matches('/'));
        Self {
            method,
            started,
            stats,
            code: Code::Cancelled,
            _call: call,
            _share: share,
        }
    }

    pub(super) fn set_code(&mut self, code: Code) {
        self.code = code;
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let method = self.method.as_str();
        let code = format_args!("{:?}", self.code);
        let positions = self.stats.positions.load(Ordering::Relaxed);
        let queue_us = self.stats.queue_micros.load(Ordering::Relaxed);
        let compute_us = self.stats.compute_micros.load(Ordering::Relaxed);
        let total_us = self.started.elapsed().as_micros() as u64;
        match self.code {
            Code::Internal | Code::Unknown | Code::DataLoss => {
                tracing::error!(method, code, positions, queue_us, compute_us, total_us, "request");
            }
            Code::InvalidArgument | Code::ResourceExhausted | Code::OutOfRange | Code::FailedPrecondition => {
                tracing::warn!(method, code, positions, queue_us, compute_us, total_us, "request");
            }
            _ => tracing::info!(method, code, positions, queue_us, compute_us, total_us, "request"),
        }
    }
}
