//! A server ends in time whatever its peers do.

mod common;

use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// The notice to watchers (50 ms), the settling of idle connections (200 ms), and slack for a busy machine.
const PROMPT: Duration = Duration::from_millis(1500);

#[tokio::test]
async fn silent_peers_do_not_hold_the_end() {
    let server = common::start();
    let _silent = TcpStream::connect(server.addr()).unwrap();
    let mut half = TcpStream::connect(server.addr()).unwrap();
    half.write_all(b"PRI * HTTP/2.0\r\n").unwrap();
    let _idle = common::channel(server.addr()).await;
    // All three are accepted before the end begins.
    tokio::time::sleep(Duration::from_millis(50)).await;

    let begun = Instant::now();
    common::shutdown(server).await;
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_health_watch_hears_of_the_end_and_ends() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let request = HealthCheckRequest {
        service: "readiness".into(),
    };
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
    assert!(
        begun.elapsed() < Duration::from_millis(100),
        "{:?}",
        begun.elapsed()
    );
    assert!(watch.message().await.unwrap().is_none());
    end.await.unwrap();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_dropped_server_frees_its_ports() {
    let server = common::start();
    let (addr, admin_addr) = (server.addr(), server.admin_addr());
    tokio::task::spawn_blocking(move || drop(server)).await.unwrap();
    assert!(TcpStream::connect(addr).is_err());
    assert!(TcpStream::connect(admin_addr).is_err());
}
