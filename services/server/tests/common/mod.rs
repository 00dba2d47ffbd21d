//! A server on free loopback ports, and channels to it.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod certificates;
pub mod page;
pub mod tokens;
pub mod wire;

use std::{
    net::SocketAddr,
    path::PathBuf,
    time::{Duration, Instant},
};

use page::Page;
use tabiya_server::{Config, GpuPolicy, RunningServer, Server};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// What a busy machine may take to warm up.
const READY_WITHIN: Duration = Duration::from_secs(120);

pub fn config() -> Config {
    Config {
        gpu: GpuPolicy::Off,
        ..Config::in_process()
    }
}

/// The folder of endgame tables among the handed cases; without them the test is skipped loudly.
pub fn syzygy() -> Option<PathBuf> {
    let cases = std::env::var_os("TABIYA_CASES");
    if cases.is_none() {
        eprintln!("SKIPPED: TABIYA_CASES is not set, so there are no endgame tables");
    }
    Some(PathBuf::from(cases?).join("syzygy"))
}

pub fn start() -> RunningServer {
    Server::start(config()).unwrap()
}

pub async fn channel(addr: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{addr}"))
        .unwrap()
        // Answers to calls that were dropped meanwhile are no attack; the library would end the connection after 1,024.
        .http2_max_local_error_reset_streams(None)
        .connect()
        .await
        .unwrap()
}

/// Asks until the answer is there before the deadline. A machine that stands still for the last 50 ms breaks any such
/// promise; it does not do so every time.
pub async fn in_time<T, F: Future<Output = Result<T, Status>>>(ask: impl Fn() -> F) -> T {
    for _ in 0..10 {
        match ask().await {
            Ok(answer) => return answer,
            // Late, and nothing else.
            Err(status) => assert!(is_late(&status), "{status:?}"),
        }
    }
    panic!("late ten times");
}

/// Whether a call ended by its deadline: the caller's own clock says CANCELLED when it is a little faster.
pub fn is_late(status: &Status) -> bool {
    matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled)
}

/// Waits until a thread of this pool computes, by the server's own account on its admin port.
pub async fn until_busy(admin: SocketAddr, pool: &str) {
    Page::until(admin, "tabiya_busy_threads", &[("pool", pool)], 1.0).await;
}

/// Drains on a thread that may block.
pub async fn shutdown(server: RunningServer) {
    tokio::task::spawn_blocking(move || server.shutdown())
        .await
        .unwrap();
}

pub async fn health(channel: &Channel, service: &str) -> Result<ServingStatus, tonic::Status> {
    let request = HealthCheckRequest {
        service: service.into(),
    };
    let response = HealthClient::new(channel.clone()).check(request).await?;
    Ok(response.into_inner().status())
}

pub async fn until_ready(channel: &Channel) {
    let begun = Instant::now();
    while health(channel, "readiness").await.unwrap() != ServingStatus::Serving {
        assert!(
            begun.elapsed() < READY_WITHIN,
            "not ready within {READY_WITHIN:?}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
