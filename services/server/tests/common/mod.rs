//! A server on free loopback ports, and channels to it.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod certificates;
pub mod page;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tabiya_server::{Config, GpuPolicy, RunningServer, Server};
use tonic::transport::{Channel, Endpoint};
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

pub fn start() -> RunningServer {
    Server::start(config()).unwrap()
}

pub async fn channel(addr: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{addr}"))
        .unwrap()
        .connect()
        .await
        .unwrap()
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
