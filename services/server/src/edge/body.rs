use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as _, Frame, SizeHint};
use tabiya_api::error::ServiceError;
use tonic::{Code, Status, body::Body};

use super::{Deadline, log::RequestLog, overdue::Overdue, oversize, panicked};

/// A response body that ends when it is overdue, survives panics and logs the call when it ends.
pub(crate) struct EdgeBody {
    /// `None` once the body has ended; dropping it drops the work behind it.
    inner: Option<Body>,
    deadline: Option<Deadline>,
    overdue: Option<Overdue>,
    log: Option<RequestLog>,
}

impl EdgeBody {
    pub(super) fn new(
        body: Body,
        deadline: Option<Deadline>,
        overdue: Option<Overdue>,
        log: RequestLog,
    ) -> Self {
        // A body without content is never polled by some callers; its line is due at once.
        let ended = body.is_end_stream();
        Self {
            deadline,
            overdue: overdue.filter(|_| !ended),
            inner: Some(body),
            log: (!ended).then_some(log),
        }
    }

    fn end(&mut self, code: Code) {
        self.inner = None;
        self.deadline = None;
        self.overdue = None;
        if let Some(mut log) = self.log.take() {
            log.set_code(code);
        }
    }

    /// Ends the body with a status of our own.
    fn end_with(&mut self, status: Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.end(status.code());
        let mut trailers = HeaderMap::new();
        match status.add_header(&mut trailers) {
            Ok(()) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Err(status) => Poll::Ready(Some(Err(status))),
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
        let Some(inner) = &mut this.inner else {
            return Poll::Ready(None);
        };
        // By the clock itself: beside a body that always has something, no timer gets its turn.
        if this.deadline.is_some_and(|Deadline(at)| Instant::now() >= at) {
            return this.end_with(ServiceError::DeadlineExceeded.into());
        }
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(inner).poll_frame(cx)));
        match polled {
            Err(_) => this.end_with(panicked()),
            Ok(Poll::Ready(Some(Ok(frame)))) => {
                if let Some(trailers) = frame.trailers_ref() {
                    let status = Status::from_header_map(trailers);
                    if let Some(status) = status.as_ref().and_then(oversize::in_our_words) {
                        return this.end_with(status);
                    }
                    this.end(status.map_or(Code::Unknown, |status| status.code()));
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Ok(Poll::Ready(Some(Err(status)))) => match oversize::in_our_words(&status) {
                Some(status) => this.end_with(status),
                None => {
                    this.end(status.code());
                    Poll::Ready(Some(Err(status)))
                }
            },
            Ok(Poll::Ready(None)) => {
                this.end(Code::Ok);
                Poll::Ready(None)
            }
            Ok(Poll::Pending) => {
                let Some(overdue) = &mut this.overdue else {
                    return Poll::Pending;
                };
                let status = std::task::ready!(overdue.as_mut().poll(cx));
                this.end_with(status)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.inner
            .as_ref()
            .map_or_else(SizeHint::default, |body| body.size_hint())
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::{
        super::{Calls, Intake, overdue::overdue},
        *,
    };
    use crate::phase::Lifecycle;

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
        let share = Intake::new(0, Duration::ZERO).share();
        let calls = Arc::<Calls>::default();
        let log = RequestLog::new("/test", Instant::now(), Arc::default(), calls.begin(), share);
        let overdue = overdue(Some(deadline), &Lifecycle::new());
        let mut body = EdgeBody::new(Body::new(Endless), Some(deadline), Some(overdue), log);
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
    }
}
