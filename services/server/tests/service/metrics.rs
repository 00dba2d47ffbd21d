//! The page of metrics: its form, and that its numbers are those of what was done.

use crate::common;

use std::{collections::HashSet, time::Duration};

use common::page::{self, Page};
use futures_util::StreamExt;
use tabiya_api::v1::{
    self, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_server::{
    Config, Server,
    metrics::names::{self, Kind, Metric},
};
use tonic::{Code, Request};
use tonic_health::pb::health_check_response::ServingStatus;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

const LEGAL: (&str, &str) = ("method", "tabiya.v1.RulesService/LegalMoves");

/// What a sample's name is without the endings of histograms.
fn family<'a>(name: &'a str, known: &HashSet<&str>) -> &'a str {
    let ending = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    ending.filter(|family| known.contains(family)).unwrap_or(name)
}

#[tokio::test]
async fn every_metric_is_described_and_none_is_made_up() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    // A little of everything, made-up methods included.
    RulesServiceClient::new(channel.clone())
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap();
    for path in ["/tabiya.v1.RulesService/Made_up_1", "/made.Up/2"] {
        let mut grpc = tonic::client::Grpc::new(channel.clone());
        grpc.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<v1::LegalMovesRequest, v1::LegalMovesResponse>::default();
        let path = http::uri::PathAndQuery::from_static(path);
        let status = grpc
            .unary(Request::new(v1::LegalMovesRequest::default()), path, codec)
            .await
            .unwrap_err();
        assert_eq!(status.code(), Code::Unimplemented);
    }

    let known: HashSet<_> = names::ALL.iter().map(|metric| metric.name).collect();
    let admin = server.admin_addr();
    for (accept, kind, open) in [
        ("text/plain", "text/plain; version=0.0.4", false),
        (
            "application/openmetrics-text; version=1.0.0",
            "application/openmetrics-text; version=1.0.0",
            true,
        ),
    ] {
        let answer = tokio::task::spawn_blocking(move || page::get(admin, "/metrics", accept))
            .await
            .unwrap();
        assert_eq!(answer.status, 200);
        assert!(
            answer.head.contains(&format!("content-type: {kind}")),
            "{}",
            answer.head
        );
        assert_eq!(answer.body.ends_with("# EOF\n"), open);
        let page = Page::read(&answer.body);
        for Metric { name, kind, help, .. } in names::ALL {
            let described: &str = match kind {
                Kind::Counter if open => name.strip_suffix("_total").unwrap(),
                _ => name,
            };
            let word = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram => "histogram",
            };
            assert_eq!(
                page.kinds.get(described).map(String::as_str),
                Some(word),
                "{name}"
            );
            assert_eq!(
                page.helps.get(described).map(String::as_str),
                Some(*help),
                "{name}"
            );
        }
        assert_eq!(page.kinds.len(), names::ALL.len());
        let mut series = HashSet::new();
        for sample in &page.samples {
            let family = family(&sample.name, &known);
            let metric = names::ALL.iter().find(|metric| metric.name == family);
            let metric = metric.unwrap_or_else(|| panic!("{} is in no table", sample.name));
            let labels: Vec<_> = sample
                .labels
                .iter()
                .map(|(key, _)| key.as_str())
                .filter(|key| *key != "le")
                .collect();
            assert_eq!(labels, metric.labels, "{}", sample.name);
            assert!(sample.value >= 0.0 || metric.kind == Kind::Gauge, "{sample:?}");
            let method = sample.labels.iter().find(|(key, _)| key == names::METHOD);
            assert!(
                method.is_none_or(|(_, value)| !value.to_lowercase().contains("made")),
                "{sample:?}"
            );
            let id = format!("{}{:?}", sample.name, sample.labels);
            assert!(series.insert(id), "twice: {sample:?}");
        }
        assert_eq!(
            page.sum(
                "tabiya_requests_total",
                &[("method", "other"), ("code", "UNIMPLEMENTED")]
            ),
            2.0
        );
        assert_eq!(page.sum("tabiya_state_info", &[("state", "ready")]), 1.0);
        assert_eq!(
            page.sum("tabiya_backend_info", &[("backend", "gpu"), ("state", "absent")]),
            1.0
        );
        if cfg!(target_os = "linux") {
            assert!(page.sum("process_resident_memory_bytes", &[]) > 1e6);
            assert!(page.sum("process_open_fds", &[]) > 5.0);
            assert!(page.sum("process_threads", &[]) > 10.0);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_numbers_are_those_of_what_was_done() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let before = Page::fetch(server.admin_addr()).await;

    let mut rules = RulesServiceClient::new(channel.clone());
    for _ in 0..3 {
        rules.legal_moves(v1::LegalMovesRequest::default()).await.unwrap();
    }
    let wrong = v1::LegalMovesRequest {
        position: Some(v1::Position {
            fen: "banana".into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    assert_eq!(
        rules.legal_moves(wrong).await.unwrap_err().code(),
        Code::InvalidArgument
    );
    let items = tokio_stream::iter(vec![v1::BatchLegalMovesRequest::default(); 70]);
    let answers = rules.batch_legal_moves(items).await.unwrap().into_inner();
    assert_eq!(answers.count().await, 70);
    let mut search = SearchServiceClient::new(channel.clone());
    let request = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); 300],
        ..Default::default()
    };
    search.evaluate(request).await.unwrap();
    let request = v1::BestMoveRequest {
        limits: Some(v1::Limits {
            nodes: 3000,
            ..Default::default()
        }),
        ..Default::default()
    };
    let stats = search
        .best_move(request)
        .await
        .unwrap()
        .into_inner()
        .stats
        .unwrap();

    // The last byte is out a moment before a call is counted.
    let admin = server.admin_addr();
    let begun = std::time::Instant::now();
    let after = loop {
        let page = Page::fetch(admin).await;
        // A search's table is put by after its answer has gone.
        let is_tidy = page.sum("tabiya_memory_bytes", &[("budget", "tables")]) > 0.0;
        if is_tidy && page.sum("tabiya_open_requests", &[]) == 0.0 {
            break page;
        }
        assert!(begun.elapsed() < PATIENCE, "calls stay open");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let more = |name: &str, labels: &[(&str, &str)]| after.sum(name, labels) - before.sum(name, labels);
    assert_eq!(more("tabiya_requests_total", &[LEGAL, ("code", "OK")]), 3.0);
    assert_eq!(
        more("tabiya_requests_total", &[LEGAL, ("code", "INVALID_ARGUMENT")]),
        1.0
    );
    assert_eq!(more("tabiya_request_seconds_count", &[LEGAL]), 4.0);
    let infinite = [LEGAL, ("le", "+Inf")];
    assert_eq!(more("tabiya_request_seconds_bucket", &infinite), 4.0);
    assert!(more("tabiya_request_seconds_sum", &[LEGAL]) > 0.0);
    assert_eq!(more("tabiya_request_positions_total", &[LEGAL]), 4.0);
    let bulk = ("method", "tabiya.v1.RulesService/BatchLegalMoves");
    assert_eq!(more("tabiya_request_positions_total", &[bulk]), 70.0);
    assert_eq!(more("tabiya_requests_total", &[bulk, ("code", "OK")]), 1.0);
    // 70 items travel in chunks of at most 32.
    let chunks = more("tabiya_queue_seconds_count", &[("class", "bulk")]);
    assert!((3.0..=70.0).contains(&chunks), "{chunks}");
    assert_eq!(more("tabiya_compute_seconds_count", &[("class", "bulk")]), chunks);

    let cpu = ("backend", "cpu");
    assert_eq!(more("tabiya_eval_positions_total", &[cpu]), 300.0);
    let batches = more("tabiya_eval_batches_total", &[cpu]);
    assert!((1.0..=300.0).contains(&batches), "{batches}");
    assert_eq!(more("tabiya_eval_batch_size_count", &[cpu]), batches);
    assert_eq!(more("tabiya_eval_batch_size_sum", &[cpu]), 300.0);
    assert_eq!(
        more("tabiya_eval_batch_size_bucket", &[cpu, ("le", "+Inf")]),
        batches
    );
    assert_eq!(
        more("tabiya_eval_queue_seconds_count", &[("class", "interactive")]),
        1.0
    );
    assert_eq!(
        more("tabiya_eval_compute_seconds_count", &[("class", "bulk")]),
        0.0
    );

    assert_eq!(more("tabiya_searches_total", &[("stopped_by", "nodes")]), 1.0);
    assert_eq!(more("tabiya_search_nodes_total", &[cpu]), stats.nodes as f64);
    assert_eq!(
        more("tabiya_search_evaluations_total", &[cpu]),
        stats.evaluations as f64
    );
    assert_eq!(
        more("tabiya_search_table_hits_total", &[cpu]),
        stats.tt_hits as f64
    );
    assert_eq!(after.sum("tabiya_memory_bytes", &[("budget", "search")]), 0.0);

    for class in ["interactive", "bulk"] {
        assert_eq!(after.sum("tabiya_admitted_positions", &[("class", class)]), 0.0);
        assert_eq!(after.sum("tabiya_queue_positions", &[("class", class)]), 0.0);
    }
    assert_eq!(after.sum("tabiya_open_connections", &[("port", "main")]), 1.0);
    assert_eq!(
        more("tabiya_shed_total", &[]) + more("tabiya_panics_total", &[]),
        0.0
    );
    drop((rules, search, channel));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_and_what_is_abandoned_is_counted() {
    let config = Config {
        interactive_threads: 1,
        interactive_queue: 1,
        interactive_positions: 5,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let endless = v1::BestMoveRequest {
        limits: Some(v1::Limits {
            depth: 99,
            ..Default::default()
        }),
        ..Default::default()
    };
    let call = || {
        let (mut client, request) = (SearchServiceClient::new(channel.clone()), endless.clone());
        tokio::spawn(async move { client.best_move(request).await })
    };
    let admin = server.admin_addr();
    let until = async |what: &str, name: &str, labels: &[(&str, &str)], least: f64| {
        let begun = std::time::Instant::now();
        while Page::fetch(admin).await.sum(name, labels) < least {
            assert!(begun.elapsed() < PATIENCE, "{what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    // One computes, one waits, the third finds no place in the queue.
    let first = call();
    until("one computes", "tabiya_busy_threads", &[("pool", "search")], 1.0).await;
    let second = call();
    until(
        "one waits",
        "tabiya_queue_positions",
        &[("class", "interactive")],
        1.0,
    )
    .await;
    assert_eq!(call().await.unwrap().unwrap_err().code(), Code::ResourceExhausted);
    let shed = [("class", "interactive"), ("reason", "queue_full")];
    until("the third is counted", "tabiya_shed_total", &shed, 1.0).await;
    // Two are in, so four more do not fit among five.
    let request = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); 4],
        ..Default::default()
    };
    let mut client = SearchServiceClient::new(channel.clone());
    assert_eq!(
        client.evaluate(request).await.unwrap_err().code(),
        Code::ResourceExhausted
    );
    until("so is the fourth", "tabiya_shed_total", &shed, 2.0).await;

    second.abort();
    let left = |stage| [("class", "interactive"), ("stage", stage)];
    until(
        "the one that waited",
        "tabiya_abandoned_total",
        &left("queued"),
        1.0,
    )
    .await;
    first.abort();
    until(
        "the one that was computed",
        "tabiya_abandoned_total",
        &left("computing"),
        1.0,
    )
    .await;
    let cancelled = [
        ("method", "tabiya.v1.SearchService/BestMove"),
        ("code", "CANCELLED"),
    ];
    until("both are cancelled", "tabiya_requests_total", &cancelled, 2.0).await;
    let page = Page::fetch(admin).await;
    assert_eq!(page.sum("tabiya_admitted_positions", &[]), 0.0);
}

#[tokio::test]
async fn the_admin_port_has_plain_pages_beside_grpc() {
    let server = common::start();
    let admin = server.admin_addr();
    let channel = common::channel(admin).await;
    common::until_ready(&channel).await;
    let get = async |path: &'static str| {
        tokio::task::spawn_blocking(move || page::get(admin, path, "*/*"))
            .await
            .unwrap()
    };
    for (path, status, body) in [
        ("/livez", 200, "ok\n"),
        ("/readyz", 200, "ok\n"),
        ("/", 404, "there are /metrics, /livez, /readyz, and gRPC health\n"),
    ] {
        let answer = get(path).await;
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{path}");
    }
    let post = tokio::task::spawn_blocking(move || {
        page::http(
            admin,
            "POST /metrics HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        )
    });
    assert_eq!(post.await.unwrap().status, 405);
    assert_eq!(
        common::health(&channel, "readiness").await.unwrap(),
        ServingStatus::Serving
    );
    // The health channel's and the page's own, once those of the pages before are gone.
    Page::until_sum(admin, "tabiya_open_connections", &[("port", "admin")], |open| {
        open == 2.0
    })
    .await;
}
