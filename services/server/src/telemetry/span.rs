use std::time::{Duration, SystemTime};

use http::HeaderMap;
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::{Span as _, SpanKind, Status, TraceContextExt, TraceId, Tracer},
};
use opentelemetry_sdk::{
    propagation::TraceContextPropagator,
    trace::{SdkTracer, Span as SdkSpan},
};
use tonic::Code;

/// The header of the W3C that says which trace a call belongs to.
const TRACE_PARENT: &str = "traceparent";

/// A call's place in a trace.
#[derive(Debug)]
pub(crate) struct Span {
    trace: Option<TraceId>,
    /// There is one while spans are exported and this one was chosen.
    span: Option<SdkSpan>,
}

/// What is known of a call at its end.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) code: Code,
    pub(crate) request_id: &'a str,
    pub(crate) positions: u64,
    pub(crate) queue: Duration,
    pub(crate) compute: Duration,
}

impl Span {
    /// Begins the span of a call, as a child of the caller's if the headers name one.
    pub(super) fn begin(tracer: Option<&SdkTracer>, headers: &HeaderMap, method: &str, peer: String) -> Self {
        let parent = headers
            .contains_key(TRACE_PARENT)
            .then(|| TraceContextPropagator::new().extract_with_context(&Context::new(), &Headers(headers)));
        let parent = parent.unwrap_or_default();
        let span = tracer.map(|tracer| {
            let (service, name) = method.split_once('/').unwrap_or(("", method));
            tracer
                .span_builder(method.to_owned())
                .with_kind(SpanKind::Server)
                .with_attributes([
                    KeyValue::new("rpc.system", "grpc"),
                    KeyValue::new("rpc.service", service.to_owned()),
                    KeyValue::new("rpc.method", name.to_owned()),
                    KeyValue::new("client.address", peer),
                ])
                .start_with_context(tracer, &parent)
        });
        let trace = match &span {
            Some(span) => span.span_context().trace_id(),
            None => parent.span().span_context().trace_id(),
        };
        Self {
            trace: (trace != TraceId::INVALID).then_some(trace),
            span: span.filter(|span| span.is_recording()),
        }
    }

    /// The trace, if the call is part of one.
    pub(crate) fn trace(&self) -> Option<TraceId> {
        self.trace
    }

    /// Ends the span. It is queued for export, or dropped when too many wait: this never waits.
    pub(crate) fn end(&mut self, summary: &Summary<'_>) {
        let Some(mut span) = self.span.take() else {
            return;
        };
        span.set_attribute(KeyValue::new("rpc.grpc.status_code", summary.code as i64));
        span.set_attribute(KeyValue::new("tabiya.request_id", summary.request_id.to_owned()));
        span.set_attribute(KeyValue::new("tabiya.positions", summary.positions as i64));
        span.set_attribute(KeyValue::new("tabiya.queue_seconds", summary.queue.as_secs_f64()));
        span.set_attribute(KeyValue::new(
            "tabiya.compute_seconds",
            summary.compute.as_secs_f64(),
        ));
        if is_ours(summary.code) {
            span.set_status(Status::error(format!("{:?}", summary.code)));
        }
        span.end_with_timestamp(SystemTime::now());
    }
}

/// Whether a code tells of a fault on the server's side.
fn is_ours(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|key| key.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace_of(parent: &'static str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(TRACE_PARENT, parent.parse().unwrap());
        let span = Span::begin(None, &headers, "a.B/C", String::new());
        span.trace().map(|trace| trace.to_string())
    }

    #[test]
    fn the_callers_trace_is_read_if_it_is_one() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(
            trace_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").as_deref(),
            Some(trace)
        );
        for wrong in [
            "",
            "banana",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(trace_of(wrong), None, "{wrong}");
        }
        let none = Span::begin(None, &HeaderMap::new(), "a.B/C", String::new());
        assert_eq!(none.trace(), None);
    }
}
