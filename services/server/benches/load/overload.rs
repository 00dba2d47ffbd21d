//! Ten times as many callers as are served at once.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tabiya_api::v1::search_service_client::SearchServiceClient;
use tokio::task::JoinHandle;
use tonic::{Code, Status, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_types::StatusExt;

use crate::{
    Options,
    figures::{Figure, Table, Times, Unit},
    rig::{Rig, channel, closed_loop, config, nodes},
};

/// Nodes of each search: some milliseconds.
const NODES: u64 = 5000;

/// What was seen, a value for each round.
#[derive(Default)]
struct Seen {
    unloaded: Vec<f64>,
    full: Vec<f64>,
    accepted_p99: Vec<f64>,
    of_unloaded: Vec<f64>,
    of_full: Vec<f64>,
    accepted: Vec<f64>,
    refused: Vec<f64>,
    slowest_refusal: Vec<f64>,
    wrong: Vec<f64>,
    slowest_health: Vec<f64>,
    grown: Vec<f64>,
    recovered: Vec<f64>,
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let mut config = config();
    if let Some(threads) = options.interactive_threads {
        config.interactive_threads = threads;
    }
    let (cores, threads) = (config.cores, config.interactive_threads);
    let rig = Rig::start(config).await;
    let client = SearchServiceClient::new(rig.channel().await);
    let mut seen = Seen::default();
    for _ in 0..options.rounds {
        round(options, &rig, &client, cores, threads, &mut seen).await;
    }
    seen.show(table, cores, threads);
    rig.end().await;
}

async fn round(
    options: &Options,
    rig: &Rig,
    client: &SearchServiceClient<Channel>,
    cores: usize,
    threads: usize,
    seen: &mut Seen,
) {
    // Nobody waits for a core; and nobody waits for a thread, though they share the cores: that is the server at its own
    // measure without overload, as it lets so many search at once on purpose.
    let unloaded = served(options, client, cores).await;
    let full = served(options, client, threads).await;

    let refusals = Arc::new(Refusals::default());
    let call = {
        let (client, refusals) = (client.clone(), refusals.clone());
        move |_: usize| {
            let (mut client, refusals) = (client.clone(), refusals.clone());
            async move {
                let begun = Instant::now();
                let Err(status) = client.best_move(nodes(NODES)).await else {
                    return true;
                };
                refusals.note(&status, begun.elapsed());
                // Impatient, but not a loop without pause.
                tokio::time::sleep(Duration::from_millis(20)).await;
                false
            }
        }
    };
    let over = Arc::new(AtomicBool::new(false));
    let alive = liveness(HealthClient::new(channel(rig.admin).await), over.clone());
    let time = Duration::from_secs_f64(options.overload_seconds);
    let (mut accepted, grown) = rig.growth(closed_loop(10 * threads, time, call)).await;
    over.store(true, Ordering::Relaxed);
    let slowest_health = alive.await.expect("liveness").permille(1000);
    let p99 = accepted.permille(990);
    seen.recovered.push(recovery(client.clone(), unloaded).await);
    seen.unloaded.push(unloaded);
    seen.full.push(full);
    seen.accepted_p99.push(p99);
    seen.of_unloaded.push(p99 / unloaded);
    seen.of_full.push(p99 / full);
    seen.accepted.push(accepted.len() as f64);
    let mut times = std::mem::take(&mut *refusals.times.lock().unwrap_or_else(PoisonError::into_inner));
    seen.refused.push(times.len() as f64);
    seen.slowest_refusal.push(times.permille(1000));
    seen.wrong.push(refusals.wrong.load(Ordering::Relaxed) as f64);
    seen.slowest_health.push(slowest_health);
    seen.grown.push(grown);
}

/// The time that 99 % of the calls of so many callers are within.
async fn served(options: &Options, client: &SearchServiceClient<Channel>, callers: usize) -> f64 {
    let client = client.clone();
    let call = move |_: usize| {
        let mut client = client.clone();
        async move { client.best_move(nodes(NODES)).await.is_ok() }
    };
    let time = Duration::from_secs_f64(options.seconds.max(1.0));
    closed_loop(callers, time, call).await.permille(990)
}

/// Calls that were not served: refused as they may be, or anything else.
#[derive(Default)]
struct Refusals {
    times: Mutex<Times>,
    wrong: AtomicU64,
}

impl Refusals {
    fn note(&self, status: &Status, time: Duration) {
        if status.code() == Code::ResourceExhausted && status.get_details_retry_info().is_some() {
            self.times
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(time);
        } else {
            eprintln!("  under overload: {status:?}");
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Asks whether the server lives until it is told to stop.
fn liveness(mut health: HealthClient<Channel>, over: Arc<AtomicBool>) -> JoinHandle<Times> {
    tokio::spawn(async move {
        let mut times = Times::default();
        while !over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let request = HealthCheckRequest {
                service: "liveness".into(),
            };
            health.check(request).await.expect("health");
            times.push(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        times
    })
}

/// How long it takes until a call is as fast as of an unloaded server.
async fn recovery(mut client: SearchServiceClient<Channel>, usual: f64) -> f64 {
    let begun = Instant::now();
    loop {
        let asked = Instant::now();
        let is_served = client.best_move(nodes(NODES)).await.is_ok();
        if is_served && asked.elapsed().as_secs_f64() <= usual {
            return begun.elapsed().as_secs_f64();
        }
    }
}

impl Seen {
    fn show(self, table: &mut Table, cores: usize, threads: usize) {
        let figures = [
            Figure::new(
                format!("unloaded ({cores} callers, one a core): p99"),
                Unit::Millis,
                self.unloaded,
            ),
            Figure::new(
                format!("full ({threads} callers, one a thread): p99"),
                Unit::Millis,
                self.full,
            ),
            Figure::new("10x: accepted, p99", Unit::Millis, self.accepted_p99),
            Figure::new(
                "10x: accepted, p99 of the unloaded",
                Unit::Percent,
                self.of_unloaded,
            ),
            Figure::new("10x: accepted, p99 of the full", Unit::Percent, self.of_full).at_most(2.0),
            Figure::new("10x: accepted", Unit::Count, self.accepted),
            Figure::new("10x: refused with a time to come back", Unit::Count, self.refused),
            Figure::new("10x: refused, slowest", Unit::Millis, self.slowest_refusal).at_most(0.1),
            Figure::new("10x: ended in any other way", Unit::Count, self.wrong)
                .sum()
                .at_most(0.0),
            Figure::new("10x: liveness, slowest", Unit::Millis, self.slowest_health).at_most(0.1),
            Figure::new("10x: memory grown", Unit::MiB, self.grown)
                .most()
                .at_most((64 << 20) as f64),
            Figure::new("10x: back to normal after", Unit::Millis, self.recovered).at_most(2.0),
        ];
        figures.into_iter().for_each(|figure| table.add(figure));
    }
}
