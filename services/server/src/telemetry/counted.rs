//! What exports spans, with what becomes of each span counted: it is exported, it fails, or it is dropped because too many
//! wait already. The library's own queue keeps its count of drops to itself, so room is given here, before it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use opentelemetry::Context;
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{Span, SpanData, SpanExporter, SpanProcessor},
};

use crate::metrics::Metrics;

/// Room for spans on their way to the collector, those that are being sent included.
#[derive(Debug)]
pub(super) struct Room {
    metrics: Arc<Metrics>,
    most: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Room for so many.
    pub(super) fn new(most: usize, metrics: &Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            metrics: metrics.clone(),
            most,
            taken: AtomicUsize::new(0),
        })
    }

    /// Takes a place, if there is one.
    fn take(&self) -> bool {
        let more = |taken| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    fn give_back(&self, spans: usize) {
        self.taken.fetch_sub(spans, Relaxed);
    }
}

/// Hands spans on while there is room for them. The processor behind it has to have that much room, too.
#[derive(Debug)]
pub(super) struct Bounded<P> {
    pub(super) processor: P,
    pub(super) room: Arc<Room>,
}

impl<P: SpanProcessor> SpanProcessor for Bounded<P> {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.processor.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.room.take() {
            self.processor.on_end(span);
        } else {
            self.room.metrics.spans_dropped.inc();
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.processor.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.processor.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.processor.set_resource(resource);
    }
}

/// Counts what is exported and what fails, and gives back its room.
#[derive(Debug)]
pub(super) struct Counting<E> {
    pub(super) exporter: E,
    pub(super) room: Arc<Room>,
}

impl<E: SpanExporter> SpanExporter for Counting<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let outcome = self.exporter.export(batch).await;
        self.room.give_back(spans);
        let metrics = &self.room.metrics;
        match &outcome {
            Ok(()) => metrics.spans_exported.add(spans as u64),
            Err(error) => {
                metrics.spans_failed.add(spans as u64);
                tracing::debug!(%error, spans, "spans were not exported");
            }
        }
        outcome
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};

    use opentelemetry::trace::{Tracer as _, TracerProvider as _};
    use opentelemetry_sdk::{
        error::OTelSdkError,
        trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider},
    };

    use super::*;

    /// A collector that does nothing until it is told whether it takes spans.
    #[derive(Clone, Debug, Default)]
    struct Slow(Arc<(Mutex<Option<bool>>, Condvar)>);

    impl Slow {
        fn takes(&self, takes: bool) {
            *self.0.0.lock().unwrap() = Some(takes);
            self.0.1.notify_all();
        }
    }

    impl SpanExporter for Slow {
        async fn export(&self, _: Vec<SpanData>) -> OTelSdkResult {
            let (takes, told) = &*self.0;
            let takes = told.wait_while(takes.lock().unwrap(), |takes| takes.is_none());
            match *takes.unwrap() {
                Some(true) => Ok(()),
                _ => Err(OTelSdkError::InternalFailure("away".into())),
            }
        }
    }

    #[test]
    fn every_span_is_exported_or_failed_or_dropped() {
        let metrics = Arc::new(Metrics::new());
        let room = Room::new(4, &metrics);
        let collector = Slow::default();
        let exporter = Counting {
            exporter: collector.clone(),
            room: room.clone(),
        };
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(4)
            .with_max_export_batch_size(4)
            .build();
        let processor = BatchSpanProcessor::builder(exporter)
            .with_batch_config(config)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(Bounded {
                processor,
                room: room.clone(),
            })
            .build();
        let tracer = provider.tracer("test");
        let spans = |count: usize| (0..count).for_each(|_| drop(tracer.start("span")));
        let counts = || {
            let counters = [
                &metrics.spans_exported,
                &metrics.spans_failed,
                &metrics.spans_dropped,
            ];
            counters.map(|counter| counter.get())
        };

        // The collector does nothing yet: what is on its way counts as waiting, whichever part of the way it is on.
        spans(10);
        assert_eq!(counts(), [0, 0, 6]);
        collector.takes(false);
        // It tells of the last batch alone, and that may be an empty one.
        let _ = provider.force_flush();
        assert_eq!(counts(), [0, 4, 6]);
        // There is room again.
        collector.takes(true);
        spans(3);
        provider.force_flush().unwrap();
        assert_eq!(counts(), [3, 4, 6]);
    }
}
