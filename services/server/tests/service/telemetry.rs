//! Request ids, and spans that go to a collector, or nowhere when it does not take them.

use crate::common;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use common::page::Page;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::any_value::Value,
    trace::v1::Span,
};
use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tabiya_server::{Config, Server};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, metadata::MetadataMap, transport};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn id(metadata: &MetadataMap) -> String {
    let ids: Vec<_> = metadata.get_all("x-request-id").iter().collect();
    assert_eq!(ids.len(), 1, "{metadata:?}");
    ids[0].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_call_has_a_request_id() {
    let server = common::start();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let named = |name: &str| {
        let mut request = Request::new(v1::LegalMovesRequest::default());
        request
            .metadata_mut()
            .insert("x-request-id", name.parse().unwrap());
        request
    };
    let answer = client.legal_moves(named("game-17/ply:3")).await.unwrap();
    // Among the headers; the client adds the trailers' to them.
    let metadata = answer.metadata();
    assert!(
        metadata
            .get_all("x-request-id")
            .iter()
            .all(|value| value == "game-17/ply:3")
    );
    assert!(metadata.contains_key("x-request-id"));

    // Cut, or made anew.
    let answer = client.legal_moves(named(&"x".repeat(1000))).await.unwrap();
    assert_eq!(
        answer.metadata().get("x-request-id").unwrap().as_bytes(),
        "x".repeat(64).as_bytes()
    );
    let answer = client.legal_moves(named("two words")).await.unwrap();
    let made = answer.metadata().get("x-request-id").unwrap().to_str().unwrap();
    assert_eq!(made.len(), 32, "{made}");

    // With errors it comes too.
    let mut wrong = named("wrong-1");
    wrong.get_mut().position = Some(v1::Position {
        fen: "banana".into(),
        ..Default::default()
    });
    let status = client.legal_moves(wrong).await.unwrap_err();
    assert_eq!(id(status.metadata()), "wrong-1");
    let mut late = named("late-1");
    late.metadata_mut()
        .insert("grpc-timeout", "banana".parse().unwrap());
    let status = client.legal_moves(late).await.unwrap_err();
    assert_eq!(id(status.metadata()), "late-1");

    // A stream has it in front and at the end.
    let mut request = Request::new(tokio_stream::iter([v1::BatchLegalMovesRequest::default()]));
    request
        .metadata_mut()
        .insert("x-request-id", "bulk".parse().unwrap());
    let answers = client.batch_legal_moves(request).await.unwrap();
    assert_eq!(id(answers.metadata()), "bulk");
    let mut answers = answers.into_inner();
    while answers.message().await.unwrap().is_some() {}
    assert_eq!(id(&answers.trailers().await.unwrap().unwrap()), "bulk");
}

/// Keeps what it is sent.
struct Collector(mpsc::UnboundedSender<Span>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let name = resource.resource.unwrap_or_default().attributes;
            assert!(
                name.iter().any(|attribute| attribute.key == "service.name"),
                "{name:?}"
            );
            for scope in resource.scope_spans {
                scope
                    .spans
                    .into_iter()
                    .for_each(|span| self.0.send(span).unwrap());
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    (listener, endpoint)
}

fn traced(endpoint: &str) -> Config {
    Config {
        otlp_endpoint: Some(endpoint.to_owned()),
        ..common::config()
    }
}

fn attribute(span: &Span, key: &str) -> Option<Value> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    found?.value.clone()?.value
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_reach_the_collector_and_continue_the_callers_trace() {
    let (listener, endpoint) = listener().await;
    let (sender, mut spans) = mpsc::unbounded_channel();
    tokio::spawn(
        transport::Server::builder()
            .add_service(TraceServiceServer::new(Collector(sender)))
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let server = Server::start(traced(&endpoint)).unwrap();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let call = |parent: Option<&'static str>, fen: &str| {
        let mut request = Request::new(v1::LegalMovesRequest {
            position: Some(v1::Position {
                fen: fen.into(),
                ..Default::default()
            }),
            ..Default::default()
        });
        let metadata = request.metadata_mut();
        metadata.insert("x-request-id", "traced".parse().unwrap());
        if let Some(parent) = parent {
            metadata.insert("traceparent", parent.parse().unwrap());
        }
        request
    };
    client.legal_moves(call(Some(PARENT), "")).await.unwrap();
    client.legal_moves(call(None, "banana")).await.unwrap_err();
    // A caller that does not want its call recorded is heeded.
    let unwanted = "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00";
    client.legal_moves(call(Some(unwanted), "")).await.unwrap();
    client.legal_moves(call(None, "")).await.unwrap();

    let mut received = Vec::new();
    while received.len() < 3 {
        let span = tokio::time::timeout(PATIENCE, spans.recv())
            .await
            .expect("a span");
        received.push(span.unwrap());
    }
    received.sort_by_key(|span| span.start_time_unix_nano);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let first = &received[0];
    assert_eq!(first.name, "tabiya.v1.RulesService/LegalMoves");
    assert_eq!(hex(&first.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(hex(&first.parent_span_id), "00f067aa0ba902b7");
    assert!(first.end_time_unix_nano > first.start_time_unix_nano);
    for (key, value) in [
        ("rpc.system", Value::StringValue("grpc".into())),
        ("rpc.service", Value::StringValue("tabiya.v1.RulesService".into())),
        ("rpc.method", Value::StringValue("LegalMoves".into())),
        ("rpc.grpc.status_code", Value::IntValue(0)),
        ("tabiya.request_id", Value::StringValue("traced".into())),
        ("tabiya.positions", Value::IntValue(1)),
    ] {
        assert_eq!(attribute(first, key), Some(value), "{key}");
    }
    // Invalid argument.
    let second = &received[1];
    assert_eq!(
        attribute(second, "rpc.grpc.status_code"),
        Some(Value::IntValue(3))
    );
    assert!(second.parent_span_id.is_empty());
    assert_ne!(second.trace_id, received[2].trace_id);
    assert!(!hex(&received[2].trace_id).starts_with("4bf92f"));

    // The last ones are sent when the server ends.
    client.legal_moves(call(None, "")).await.unwrap();
    drop(client);
    common::shutdown(server).await;
    let last = tokio::time::timeout(PATIENCE, spans.recv())
        .await
        .expect("the last");
    assert!(last.is_some());
}

/// Calls and the end of a server whose collector does not do its part.
async fn undisturbed(endpoint: &str) {
    let server = Server::start(traced(endpoint)).unwrap();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    // More than may wait for the collector.
    let calls = async {
        for _ in 0..5000 {
            client
                .legal_moves(v1::LegalMovesRequest::default())
                .await
                .unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, calls)
        .await
        .expect("calls wait for the collector");
    let begun = Instant::now();
    let count = async |outcome: &str| {
        let page = Page::fetch(server.admin_addr()).await;
        page.sum("tabiya_spans_total", &[("outcome", outcome)])
    };
    while count("failed").await == 0.0 {
        assert!(begun.elapsed() < PATIENCE, "no span counts as lost");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(count("exported").await, 0.0);
    drop(client);
    let end = tokio::time::timeout(PATIENCE, common::shutdown(server));
    end.await.expect("the end waits for the collector");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_gone_disturbs_nobody() {
    let (listener, endpoint) = listener().await;
    drop(listener);
    undisturbed(&endpoint).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_never_answers_disturbs_nobody() {
    let (listener, endpoint) = listener().await;
    let _held = tokio::spawn(async move {
        let mut held = Vec::<(tokio::net::TcpStream, SocketAddr)>::new();
        while let Ok(accepted) = listener.accept().await {
            held.push(accepted);
        }
    });
    undisturbed(&endpoint).await;
}

#[test]
fn a_wrong_address_is_named() {
    for wrong in ["collector:4317", "https://collector:4317", "http://a b"] {
        let error = Server::start(traced(wrong)).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}
