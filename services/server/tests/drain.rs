//! A server ends in time whatever its peers do.

mod common;

use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

use common::page::Page;
use tabiya_api::v1::{
    self, StoppedBy, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, RunningServer, Server};
use tonic::{Code, Status, Streaming};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// The notice to watchers (50 ms), the settling of idle connections (200 ms), and slack for a busy machine. Less than the
/// grace that whoever held the end would have.
const PROMPT: Duration = Duration::from_secs(20);

fn patient() -> Config {
    Config {
        drain_grace: 3 * PROMPT,
        ..common::config()
    }
}

#[tokio::test]
async fn silent_peers_do_not_hold_the_end() {
    let server = Server::start(patient()).unwrap();
    let _silent = TcpStream::connect(server.addr()).unwrap();
    let mut half = TcpStream::connect(server.addr()).unwrap();
    half.write_all(b"PRI * HTTP/2.0\r\n").unwrap();
    let _idle = common::channel(server.addr()).await;
    // All three are accepted before the end begins.
    Page::until(
        server.admin_addr(),
        "tabiya_open_connections",
        &[("port", "main")],
        3.0,
    )
    .await;

    let begun = Instant::now();
    common::shutdown(server).await;
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_health_watch_hears_of_the_end_and_ends() {
    for name in ["readiness", ""] {
        watch_until_the_end(name).await;
    }
}

async fn watch_until_the_end(name: &str) {
    let server = Server::start(patient()).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let request = HealthCheckRequest { service: name.into() };
    let mut watch = HealthClient::new(channel)
        .watch(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        watch.message().await.unwrap().unwrap().status(),
        ServingStatus::Serving
    );

    let begun = Instant::now();
    let end = tokio::spawn(common::shutdown(server));
    assert_eq!(
        watch.message().await.unwrap().unwrap().status(),
        ServingStatus::NotServing
    );
    assert!(watch.message().await.unwrap().is_none());
    end.await.unwrap();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_dropped_server_frees_its_ports_at_once() {
    let server = Server::start(patient()).unwrap();
    let (addr, admin_addr) = (server.addr(), server.admin_addr());
    let _open = common::channel(addr).await;
    let begun = Instant::now();
    tokio::task::spawn_blocking(move || drop(server)).await.unwrap();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    assert!(TcpStream::connect(addr).is_err());
    assert!(TcpStream::connect(admin_addr).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_in_flight_answer_with_their_best_so_far() {
    let config = Config {
        drain_grace: Duration::from_millis(400),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    let mut client = SearchServiceClient::new(channel.clone());
    let time = Some(prost_types::Duration {
        seconds: 60,
        nanos: 0,
    });
    let limits = Some(v1::Limits {
        time,
        ..Default::default()
    });
    let search = tokio::spawn(async move {
        client
            .best_move(v1::BestMoveRequest {
                limits,
                ..Default::default()
            })
            .await
    });
    common::until_busy(server.admin_addr(), "search").await;

    let begun = Instant::now();
    common::shutdown(server).await;
    let elapsed = begun.elapsed();
    let answer = search.await.unwrap().unwrap().into_inner();
    assert_eq!(answer.stopped_by(), StoppedBy::Shutdown);
    assert!(!answer.best_move.is_empty());
    assert!(
        elapsed >= Duration::from_millis(400) && elapsed < PROMPT,
        "{elapsed:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_stream_that_is_broken_off_says_so() {
    let config = Config {
        stream_in_flight: 1,
        bulk_threads: 1,
        drain_grace: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut client = SearchServiceClient::new(common::channel(server.addr()).await);
    let time = Some(prost_types::Duration {
        seconds: 60,
        nanos: 0,
    });
    let item = v1::BatchAnalyzeRequest {
        limits: Some(v1::Limits {
            time,
            ..Default::default()
        }),
        ..Default::default()
    };
    let mut answers = client
        .batch_analyze(tokio_stream::iter([item.clone(), item]))
        .await
        .unwrap()
        .into_inner();
    common::until_busy(server.admin_addr(), "search_bulk").await;
    common::shutdown(server).await;
    let outcome = answers.message().await;
    assert_eq!(outcome.map(drop).unwrap_err().code(), Code::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_cannot_answer_in_part_says_that_the_server_ends() {
    let config = Config {
        drain_grace: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let count = tokio::spawn(async move {
        client
            .perft(v1::PerftRequest {
                depth: 12,
                ..Default::default()
            })
            .await
    });
    common::until_busy(server.admin_addr(), "counting").await;
    common::shutdown(server).await;
    let status = count.await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    assert!(status.message().contains("shutting down"), "{status:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_waits_for_input_is_told_to_go_elsewhere() {
    let server = Server::start(patient()).unwrap();
    let mut client = SearchServiceClient::new(common::channel(server.addr()).await);
    let (sender, items) = tokio::sync::mpsc::channel(4);
    let mut answers = client
        .batch_analyze(tokio_stream::wrappers::ReceiverStream::new(items))
        .await
        .unwrap()
        .into_inner();
    let limits = Some(v1::Limits {
        nodes: 100,
        ..Default::default()
    });
    sender
        .send(v1::BatchAnalyzeRequest {
            limits,
            ..Default::default()
        })
        .await
        .unwrap();
    assert!(answers.message().await.unwrap().is_some());

    let begun = Instant::now();
    let end = tokio::spawn(common::shutdown(server));
    assert_eq!(answers.message().await.unwrap_err().code(), Code::Unavailable);
    end.await.unwrap();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
}

/// Far more answers than the windows of a connection hold, of which the first has been read.
async fn unread(server: &RunningServer) -> Streaming<v1::BatchLegalMovesResponse> {
    let mut client = RulesServiceClient::new(common::channel(server.addr()).await);
    let items = (0..50_000).map(|_| v1::BatchLegalMovesRequest {
        include_fen: true,
        ..Default::default()
    });
    let answers = client.batch_legal_moves(tokio_stream::iter(items)).await;
    let mut answers = answers.unwrap().into_inner();
    assert!(answers.message().await.unwrap().is_some());
    tokio::time::sleep(Duration::from_millis(200)).await;
    answers
}

/// How many more answers come, and what ends them.
async fn rest(mut answers: Streaming<v1::BatchLegalMovesResponse>) -> (usize, Option<Status>) {
    let mut taken = 0;
    loop {
        match answers.message().await {
            Ok(Some(_)) => taken += 1,
            Ok(None) => return (taken, None),
            Err(status) => return (taken, Some(status)),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_reads_on_hears_why_the_stream_ends() {
    let server = Server::start(patient()).unwrap();
    let answers = unread(&server).await;
    let end = tokio::spawn(common::shutdown(server));
    let (taken, broken) = rest(answers).await;
    let status = broken.unwrap();
    assert_eq!(status.code(), Code::Unavailable, "{status:?} after {taken}");
    end.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_stopped_reading_is_cut() {
    let config = Config {
        drain_grace: Duration::from_millis(300),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let answers = unread(&server).await;

    let begun = Instant::now();
    common::shutdown(server).await;
    let elapsed = begun.elapsed();
    assert!(elapsed < Duration::from_millis(300) + 2 * PROMPT, "{elapsed:?}");
    let (taken, broken) = rest(answers).await;
    // Whatever arrived, the caller can tell that it is not all.
    assert!(broken.is_some() && taken < 50_000, "{broken:?} after {taken}");
}
