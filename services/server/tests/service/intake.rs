//! Requests that never become whole: how much of them is taken in, and for how long.

use crate::common;

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use common::page::Page;
use http_body::Frame;
use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tabiya_server::{Config, RunningServer, Server};
use tonic::{Code, Status, body::Body, transport::Channel};
use tonic_types::StatusExt;
use tower::{Service, ServiceExt};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request that says that 4 MiB come, sends so many, and then nothing.
struct Unfinished(Option<Bytes>);

impl Unfinished {
    fn new(sent: usize) -> Self {
        let mut bytes = vec![0; 5 + sent];
        bytes[1..5].copy_from_slice(&(4_u32 << 20).to_be_bytes());
        Self(Some(bytes.into()))
    }
}

impl http_body::Body for Unfinished {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.0.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None => Poll::Pending,
        }
    }
}

/// The status of a call with this body; the call ends with it.
async fn status(channel: &Channel, body: Unfinished) -> Status {
    let request = http::Request::post("/tabiya.v1.RulesService/LegalMoves")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Body::new(body))
        .unwrap();
    let mut channel = channel.clone();
    let response = channel.ready().await.unwrap().call(request).await.unwrap();
    Status::from_header_map(response.headers()).expect("a call without an answer")
}

async fn is_served(channel: &Channel) -> bool {
    let mut client = RulesServiceClient::new(channel.clone());
    match client.legal_moves(v1::LegalMovesRequest::default()).await {
        Ok(_) => true,
        Err(status) => {
            assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
            false
        }
    }
}

/// Waits until the server's own account of what it has of requests satisfies this.
async fn until_taken(server: &RunningServer, fits: impl Fn(usize) -> bool) {
    let requests = [("budget", "requests")];
    Page::until_sum(server.admin_addr(), "tabiya_memory_bytes", &requests, |taken| {
        fits(taken as usize)
    })
    .await;
}

#[tokio::test]
async fn bytes_of_unfinished_requests_are_bounded_over_all_connections() {
    const SENT: usize = 3 << 20;
    let config = Config {
        request_bytes: 8 << 20,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut hogs = Vec::new();
    for count in 1..=2 {
        let channel = common::channel(server.addr()).await;
        hogs.push(tokio::spawn(async move {
            status(&channel, Unfinished::new(SENT)).await
        }));
        // The next one comes when all of this one is there: else it might be this one that is refused.
        until_taken(&server, |taken| taken >= count * SENT).await;
    }

    // Three times three is more than eight, as often as it is tried.
    let channel = common::channel(server.addr()).await;
    for _ in 0..2 {
        let third = tokio::time::timeout(PATIENCE, status(&channel, Unfinished::new(SENT)));
        let refused = third.await.expect("a refusal");
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
        assert!(refused.get_details_retry_info().is_some());
    }

    // What the others hold comes back when their calls end, and not before.
    assert!(hogs.iter().all(|hog| !hog.is_finished()));
    until_taken(&server, |taken| (2 * SENT..2 * SENT + SENT / 2).contains(&taken)).await;
    hogs.iter().for_each(|hog| hog.abort());
    until_taken(&server, |taken| taken == 0).await;
    let fourth = tokio::spawn({
        let channel = channel.clone();
        async move { status(&channel, Unfinished::new(SENT)).await }
    });
    until_taken(&server, |taken| taken >= SENT).await;
    assert!(!fourth.is_finished());
    fourth.abort();
    assert!(is_served(&channel).await);
}

#[tokio::test]
async fn a_message_that_was_begun_has_to_be_finished() {
    let config = Config {
        message_patience: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let status = tokio::time::timeout(PATIENCE, status(&channel, Unfinished::new(10))).await;
    let status = status.expect("an end");
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    assert!(status.message().contains("message"), "{status:?}");
}

#[tokio::test]
async fn a_stream_may_rest_between_its_messages() {
    let config = Config {
        message_patience: Duration::from_millis(100),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let (sender, items) = tokio::sync::mpsc::channel(1);
    let items = tokio_stream::wrappers::ReceiverStream::new(items);
    let mut answers = client.batch_legal_moves(items).await.unwrap().into_inner();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        sender.send(v1::BatchLegalMovesRequest::default()).await.unwrap();
        assert!(answers.message().await.unwrap().is_some());
    }
    drop(sender);
    assert!(answers.message().await.unwrap().is_none());
}
