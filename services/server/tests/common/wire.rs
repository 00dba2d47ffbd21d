//! Calls by their bytes.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame};
use tonic::Status;

/// A body that sends some bytes and ends.
pub struct Sent(Option<Bytes>);

impl Sent {
    pub fn new(bytes: Bytes) -> Self {
        Self(Some(bytes))
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A flag, the length that is told, and the bytes that come.
pub fn framed(flag: u8, told: u32, bytes: &[u8]) -> Bytes {
    let mut frame = vec![flag];
    frame.extend(told.to_be_bytes());
    frame.extend(bytes);
    frame.into()
}

/// A call of this method, such as `RulesService/LegalMoves`; `to` is what stands before the path.
pub fn request(to: &str, method: &str, body: Bytes) -> http::Request<Sent> {
    http::Request::post(format!("{to}/tabiya.v1.{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Sent::new(body))
        .unwrap()
}

/// How a call ends, with its status among the headers or the trailers.
pub async fn status<B>(response: http::Response<B>) -> Status
where
    B: Body<Error: std::fmt::Debug> + Unpin,
{
    if let Some(status) = Status::from_header_map(response.headers()) {
        return status;
    }
    let mut body = response.into_body();
    loop {
        let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        if let Ok(trailers) = frame.expect("an end with a status").unwrap().into_trailers() {
            return Status::from_header_map(&trailers).unwrap();
        }
    }
}
