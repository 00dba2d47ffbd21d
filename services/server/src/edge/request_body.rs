use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;
use tonic::{Code, Status};

use super::{Pass, framing::Framing, reading::Reading};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A request body that is charged to its listener's intake, and ends if a message that was begun is not finished or none
/// comes for too long. A caller who waits for answers may rest as long as it takes.
pub(super) struct RequestBody<B> {
    /// `None` after an error.
    inner: Option<B>,
    reading: Arc<Reading>,
    pass: Arc<Pass>,
    framing: Framing,
    /// Runs while a message is unfinished and waited for.
    patience: Option<Pin<Box<Sleep>>>,
    /// Runs while no message has begun and one is waited for.
    rest: Option<Pin<Box<Sleep>>>,
}

impl<B: http_body::Body<Data = Bytes, Error: Into<Error>> + Unpin> RequestBody<B> {
    pub(super) fn new(inner: B, reading: Arc<Reading>, pass: Arc<Pass>) -> Self {
        Self {
            inner: Some(inner),
            reading,
            pass,
            framing: Framing::default(),
            patience: None,
            rest: None,
        }
    }

    /// Charges a frame before it is handed on.
    fn charge(&mut self, bytes: &Bytes) -> Result<(), Status> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Whoever asks for more has read the messages that were complete.
        self.reading.resize(self.framing.unfinished() + bytes.len())?;
        let finished = self.framing.advance(bytes);
        self.pass.exchange.receive(finished);
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

impl<B: http_body::Body<Data = Bytes, Error: Into<Error>> + Unpin> http_body::Body for RequestBody<B> {
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
            Poll::Ready(Some(Err(error))) => {
                let status = Status::from_error(error.into());
                // Of a peer that gave up the library says that its stream has ended, and a part would be taken for the whole.
                this.fail(match status.code() {
                    Code::Cancelled => Status::aborted("the request was broken off by its sender"),
                    _ => status,
                })
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if this.framing.unfinished() == 0 => {
                // Begun anew as often as it turns out that a message went meanwhile.
                while let Some(left) = this.pass.exchange.rest() {
                    let rest = this
                        .rest
                        .get_or_insert_with(|| Box::pin(tokio::time::sleep(left)));
                    std::task::ready!(rest.as_mut().poll(cx));
                    this.rest = None;
                }
                this.fail(Status::unavailable(this.pass.exchange.rested()))
            }
            Poll::Pending => {
                let patience = this.reading.patience();
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::Request;
    use tabiya_api::{codec::BoundedCodec, v1};
    use tonic::{Streaming, codec::Codec};

    use super::{
        super::{Guard, Intake},
        *,
    };
    use crate::{compute::Class, metrics::Metrics};

    /// An empty message, and a peer that gives up then.
    struct GivenUp(Option<Bytes>);

    impl http_body::Body for GivenUp {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            let next = self.0.take().map(Frame::data);
            Poll::Ready(Some(next.ok_or_else(|| Status::cancelled("reset"))))
        }
    }

    #[tokio::test]
    async fn a_stream_that_was_given_up_has_not_ended_well() {
        let long = Duration::from_secs(60);
        let intake = Intake::new(1 << 20, long);
        let reading = Reading::new(intake.share(), intake, Arc::new(Metrics::new()), Class::Bulk);
        let call = Request::post("/tabiya.v1.JobService/UploadJob").body(()).unwrap();
        let pass = Guard::new(None, long).enter(&call).unwrap();
        let body = GivenUp(Some(Bytes::from_static(&[0; 5])));
        let body = RequestBody::new(body, Arc::new(reading), Arc::new(pass));
        let decoder = BoundedCodec::<v1::UploadJobResponse, v1::UploadJobRequest>::default().decoder();
        let mut parts = Streaming::new_request(decoder, body, None, None);
        assert!(parts.message().await.unwrap().is_some());
        assert_eq!(parts.message().await.unwrap_err().code(), Code::Aborted);
    }
}
