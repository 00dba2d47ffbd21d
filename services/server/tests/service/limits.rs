//! Limits on what connections and streams may take, and for how long.

use crate::common;

use std::time::{Duration, Instant};

use common::page::Page;
use tabiya_api::v1::{
    self, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_client::Client;
use tabiya_server::{Config, Server};
use tonic::{Code, Request, transport::Endpoint};
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn search(time: Duration) -> v1::Limits {
    v1::Limits {
        time: Some(time.try_into().unwrap()),
        ..Default::default()
    }
}

/// grpc/grpc-rust#2522: connections that get old panic, or are cut with what is in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_connections_go_and_their_calls_end_well() {
    let config = Config {
        connection_age: Duration::from_secs(1),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let idle = common::channel(server.addr()).await;
    let client = Client::connect(&server.addr().to_string()).await.unwrap();
    common::until_ready(&idle).await;

    // Stubs that ask again nothing: what is cut shows. Each has a connection of its own.
    let begun = Instant::now();
    let mut stub = SearchServiceClient::new(common::channel(server.addr()).await);
    let long = tokio::spawn(async move {
        let request = v1::BestMoveRequest {
            limits: Some(search(Duration::from_secs(3))),
            ..Default::default()
        };
        stub.best_move(request).await
    });
    let mut stub = SearchServiceClient::new(common::channel(server.addr()).await);
    let mut stream = stub
        .analyze(v1::AnalyzeRequest {
            limits: Some(search(Duration::from_secs(5))),
            ..Default::default()
        })
        .await
        .unwrap()
        .into_inner();
    let streamed = tokio::spawn(async move {
        let mut messages = 0;
        while let Some(message) = stream.message().await? {
            messages += 1;
            assert!(!message.best_move.is_empty());
        }
        Ok::<_, tonic::Status>(messages)
    });
    // Short calls all the while, on whichever connection there is.
    while begun.elapsed() < Duration::from_secs(6) {
        let answer = client.legal_moves(v1::LegalMovesRequest::default()).await;
        assert_eq!(answer.unwrap().moves.len(), 20);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let long = long.await.unwrap().unwrap().into_inner();
    assert_eq!(long.stopped_by(), v1::StoppedBy::Time, "{long:?}");
    assert!(streamed.await.unwrap().unwrap() > 0);
    // Those of the idle one, of the call, of the stream, and several of the client's.
    let admin = server.admin_addr();
    let old = [("port", "main"), ("reason", "old")];
    Page::until(admin, "tabiya_connection_ends_total", &old, 5.0).await;
    let page = Page::fetch(admin).await;
    assert!(page.sum("tabiya_connections_total", &[("port", "main")]) > 5.0);
    assert_eq!(page.sum("tabiya_panics_total", &[]), 0.0);
    // The client hides the switch, at the price of a call for a connection at most.
    let ended = page.sum("tabiya_connection_ends_total", &old);
    let statistics = client.statistics();
    assert!(statistics.retries as f64 <= ended, "{statistics:?} of {ended}");
    assert!(common::health(&idle, "liveness").await.is_ok());
    tokio::time::timeout(PATIENCE, common::shutdown(server))
        .await
        .expect("an end");
}

#[tokio::test]
async fn a_reader_that_stalls_is_cut() {
    let config = Config {
        stalled_reader: Duration::from_millis(300),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = Endpoint::from_shared(format!("http://{}", server.addr()))
        .unwrap()
        .initial_stream_window_size(70_000)
        .connect()
        .await
        .unwrap();
    let (sender, items) = tokio::sync::mpsc::channel(1);
    let items = tokio_stream::wrappers::ReceiverStream::new(items);
    let mut client = RulesServiceClient::new(channel.clone());
    let mut answers = client.batch_legal_moves(items).await.unwrap().into_inner();
    // Far more answers than anybody has room for, and nobody reads them: at last the server takes no more questions.
    let cut = async { while sender.send(v1::BatchLegalMovesRequest::default()).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, cut)
        .await
        .expect("the stream is cut");
    let status = loop {
        match answers.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("ended as if all was well"),
            Err(status) => break status,
        }
    };
    assert_eq!(status.code(), Code::Cancelled, "{status:?}");
    // The connection and its other calls are none the worse.
    let mut client = RulesServiceClient::new(channel);
    assert!(client.legal_moves(v1::LegalMovesRequest::default()).await.is_ok());
}

#[tokio::test]
async fn a_slow_reader_is_left_alone() {
    let config = Config {
        stalled_reader: Duration::from_secs(20),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let items = vec![v1::BatchLegalMovesRequest::default(); 500];
    let mut answers = client
        .batch_legal_moves(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    for read in 0..500 {
        if read % 100 == 0 {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert!(answers.message().await.unwrap().is_some());
    }
    assert!(answers.message().await.unwrap().is_none());
}

#[tokio::test]
async fn a_stream_that_rests_too_long_is_ended() {
    let config = Config {
        idle_stream: Duration::from_millis(300),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let (sender, items) = tokio::sync::mpsc::channel(1);
    let items = tokio_stream::wrappers::ReceiverStream::new(items);
    let mut client = RulesServiceClient::new(channel.clone());
    let mut answers = client.batch_legal_moves(items).await.unwrap().into_inner();
    sender.send(v1::BatchLegalMovesRequest::default()).await.unwrap();
    assert!(answers.message().await.unwrap().is_some());
    let end = tokio::time::timeout(PATIENCE, answers.message())
        .await
        .expect("an end");
    // Clients open it again, if they have more.
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn a_stream_that_waits_for_its_answers_does_not_rest() {
    let config = Config {
        idle_stream: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let (sender, items) = tokio::sync::mpsc::channel(1);
    let items = tokio_stream::wrappers::ReceiverStream::new(items);
    let mut client = SearchServiceClient::new(channel.clone());
    let mut answers = client.batch_analyze(items).await.unwrap().into_inner();
    let item = v1::BatchAnalyzeRequest {
        limits: Some(search(Duration::from_secs(2))),
        ..Default::default()
    };
    sender.send(item).await.unwrap();
    assert!(answers.message().await.unwrap().is_some());
}

#[tokio::test]
async fn a_call_that_never_says_what_it_wants_is_ended() {
    let config = Config {
        idle_stream: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let (_sender, items) = tokio::sync::mpsc::channel::<v1::BatchLegalMovesRequest>(1);
    let items = tokio_stream::wrappers::ReceiverStream::new(items);
    let mut client = RulesServiceClient::new(channel);
    let ended = async {
        let mut answers = client.batch_legal_moves(items).await?.into_inner();
        answers.message().await
    };
    let ended = tokio::time::timeout(PATIENCE, ended).await.expect("an end");
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn metadata_and_calls_of_a_connection_are_bounded() {
    let config = Config {
        header_bytes: 4096,
        streams_per_connection: 2,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let ask = async |bytes: usize| {
        let mut request = Request::new(v1::LegalMovesRequest::default());
        request
            .metadata_mut()
            .insert("x-much", "x".repeat(bytes).parse().unwrap());
        RulesServiceClient::new(channel.clone())
            .legal_moves(request)
            .await
    };
    assert!(ask(2000).await.is_ok());
    let status = ask(4096).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let violation = &status.get_details_bad_request().unwrap().field_violations[0];
    assert_eq!(violation.field, "metadata");
    assert!(
        violation.description.contains("more than the 4096 bytes"),
        "{violation:?}"
    );
    // What is many times too much is turned away by the protocol's library.
    assert!(ask(40_000).await.is_err());
    assert!(ask(2000).await.is_ok());

    // Two streams stay open: the third call waits until one of them ends.
    let open = async || {
        let (sender, items) = tokio::sync::mpsc::channel::<v1::BatchLegalMovesRequest>(1);
        let items = tokio_stream::wrappers::ReceiverStream::new(items);
        let answers = RulesServiceClient::new(channel.clone())
            .batch_legal_moves(items)
            .await;
        (sender, answers.unwrap())
    };
    let (first, _second) = (open().await, open().await);
    let waiting = tokio::time::timeout(Duration::from_millis(300), ask(1)).await;
    assert!(waiting.is_err(), "a third call was taken: {waiting:?}");
    drop(first);
    let answered = tokio::time::timeout(PATIENCE, ask(1)).await.expect("a place");
    assert!(answered.is_ok());
}

/// With the defaults, a connection's calls are served side by side up to the limit, and the next one waits for its turn.
#[tokio::test]
async fn a_connection_has_as_many_calls_as_the_limit_says() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    let mut open = Vec::new();
    for _ in 0..common::config().streams_per_connection {
        let (sender, items) = tokio::sync::mpsc::channel(1);
        let items = tokio_stream::wrappers::ReceiverStream::new(items);
        let mut client = RulesServiceClient::new(channel.clone());
        sender.send(v1::BatchLegalMovesRequest::default()).await.unwrap();
        let mut answers = client.batch_legal_moves(items).await.unwrap().into_inner();
        assert!(answers.message().await.unwrap().is_some());
        open.push((sender, answers));
    }
    assert_eq!(open.len(), 256);
    let ask = async |channel: &tonic::transport::Channel| {
        let mut client = RulesServiceClient::new(channel.clone());
        client.legal_moves(v1::LegalMovesRequest::default()).await
    };
    let waiting = tokio::time::timeout(Duration::from_millis(300), ask(&channel)).await;
    assert!(waiting.is_err(), "one call too many was taken: {waiting:?}");
    // Another connection has its own.
    let other = common::channel(server.addr()).await;
    assert!(ask(&other).await.is_ok());
    drop(open.pop());
    let answered = tokio::time::timeout(PATIENCE, ask(&channel))
        .await
        .expect("a place");
    assert_eq!(answered.unwrap().into_inner().moves.len(), 20);
    // Nobody's stream was ended for it.
    for (sender, answers) in &mut open {
        sender.send(v1::BatchLegalMovesRequest::default()).await.unwrap();
        assert!(answers.message().await.unwrap().is_some());
    }
}
