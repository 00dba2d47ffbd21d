use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as _, Frame, SizeHint};
use tabiya_api::{METER, error::ServiceError};
use tonic::{Code, Status, body::Body};

use super::{
    Deadline, Pass, framing::Framing, log::RequestLog, overdue::Overdue, panicked, reader::Reader,
    reading::Reading, wording,
};

/// A response body that ends when it is overdue, survives panics and logs the call when it ends.
pub(crate) struct EdgeBody {
    /// `None` once the body has ended; dropping it drops the work behind it.
    inner: Option<Body>,
    /// What is left of a part that was too long to be handed out in one.
    rest: Bytes,
    framing: Framing,
    deadline: Option<Deadline>,
    overdue: Option<Overdue>,
    log: Option<RequestLog>,
    /// `None` for a call that was not let in, and once the body has ended.
    pass: Option<Arc<Pass>>,
    /// What a stream's requests take, which are read while answers to others are made.
    reading: Option<Arc<Reading>>,
    /// Whether the peer reads; `None` where nobody watches.
    reader: Option<Arc<Reader>>,
}

/// Bytes that are handed out in one. A reader who takes as much now and then is slow; one who does not has stalled.
const PART: usize = 64 * 1024;

impl EdgeBody {
    pub(super) fn new(
        body: Body,
        deadline: Option<Deadline>,
        overdue: Option<Overdue>,
        log: Option<RequestLog>,
        pass: Option<Arc<Pass>>,
        reading: Option<Arc<Reading>>,
    ) -> Self {
        // A body without content is never polled by some callers; its line is due at once.
        let ended = body.is_end_stream();
        let reader = Reader::current().filter(|_| !ended);
        if let Some(reader) = &reader {
            // A peer without room for the first byte does not read either.
            reader.hand();
        }
        Self {
            deadline,
            overdue: overdue.filter(|_| !ended),
            inner: Some(body),
            rest: Bytes::new(),
            framing: Framing::default(),
            log: log.filter(|_| !ended),
            pass: pass.filter(|_| !ended),
            reading: reading.filter(|_| !ended),
            reader,
        }
    }

    /// Hands out a part, and keeps the rest for the next time.
    fn hand_out(&mut self, mut bytes: Bytes) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if bytes.len() > PART {
            self.rest = bytes.split_off(PART);
        }
        let sent = self.framing.advance(&bytes);
        if let Some(pass) = &self.pass {
            pass.exchange.send(sent);
        }
        if let Some(reader) = &self.reader {
            reader.hand();
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn end(&mut self, code: Code) {
        self.inner = None;
        self.rest = Bytes::new();
        self.deadline = None;
        self.overdue = None;
        self.pass = None;
        self.reading = None;
        if let Some(mut log) = self.log.take() {
            log.set_code(code);
        }
    }

    /// Ends the body with a status of our own.
    fn end_with(&mut self, status: Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut trailers = HeaderMap::new();
        if let Some(log) = &self.log {
            log.request_id.write(&mut trailers);
        }
        self.end(status.code());
        match status.add_header(&mut trailers) {
            Ok(()) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Err(status) => Poll::Ready(Some(Err(status))),
        }
    }

    /// The next frame; a panic of what makes it goes through.
    fn poll_within(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(reader) = &self.reader {
            reader.ask();
        }
        let Some(inner) = &mut self.inner else {
            return Poll::Ready(None);
        };
        // By the clock itself: beside a body that always has something, no timer gets its turn.
        if self.deadline.is_some_and(|Deadline(at)| Instant::now() >= at) {
            return self.end_with(ServiceError::DeadlineExceeded.into());
        }
        if !self.rest.is_empty() {
            let rest = std::mem::take(&mut self.rest);
            return self.hand_out(rest);
        }
        let mut poll = || Pin::new(&mut *inner).poll_frame(cx);
        let polled = match &self.reading {
            Some(reading) => METER.sync_scope(reading.clone(), poll),
            None => poll(),
        };
        match polled {
            Poll::Ready(Some(Ok(mut frame))) => {
                if let Some(trailers) = frame.trailers_mut() {
                    let status = Status::from_header_map(trailers);
                    if let Some(status) = status.as_ref().and_then(wording::in_our_words) {
                        return self.end_with(status);
                    }
                    if let Some(log) = &self.log {
                        log.request_id.write(trailers);
                    }
                    self.end(status.map_or(Code::Unknown, |status| status.code()));
                }
                match frame.into_data() {
                    Ok(bytes) => self.hand_out(bytes),
                    Err(frame) => Poll::Ready(Some(Ok(frame))),
                }
            }
            Poll::Ready(Some(Err(status))) => match wording::in_our_words(&status) {
                Some(status) => self.end_with(status),
                None => {
                    self.end(status.code());
                    Poll::Ready(Some(Err(status)))
                }
            },
            Poll::Ready(None) => {
                self.end(Code::Ok);
                Poll::Ready(None)
            }
            Poll::Pending => {
                let Some(overdue) = &mut self.overdue else {
                    return Poll::Pending;
                };
                let status = std::task::ready!(overdue.as_mut().poll(cx));
                self.end_with(status)
            }
        }
    }
}

impl http_body::Body for EdgeBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let polled = catch_unwind(AssertUnwindSafe(|| this.poll_within(cx)));
        polled.unwrap_or_else(|_| {
            if let Some(log) = &this.log {
                log.metrics.panics.stream.inc();
            }
            this.end_with(panicked())
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.inner {
            Some(body) if self.rest.is_empty() => body.size_hint(),
            _ => SizeHint::default(),
        }
    }
}

impl Drop for EdgeBody {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.ask();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::{Calls, Intake, RequestStats, overdue::overdue},
        *,
    };
    use crate::{
        metrics::Metrics,
        phase::Lifecycle,
        telemetry::{RequestId, Traces},
    };

    /// A body that always has more.
    struct Endless;

    impl http_body::Body for Endless {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"more")))))
        }
    }

    #[tokio::test]
    async fn a_body_that_never_waits_ends_at_its_deadline() {
        let deadline = Deadline(Instant::now() + Duration::from_millis(50));
        let calls = Arc::<Calls>::default();
        let metrics = Arc::new(Metrics::new());
        let method = metrics.methods.find("/test").clone();
        let log = RequestLog {
            request_id: RequestId::of(&HeaderMap::new()),
            span: Traces::default().begin(&HeaderMap::new(), "test", ([127, 0, 0, 1], 1).into()),
            stats: Arc::new(RequestStats::new(method.clone())),
            metrics,
            peer: ([127, 0, 0, 1], 1).into(),
            started: Instant::now(),
            code: Code::Cancelled,
            _call: calls.begin(),
            share: Intake::new(0, Duration::ZERO).share(),
        };
        let overdue = overdue(Some(deadline), &Lifecycle::new());
        let mut body = EdgeBody::new(
            Body::new(Endless),
            Some(deadline),
            Some(overdue),
            Some(log),
            None,
            None,
        );
        let begun = Instant::now();
        let trailers = loop {
            let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
            if let Ok(trailers) = frame.expect("no end").expect("no error").into_trailers() {
                break trailers;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it goes on for ever");
        };
        let status = Status::from_header_map(&trailers).unwrap();
        assert_eq!(status.code(), Code::DeadlineExceeded);
        assert_eq!(calls.in_flight(), 0);
        assert!(trailers.contains_key("x-request-id"));
        assert_eq!(method.ended_with(Code::DeadlineExceeded), 1);
    }
}
