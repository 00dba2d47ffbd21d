use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Sleep;
use tonic::{Code, Status};

use super::{
    framing::Framing,
    intake::{Intake, Share},
};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A request body that is charged to its listener's intake and ends if a message that was begun is not finished.
///
/// Between messages a stream may rest as long as its caller likes: it may be waiting for answers.
pub(super) struct RequestBody {
    /// `None` after an error.
    inner: Option<Incoming>,
    intake: Intake,
    share: Arc<Share>,
    framing: Framing,
    /// Runs while a message is unfinished and waited for.
    patience: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(super) fn new(inner: Incoming, intake: Intake, share: Arc<Share>) -> Self {
        Self {
            inner: Some(inner),
            intake,
            share,
            framing: Framing::default(),
            patience: None,
        }
    }

    /// Charges a frame before it is handed on.
    fn charge(&mut self, bytes: &Bytes) -> Result<(), Status> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Whoever asks for more is done with the messages that were complete; the last one of a call stays charged
        // to the end of the call.
        self.share.resize(self.framing.unfinished() + bytes.len())?;
        self.framing.advance(bytes);
        if self.framing.unfinished() <= bytes.len() {
            // Another message has begun, or none.
            self.patience = None;
        }
        Ok(())
    }

    fn fail(&mut self, status: Status) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.inner = None;
        Poll::Ready(Some(Err(status.into())))
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else {
            return Poll::Ready(None);
        };
        match Pin::new(inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => match frame.data_ref().map(|bytes| this.charge(bytes)) {
                Some(Err(status)) => this.fail(status),
                _ => Poll::Ready(Some(Ok(frame))),
            },
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if this.framing.unfinished() == 0 => Poll::Pending,
            Poll::Pending => {
                let patience = this.intake.patience;
                let sleep = this
                    .patience
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
                std::task::ready!(sleep.as_mut().poll(cx));
                this.fail(Status::new(
                    Code::DeadlineExceeded,
                    "the rest of the message did not come",
                ))
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
