//! `tabiya serve`: ports, health, and its end.

use std::{
    fs,
    time::{Duration, Instant},
};

use tabiya_client::{
    Client,
    v1::{
        AnalyzeRequest, BestMoveRequest, LegalMovesRequest, Limits, StoppedBy,
        search_service_client::SearchServiceClient,
    },
};
use tabiya_tests::{Serving, fixture, get, run};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn the_commands_work_against_a_server_elsewhere() {
    let server = Serving::start(&["--no-gpu"]);
    let endpoint = server.endpoint();
    let perft = run(["perft", "startpos", "4", "--endpoint", &endpoint]).expect_code(0);
    assert_eq!(perft.stdout.lines().last(), Some("197281"));
    // Without a scheme too.
    let legal = run(["legal", "startpos", "--endpoint", &server.address]).expect_code(0);
    assert_eq!(legal.stdout.lines().count(), 20);

    let file = fixture("classics.pgn");
    let args = [
        "analyse",
        file.to_str().unwrap(),
        "--nodes",
        "200",
        "--backend",
        "cpu",
    ];
    let there = run(args.iter().chain(&["--endpoint", &endpoint]))
        .expect_code(0)
        .stdout;
    let here = run(args).expect_code(0).stdout;
    assert_eq!(there, here);
}

#[tokio::test]
async fn health_is_served_on_its_own_port() {
    let server = Serving::start(&["--no-gpu"]);
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.admin))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut health = HealthClient::new(channel);
    let begun = Instant::now();
    loop {
        let request = HealthCheckRequest {
            service: "readiness".to_owned(),
        };
        let status = health.check(request).await.unwrap().into_inner().status();
        if status == ServingStatus::Serving {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "not ready: {status:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A search that does not end by itself.
fn endless() -> AnalyzeRequest {
    AnalyzeRequest {
        limits: Some(Limits {
            depth: 100,
            ..Limits::default()
        }),
        ..AnalyzeRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_lets_the_call_in_flight_answer_and_ends_with_0() {
    let mut server = Serving::start(&["--no-gpu", "--drain-grace", "1"]);
    let client = Client::connect(&server.endpoint()).await.unwrap();
    let mut stream = client.analyze(endless()).await.unwrap();
    let mut last = stream.message().await.unwrap().expect("a first iteration");
    server.signal("TERM");
    while let Some(message) = stream.message().await.expect("the stream ends well") {
        last = message;
    }
    assert_eq!(last.stopped_by(), StoppedBy::Shutdown);
    assert!(!last.best_move.is_empty());
    let status = server.wait(PATIENCE);
    assert_eq!(status.code(), Some(0));
    assert!(client.legal_moves(LegalMovesRequest::default()).await.is_err());
}

/// By stubs that ask nothing again, so that a call which is broken shows.
#[tokio::test(flavor = "multi_thread")]
async fn sigterm_breaks_no_call_in_flight() {
    const CALLS: usize = 64;
    let threads = CALLS.to_string();
    let arguments = [
        "--no-gpu",
        "--drain-grace",
        "100",
        "--interactive-threads",
        &threads,
    ];
    let mut server = Serving::start(&arguments);
    let endpoint = tonic::transport::Endpoint::from_shared(server.endpoint()).unwrap();
    let stub = SearchServiceClient::new(endpoint.connect().await.unwrap());
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let mut stub = stub.clone();
            let limits = Some(Limits {
                time: Some(Duration::from_secs(3).try_into().unwrap()),
                ..Limits::default()
            });
            let request = BestMoveRequest {
                limits,
                ..BestMoveRequest::default()
            };
            tokio::spawn(async move { stub.best_move(request).await })
        })
        .collect();
    // All of them are in.
    let begun = Instant::now();
    let open = |line: &&str| line.starts_with("tabiya_open_requests{") && line.contains("BestMove");
    let wanted = format!(" {CALLS}");
    loop {
        let (_, metrics) = get(&server.admin, "/metrics");
        let line = metrics.lines().find(open).unwrap_or_default();
        if line.ends_with(&wanted) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{line}");
    }
    server.signal("TERM");
    for call in calls {
        let answer = call.await.unwrap().expect("an answer").into_inner();
        assert_ne!(answer.best_move, "");
        assert_eq!(answer.stopped_by(), StoppedBy::Time, "{answer:?}");
    }
    assert_eq!(server.wait(PATIENCE).code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_nobody_reads_stops_nothing() {
    /// A line each, and a pipe holds some hundreds of them.
    const CALLS: usize = 2000;
    let mut server = Serving::start_unread(&["--no-gpu", "--drain-grace", "1"]);
    let client = Client::connect(&server.endpoint()).await.unwrap();
    let calls = async {
        for _ in 0..CALLS {
            client.legal_moves(LegalMovesRequest::default()).await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, calls)
        .await
        .expect("calls are answered");
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.admin))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let request = HealthCheckRequest {
        service: "liveness".to_owned(),
    };
    let mut health = HealthClient::new(channel);
    let status = tokio::time::timeout(PATIENCE, health.check(request))
        .await
        .expect("health is told")
        .unwrap();
    assert_eq!(status.into_inner().status(), ServingStatus::Serving);
    // And it can end.
    server.signal("TERM");
    assert_eq!(server.wait(PATIENCE).code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once_in_the_middle_of_a_search() {
    let mut server = Serving::start(&["--no-gpu", "--drain-delay", "300"]);
    let client = Client::connect(&server.endpoint()).await.unwrap();
    let mut search = client.analyze(endless()).await.unwrap();
    search.message().await.unwrap().expect("a first iteration");
    server.signal("TERM");
    // Two signals that come together are one: the first has to be heard before the second is sent.
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{}", server.admin)).unwrap();
    let mut health = HealthClient::new(endpoint.connect().await.unwrap());
    let begun = Instant::now();
    loop {
        let request = HealthCheckRequest {
            service: "readiness".to_owned(),
        };
        if health.check(request).await.unwrap().into_inner().status() == ServingStatus::NotServing {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "still ready");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.signal("TERM");
    // A second on a machine with nothing else to do; without the second signal it would be five minutes.
    assert!(!server.wait(PATIENCE).success());
    // Iterations that were under way come first.
    while let Ok(message) = search.message().await {
        assert!(message.is_some(), "the search ended as if nothing had happened");
    }
}

#[test]
fn a_taken_port_is_named() {
    let server = Serving::start(&["--no-gpu"]);
    let second = run([
        "serve",
        "--listen",
        &server.address,
        "--admin-listen",
        "127.0.0.1:0",
    ])
    .expect_code(2);
    assert!(second.stderr.contains(&server.address), "{}", second.stderr);
}

#[test]
fn a_wrong_network_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.nnue");
    fs::write(&file, "no network").unwrap();
    let run = run([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--network",
        file.to_str().unwrap(),
    ]);
    assert!(run.expect_code(2).stderr.contains("wrong.nnue"));
}

#[test]
fn the_same_network_twice_is_named() {
    let run = run([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--network",
        "standard,standard",
    ]);
    let told = run.expect_code(2).stderr;
    assert!(
        told.contains("network standard: the same network as standard"),
        "{told}"
    );
}
