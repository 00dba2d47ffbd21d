use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::Sleep;
use tonic::{Code, Status, body::Body};

use super::{Deadline, deadline_exceeded, log::RequestLog, oversize, panicked};

/// A response body that ends at the deadline, survives panics and logs the call when it ends.
pub(crate) struct EdgeBody {
    /// `None` once the body has ended; dropping it drops the work behind it.
    inner: Option<Body>,
    deadline: Option<Pin<Box<Sleep>>>,
    log: Option<RequestLog>,
}

impl EdgeBody {
    pub(super) fn new(body: Body, deadline: Option<Deadline>, log: RequestLog) -> Self {
        // A body without content is never polled by some callers; its line is due at once.
        let ended = body.is_end_stream();
        Self {
            deadline: deadline.map(|Deadline(at)| Box::pin(tokio::time::sleep_until(at.into()))),
            inner: Some(body),
            log: (!ended).then_some(log),
        }
    }

    fn end(&mut self, code: Code) {
        self.inner = None;
        self.deadline = None;
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
                let late = this
                    .deadline
                    .as_mut()
                    .is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready());
                if late {
                    this.end_with(deadline_exceeded())
                } else {
                    Poll::Pending
                }
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
