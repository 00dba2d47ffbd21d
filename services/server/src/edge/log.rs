use std::{
    fmt,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use tonic::Code;

use super::{calls::Call, intake::Share, stats::RequestStats};
use crate::{
    compute::Class,
    metrics::{Metrics, code_name},
    telemetry::{RequestId, Span, Summary},
};

/// What a call leaves behind: one line, its counts, and its span. Done when dropped; a call that was dropped early was
/// cancelled.
#[derive(Debug)]
pub(super) struct RequestLog {
    pub(super) stats: Arc<RequestStats>,
    pub(super) request_id: RequestId,
    pub(super) metrics: Arc<Metrics>,
    pub(super) peer: SocketAddr,
    pub(super) started: Instant,
    pub(super) span: Span,
    pub(super) code: Code,
    /// Counts the call among those in flight.
    pub(super) _call: Call,
    /// What the request takes of the listener's intake, until the call has ended.
    pub(super) share: Arc<Share>,
}

impl RequestLog {
    pub(super) fn set_code(&mut self, code: Code) {
        self.code = code;
    }
}

/// A value that is only there sometimes.
struct Or<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Or<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-"),
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let total = self.started.elapsed();
        let stats = &self.stats;
        let method = stats.method();
        method.open.add(-1);
        method.seconds.observe(total);
        method.count_end(self.code);
        let (queue, compute) = stats.times();
        let positions = stats.positions();
        self.span.end(&Summary {
            code: self.code,
            request_id: self.request_id.as_str(),
            positions,
            queue,
            compute,
        });

        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    method = method.name.as_str(),
                    code = code_name(self.code),
                    class = match method.class {
                        Class::Interactive => "interactive",
                        Class::Bulk => "bulk",
                    },
                    positions,
                    queue_seconds = %seconds(queue),
                    compute_seconds = %seconds(compute),
                    total_seconds = %seconds(total),
                    peer = %self.peer,
                    token = %Or(stats.caller()),
                    request_id = self.request_id.as_str(),
                    trace_id = %Or(self.span.trace()),
                    "request"
                )
            };
        }
        match self.code {
            Code::Internal | Code::Unknown | Code::DataLoss => line!(error),
            Code::InvalidArgument | Code::ResourceExhausted | Code::OutOfRange | Code::FailedPrecondition => {
                line!(warn);
            }
            _ => line!(info),
        }
    }
}
