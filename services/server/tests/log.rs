//! One line in the log for each call. Alone in its file, as a process has one log.

mod common;

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;
use tabiya_api::v1::{
    self, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tonic::Request;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// The lines about calls of a request id.
    fn about(&self, id: &str) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line["fields"]["message"] == "request" && line["fields"]["request_id"] == id)
            .collect()
    }

    async fn one_about(&self, id: &str) -> Value {
        let begun = Instant::now();
        loop {
            let mut lines = self.about(id);
            if let Some(line) = lines.pop() {
                assert!(lines.is_empty(), "{id}: {lines:?}");
                return line;
            }
            assert!(begun.elapsed() < PATIENCE, "no line about {id}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

fn named<T>(message: T, id: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-request-id", id.parse().unwrap());
    request
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_call_leaves_one_line_and_a_cut_connection_is_named() {
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt()
        .json()
        .with_writer(move || writer.clone())
        .init();
    let config = tabiya_server::Config {
        drain_grace: Duration::from_millis(200),
        ..common::config()
    };
    let server = tabiya_server::Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel.clone());

    let mut request = named(v1::LegalMovesRequest::default(), "one");
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    request
        .metadata_mut()
        .insert("traceparent", parent.parse().unwrap());
    rules.legal_moves(request).await.unwrap();
    let line = lines.one_about("one").await;
    let fields = &line["fields"];
    assert_eq!(line["level"], "INFO");
    assert_eq!(fields["method"], "tabiya.v1.RulesService/LegalMoves");
    assert_eq!(fields["code"], "OK");
    assert_eq!(fields["class"], "interactive");
    assert_eq!(fields["positions"], 1);
    assert_eq!(fields["trace_id"], trace);
    assert_eq!(fields["token"], "-");
    assert!(fields["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
    for time in ["queue_seconds", "compute_seconds", "total_seconds"] {
        let seconds: f64 = fields[time].as_str().unwrap().parse().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{fields}");
    }

    let wrong = v1::EvaluateRequest {
        positions: vec![
            v1::Position {
                fen: "banana".into(),
                ..Default::default()
            };
            3
        ],
        ..Default::default()
    };
    search.evaluate(named(wrong, "two")).await.unwrap_err();
    let line = lines.one_about("two").await;
    assert_eq!(line["level"], "WARN");
    assert_eq!(line["fields"]["code"], "INVALID_ARGUMENT");
    assert_eq!(line["fields"]["positions"], 3);

    let items = tokio_stream::iter(vec![v1::BatchLegalMovesRequest::default(); 40]);
    let mut answers = rules
        .batch_legal_moves(named(items, "three"))
        .await
        .unwrap()
        .into_inner();
    while answers.message().await.unwrap().is_some() {}
    let line = lines.one_about("three").await;
    assert_eq!(line["fields"]["class"], "bulk");
    assert_eq!(line["fields"]["positions"], 40);

    // A caller who goes away.
    let endless = v1::BestMoveRequest {
        limits: Some(v1::Limits {
            depth: 99,
            ..Default::default()
        }),
        ..Default::default()
    };
    let call = tokio::spawn(async move { search.best_move(named(endless, "four")).await });
    common::until_busy(server.admin_addr(), "search").await;
    call.abort();
    let line = lines.one_about("four").await;
    assert_eq!(line["fields"]["code"], "CANCELLED");

    // One that reads no more is cut at the end, and the log says whom.
    let items = tokio_stream::iter(vec![
        v1::BatchLegalMovesRequest {
            include_fen: true,
            ..Default::default()
        };
        50_000
    ]);
    let mut stuck = rules
        .batch_legal_moves(named(items, "five"))
        .await
        .unwrap()
        .into_inner();
    assert!(stuck.message().await.unwrap().is_some());
    tokio::time::sleep(Duration::from_millis(300)).await;
    common::shutdown(server).await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let cut = text
        .lines()
        .find(|line| line.contains("cut a connection that did not end"));
    let cut: Value = serde_json::from_str(cut.expect("a line about it")).unwrap();
    assert_eq!(cut["level"], "WARN");
    assert!(cut["fields"]["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert_eq!(cut["fields"]["calls"], 1);
    let line = lines.one_about("five").await;
    assert_eq!(line["fields"]["method"], "tabiya.v1.RulesService/BatchLegalMoves");
}
