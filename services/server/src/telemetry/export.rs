use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use http::HeaderMap;
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::{SpanExporter as OtlpExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider},
};
use tokio::runtime::{self, Runtime};

use super::{
    Span,
    counted::{Bounded, Counting, Room},
};
use crate::{Config, ServerError, metrics::Metrics};

/// How long the collector has for one batch of spans.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(3);

/// Spans that may wait for the collector; further ones are dropped, and counted.
const WAITING_SPANS: usize = 4096;

/// How often waiting spans are sent.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long the last spans have at the end of the server.
pub(crate) const LAST_SPANS: Duration = Duration::from_secs(1);

/// Begins the spans of calls, and sends them to a collector if there is one. Sending happens on threads of its own:
/// a collector that is slow or gone costs spans and nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(Option<Arc<Exporting>>);

struct Exporting {
    tracer: SdkTracer,
    provider: SdkTracerProvider,
    /// Drives the connection to the collector.
    runtime: Background,
}

impl fmt::Debug for Exporting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporting").finish_non_exhaustive()
    }
}

impl Traces {
    /// Exports spans over OTLP if the configuration names a collector. Whether it is there shows later.
    ///
    /// # Errors
    /// An address that is none, or a thread that the system refuses.
    pub(crate) fn start(config: &Config, metrics: &Arc<Metrics>) -> Result<Self, ServerError> {
        let Some(endpoint) = &config.otlp_endpoint else {
            return Ok(Self::default());
        };
        let error = |reason: String| ServerError::Collector {
            endpoint: tabiya_api::error::excerpt(endpoint),
            reason,
        };
        if !endpoint.starts_with("http://") {
            return Err(error("not an address that begins with http://".to_owned()));
        }
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tabiya-otlp")
            .enable_all()
            .build()
            .map_err(|source| ServerError::Thread {
                what: "the export of spans",
                source,
            })?;
        let handle = runtime.handle().clone();
        let runtime = Background(Mutex::new(Some(runtime)));
        let exporter = {
            // The connection's task belongs to this runtime.
            let _guard = handle.enter();
            OtlpExporter::builder()
                .with_tonic()
                .with_endpoint(endpoint.as_str())
                .with_timeout(EXPORT_TIMEOUT)
                .build()
                .map_err(|reason| error(reason.to_string()))?
        };
        let room = Room::new(WAITING_SPANS, metrics);
        let counting = Counting {
            exporter,
            room: room.clone(),
        };
        let processor = BatchSpanProcessor::builder(counting)
            .with_batch_config(
                BatchConfigBuilder::default()
                    .with_max_queue_size(WAITING_SPANS)
                    .with_scheduled_delay(INTERVAL)
                    .build(),
            )
            .build();
        let resource = Resource::builder()
            .with_service_name("tabiya")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let chosen = Sampler::TraceIdRatioBased(config.trace_ratio);
        let provider = SdkTracerProvider::builder()
            .with_span_processor(Bounded { processor, room })
            .with_sampler(Sampler::ParentBased(Box::new(chosen)))
            .with_resource(resource)
            .build();
        Ok(Self(Some(Arc::new(Exporting {
            tracer: provider.tracer("tabiya"),
            provider,
            runtime,
        }))))
    }

    /// Begins the span of a call.
    pub(crate) fn begin(&self, headers: &HeaderMap, method: &str, peer: SocketAddr) -> Span {
        let tracer = self.0.as_ref().map(|exporting| &exporting.tracer);
        Span::begin(tracer, headers, method, peer.ip().to_string())
    }

    /// Sends what waits, for a second at most, and ends.
    pub(crate) fn close(&self) {
        let Some(exporting) = &self.0 else {
            return;
        };
        if exporting.provider.shutdown_with_timeout(LAST_SPANS).is_ok() {
            exporting.runtime.end();
            return;
        }
        tracing::warn!("the last spans were not exported");
        // An export is still under way, and needs the runtime until its time is up.
        let exporting = exporting.clone();
        let later = move || {
            thread::sleep(EXPORT_TIMEOUT);
            exporting.runtime.end();
        };
        // Without the thread it ends with the last handle.
        let _ = thread::Builder::new().name("tabiya-otlp-end".into()).spawn(later);
    }
}

/// A runtime that ends without waiting, wherever it is dropped.
struct Background(Mutex<Option<Runtime>>);

impl Background {
    fn end(&self) {
        let runtime = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.end();
    }
}
