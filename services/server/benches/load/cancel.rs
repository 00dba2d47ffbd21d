//! How soon nothing is left of calls that their callers dropped, by the server's own account.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use tabiya_api::v1::{
    self, Backend, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_server::GpuPolicy;
use tokio::sync::oneshot;
use tonic::{Response, Status, Streaming, transport::Channel};

use crate::{
    Options,
    figures::{Figure, Table, Times, Unit},
    games::positions,
    page::Page,
    rig::{Rig, analyze, channel, config, endless},
};

/// Calls dropped in a round for each second.
const DROPS: f64 = 10.0;

/// Calls that together bring more positions than are evaluated at once.
const EVALUATIONS: usize = 12;

/// What is left of calls: threads and memory that they have, positions that wait or are admitted, leaves that wait for a
/// batch.
pub(crate) fn left(page: &Page) -> f64 {
    let gauges = [
        "tabiya_busy_threads",
        "tabiya_queue_positions",
        "tabiya_admitted_positions",
        "tabiya_eval_queue_positions",
    ];
    let searches = page.sum("tabiya_memory_bytes", &[("budget", "search")]);
    gauges.iter().map(|name| page.sum(name, &[])).sum::<f64>() + searches
}

/// A call that is dropped.
#[derive(Clone, Copy, Debug)]
enum Dropped {
    BestMove(Backend),
    Analyze(Backend),
    BatchAnalyze(Backend),
    Evaluate(Backend),
    BatchEvaluate(Backend),
    Perft,
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(tabiya_server::Config {
        gpu: options.gpu(),
        ..config()
    })
    .await;
    let kinds = |backend| {
        [
            Dropped::BestMove(backend),
            Dropped::Analyze(backend),
            Dropped::BatchAnalyze(backend),
            Dropped::Evaluate(backend),
            Dropped::BatchEvaluate(backend),
        ]
    };
    let mut all = kinds(Backend::Cpu).to_vec();
    all.push(Dropped::Perft);
    if options.gpu() != GpuPolicy::Off {
        all.extend(kinds(Backend::Gpu));
    }
    let calls = Calls {
        addr: rig.addr,
        channel: rig.channel().await,
        positions: positions(),
    };
    for kind in all {
        let (mut p50, mut p99) = (vec![], vec![]);
        for _ in 0..options.rounds {
            let mut times = Times::default();
            for drop in 0..(DROPS * options.seconds) as u64 {
                // At different moments of the work.
                calls.dropped(kind, Duration::from_millis(5 + drop % 20)).await;
                let begun = Instant::now();
                while left(&rig.page().await) > 0.0 {}
                times.push(begun.elapsed());
            }
            p50.push(times.permille(500));
            p99.push(times.permille(990));
        }
        let name = format!("{kind:?} dropped: nothing left");
        table.add(Figure::new(format!("{name}, p50"), Unit::Millis, p50));
        table.add(Figure::new(format!("{name}, p99"), Unit::Millis, p99).at_most(0.05));
    }
    rig.end().await;
}

struct Calls {
    addr: SocketAddr,
    channel: Channel,
    positions: Vec<v1::Position>,
}

impl Calls {
    /// Calls, and drops the call after so long.
    async fn dropped(&self, kind: Dropped, after: Duration) {
        let mut search = SearchServiceClient::new(self.channel.clone());
        let is_over = match kind {
            Dropped::BestMove(backend) => {
                let request = v1::BestMoveRequest {
                    backend: backend.into(),
                    ..endless()
                };
                (tokio::time::timeout(after, search.best_move(request)).await).map(|end| end.map(drop))
            }
            Dropped::Analyze(backend) => {
                let request = v1::AnalyzeRequest {
                    backend: backend.into(),
                    ..analyze()
                };
                let work = async { read(search.analyze(request).await?).await };
                tokio::time::timeout(after, work).await
            }
            Dropped::BatchAnalyze(backend) => {
                let item = move |position| v1::BatchAnalyzeRequest {
                    position: Some(position),
                    limits: endless().limits,
                    backend: backend.into(),
                    ..Default::default()
                };
                let items = self.positions.clone().into_iter().cycle().map(item);
                let work = |mut search: SearchServiceClient<Channel>| async move {
                    read(search.batch_analyze(tokio_stream::iter(items)).await?).await
                };
                return gone(self.addr, after, work).await;
            }
            Dropped::Evaluate(backend) => {
                let request = v1::EvaluateRequest {
                    positions: self.positions.iter().take(4096).cloned().collect(),
                    backend: backend.into(),
                    ..Default::default()
                };
                let calls = (0..EVALUATIONS).map(|_| {
                    let (mut search, request) = (search.clone(), request.clone());
                    async move { search.evaluate(request).await }
                });
                // Some may have been answered by then.
                let _ = tokio::time::timeout(after, join_all(calls)).await;
                return;
            }
            Dropped::BatchEvaluate(backend) => {
                let item = move |position| v1::BatchEvaluateRequest {
                    position: Some(position),
                    backend: backend.into(),
                    ..Default::default()
                };
                let items = self.positions.clone().into_iter().cycle().map(item);
                let work = |mut search: SearchServiceClient<Channel>| async move {
                    read(search.batch_evaluate(tokio_stream::iter(items)).await?).await
                };
                return gone(self.addr, after, work).await;
            }
            Dropped::Perft => {
                let request = v1::PerftRequest {
                    depth: 12,
                    ..Default::default()
                };
                let mut rules = RulesServiceClient::new(self.channel.clone());
                (tokio::time::timeout(after, rules.perft(request)).await).map(|end| end.map(drop))
            }
        };
        assert!(
            is_over.is_err(),
            "{kind:?} was over before it was dropped: {is_over:?}"
        );
    }
}

/// Has a caller of its own send without an end, who goes with his connection after so long: a library that has more to send
/// does not tell the server that the answers were dropped.
async fn gone<F, Fut>(addr: SocketAddr, after: Duration, work: F)
where
    F: FnOnce(SearchServiceClient<Channel>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), Status>> + Send,
{
    let caller = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let (connected, is_connected) = oneshot::channel();
    caller.spawn(async move {
        let search = SearchServiceClient::new(channel(addr).await);
        connected.send(()).expect("somebody waits");
        let end = work(search).await;
        panic!("over before it was dropped: {end:?}");
    });
    is_connected.await.expect("a connection");
    tokio::time::sleep(after).await;
    caller.shutdown_background();
}

/// Reads a stream to its end.
async fn read<T>(stream: Response<Streaming<T>>) -> Result<(), Status> {
    let mut stream = stream.into_inner();
    while stream.message().await?.is_some() {}
    Ok(())
}
