//! Requests that never become whole: how much of them is taken in, and for how long.

use crate::common;

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use common::{
    certificates::Folder,
    page::Page,
    tokens::{entry, with_token},
};
use http_body::Frame;
use tabiya_api::v1::{
    self, batch_legal_moves_response::Outcome, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, RunningServer, Server, auth::Token};
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
    const HOGS: usize = 22;
    let config = Config {
        request_bytes: 68 << 20,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut hogs = Vec::new();
    for count in 1..=HOGS {
        let channel = common::channel(server.addr()).await;
        hogs.push(tokio::spawn(async move {
            status(&channel, Unfinished::new(SENT)).await
        }));
        // The next one comes when all of this one is there: else it might be this one that is refused.
        until_taken(&server, |taken| taken >= count * SENT).await;
    }

    // Twenty-three times three is more than sixty-eight, as often as it is tried.
    let channel = common::channel(server.addr()).await;
    for _ in 0..2 {
        let one_more = tokio::time::timeout(PATIENCE, status(&channel, Unfinished::new(SENT)));
        let refused = one_more.await.expect("a refusal");
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
        assert!(refused.get_details_retry_info().is_some());
    }

    // What the others hold comes back when their calls end, and not before.
    assert!(hogs.iter().all(|hog| !hog.is_finished()));
    until_taken(&server, |taken| {
        (HOGS * SENT..(HOGS + 1) * SENT - SENT / 2).contains(&taken)
    })
    .await;
    hogs.iter().for_each(|hog| hog.abort());
    until_taken(&server, |taken| taken == 0).await;
    let another = tokio::spawn({
        let channel = channel.clone();
        async move { status(&channel, Unfinished::new(SENT)).await }
    });
    until_taken(&server, |taken| taken >= SENT).await;
    assert!(!another.is_finished());
    another.abort();
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

/// Moves of an item that takes nine times the memory that it was sent in.
const MOVES: usize = 1 << 18;

/// What it takes then, at least: a string each, and its letters.
const READ: usize = MOVES * (24 + 32);

fn great_item(id: usize) -> v1::BatchLegalMovesRequest {
    v1::BatchLegalMovesRequest {
        id: id.to_string(),
        position: Some(v1::Position {
            moves: vec!["e2e4".into(); MOVES],
            ..Default::default()
        }),
        ..Default::default()
    }
}

type Answers = tonic::Streaming<v1::BatchLegalMovesResponse>;

/// A stream of so many great items.
async fn great_stream(channel: &Channel, items: usize, token: &Token) -> Answers {
    let items = tokio_stream::iter((0..items).map(great_item));
    let mut client = RulesServiceClient::new(channel.clone());
    let answers = client.batch_legal_moves(with_token(items, token.expose())).await;
    answers.unwrap().into_inner()
}

/// A search without an end; it is over when the task is.
fn endless(channel: &Channel, token: &Token) -> tokio::task::JoinHandle<()> {
    let mut search = SearchServiceClient::new(channel.clone());
    let request = v1::BestMoveRequest {
        limits: Some(v1::Limits {
            nodes: 1 << 40,
            ..Default::default()
        }),
        ..Default::default()
    };
    let request = with_token(request, token.expose());
    tokio::spawn(async move {
        let ended = search.best_move(request).await;
        unreachable!("an end: {ended:?}");
    })
}

#[tokio::test]
async fn what_requests_take_once_they_are_read_is_bounded_over_all_streams() {
    const BUDGET: usize = 69 << 20;
    const ITEMS: usize = 8;
    let token = Token::generate().unwrap();
    let folder = Folder::new();
    let entries = entry("one", &token, "\"read\", \"bulk\"", "positions_in_flight = 1");
    let config = Config {
        request_bytes: BUDGET,
        tokens: Some(folder.write("tokens.toml", &entries)),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    // The caller's one position: as long as it is searched his streams wait, with what they have read.
    let search = endless(&channel, &token);
    let open = [("method", "tabiya.v1.SearchService/BestMove")];
    Page::until_sum(server.admin_addr(), "tabiya_open_requests", &open, |open| {
        open == 1.0
    })
    .await;

    // Beyond half of it a stream reads no further, however much it has sent.
    let first = great_stream(&channel, ITEMS, &token).await;
    until_taken(&server, |taken| taken >= 3 * READ).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    until_taken(&server, |taken| (3 * READ..4 * READ).contains(&taken)).await;
    // Another one has an item read; a third one's, the fifth of all, is too much and refused.
    const { assert!(5 * READ > BUDGET) };
    let second = great_stream(&channel, ITEMS, &token).await;
    until_taken(&server, |taken| taken >= 4 * READ).await;
    let refused = great_stream(&channel, ITEMS, &token).await.message().await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    assert!(refused.get_details_retry_info().is_some());
    until_taken(&server, |taken| (4 * READ..BUDGET).contains(&taken)).await;
    let shed = [("class", "bulk"), ("reason", "request_bytes")];
    Page::until_sum(server.admin_addr(), "tabiya_shed_total", &shed, |shed| {
        shed == 1.0
    })
    .await;

    // Both go on to their ends, and then nothing is held any more.
    search.abort();
    for mut answers in [first, second] {
        for index in 0..ITEMS as u64 {
            let answer = answers.message().await.unwrap().expect("an answer");
            assert_eq!(answer.index, index);
        }
        assert!(answers.message().await.unwrap().is_none());
    }
    until_taken(&server, |taken| taken == 0).await;
}

#[tokio::test]
async fn streams_that_wait_for_memory_go_on() {
    const STREAMS: usize = 3;
    const ITEMS: usize = 8;
    let config = Config {
        // What all of them send takes four times as much.
        request_bytes: 80 << 20,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let streams = (0..STREAMS).map(|_| async {
        let channel = common::channel(server.addr()).await;
        let items = tokio_stream::iter((0..ITEMS).map(great_item));
        let answers = RulesServiceClient::new(channel).batch_legal_moves(items).await;
        let mut answers = answers.unwrap().into_inner();
        for index in 0..ITEMS as u64 {
            let answer = answers.message().await.unwrap().expect("an answer");
            assert_eq!(answer.index, index);
            // So many moves are refused, but only once they are read.
            assert!(matches!(answer.outcome, Some(Outcome::Error(_))), "{answer:?}");
        }
        assert!(answers.message().await.unwrap().is_none());
    });
    let all = futures_util::future::join_all(streams);
    tokio::time::timeout(PATIENCE, all).await.expect("an end");
    until_taken(&server, |taken| taken == 0).await;
}
