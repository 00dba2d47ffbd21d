//! A server and callers.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tabiya_api::v1;
use tabiya_server::{Config, GpuPolicy, RunningServer, Server};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{figures::Times, page::Page};

/// A server on free ports.
pub(crate) struct Rig {
    pub(crate) server: Option<RunningServer>,
    pub(crate) addr: SocketAddr,
    pub(crate) admin: SocketAddr,
}

/// The defaults of a server that has the machine to itself, without a GPU.
pub(crate) fn config() -> Config {
    Config {
        gpu: GpuPolicy::Off,
        ..Config::in_process()
    }
}

impl Rig {
    pub(crate) async fn start(config: Config) -> Self {
        let server = Server::start(config).expect("a server");
        let (addr, admin) = (server.addr(), server.admin_addr());
        let rig = Self {
            server: Some(server),
            addr,
            admin,
        };
        let mut health = HealthClient::new(channel(admin).await);
        let request = HealthCheckRequest {
            service: "readiness".into(),
        };
        while health
            .check(request.clone())
            .await
            .is_ok_and(|answer| answer.into_inner().status() != ServingStatus::Serving)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        rig
    }

    pub(crate) async fn channel(&self) -> Channel {
        channel(self.addr).await
    }

    pub(crate) async fn page(&self) -> Page {
        Page::fetch(self.admin).await
    }

    /// Waits until the sum of these samples is at least so much.
    pub(crate) async fn until(&self, name: &str, least: f64) {
        while self.page().await.sum(name, &[]) < least {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Bytes that the process has in memory.
    pub(crate) async fn resident(&self) -> f64 {
        resident(self.admin).await
    }

    /// What `work` comes to, and by how many bytes the process had grown at most while it went on.
    pub(crate) async fn growth<T>(&self, work: impl Future<Output = T>) -> (T, f64) {
        let before = self.resident().await;
        let over = Arc::new(AtomicBool::new(false));
        let peak = tokio::spawn({
            let (over, admin) = (over.clone(), self.admin);
            async move {
                let mut peak = before;
                while !over.load(Ordering::Relaxed) {
                    peak = peak.max(resident(admin).await);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                peak
            }
        });
        let value = work.await;
        over.store(true, Ordering::Relaxed);
        (value, peak.await.expect("a peak") - before)
    }

    pub(crate) async fn end(mut self) {
        let server = self.server.take();
        tokio::task::spawn_blocking(move || server.map(RunningServer::shutdown))
            .await
            .expect("an end");
    }
}

async fn resident(admin: SocketAddr) -> f64 {
    Page::fetch(admin).await.sum("process_resident_memory_bytes", &[])
}

pub(crate) async fn channel(addr: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{addr}"))
        .expect("an address")
        .tcp_nodelay(true)
        // Answers to calls that were dropped meanwhile are no attack; the library would end the connection after 1,024.
        .http2_max_local_error_reset_streams(None)
        .connect()
        .await
        .expect("a connection")
}

/// Has so many callers call one after the other for so long; the times of the calls that `call` counts.
pub(crate) async fn closed_loop<F, Fut>(callers: usize, time: Duration, call: F) -> Times
where
    F: Fn(usize) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = bool> + Send + 'static,
{
    let over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let (call, over) = (call.clone(), over.clone());
            tokio::spawn(async move {
                let mut times = Times::default();
                while !over.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    if call(caller).await {
                        times.push(begun.elapsed());
                    }
                }
                times
            })
        })
        .collect();
    tokio::time::sleep(time).await;
    over.store(true, Ordering::Relaxed);
    let mut all = Times::default();
    for task in tasks {
        all.extend(task.await.expect("a caller"));
    }
    all
}

/// A search of so many nodes.
pub(crate) fn nodes(nodes: u64) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        limits: Some(v1::Limits {
            nodes,
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// A search without an end of its own.
pub(crate) fn endless() -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        limits: Some(v1::Limits {
            depth: 99,
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// The same, with every iteration told.
pub(crate) fn analyze() -> v1::AnalyzeRequest {
    v1::AnalyzeRequest {
        limits: endless().limits,
        ..Default::default()
    }
}
