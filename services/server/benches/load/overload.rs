//! Ten times as many callers as are served at once.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tabiya_api::v1::search_service_client::SearchServiceClient;
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_types::StatusExt;

use crate::{
    Options,
    figures::{Table, Times, Unit},
    rig::{Rig, channel, closed_loop, config, nodes},
};

/// Nodes of each search: some milliseconds.
const NODES: u64 = 5000;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let config = config();
    let threads = config.interactive_threads;
    let rig = Rig::start(config).await;
    let client = SearchServiceClient::new(rig.channel().await);
    let served = {
        let client = client.clone();
        move |_: usize| {
            let mut client = client.clone();
            async move { client.best_move(nodes(NODES)).await.is_ok() }
        }
    };
    let usual = Duration::from_secs_f64(options.seconds.max(1.0));
    let mut unloaded = closed_loop(threads, usual, served).await;
    let usual_p99 = unloaded.permille(990);

    let refusals = Arc::new(Mutex::new(Times::default()));
    let wrong = Arc::new(AtomicU64::new(0));
    let call = {
        let (client, refusals, wrong) = (client.clone(), refusals.clone(), wrong.clone());
        move |_: usize| {
            let (mut client, refusals, wrong) = (client.clone(), refusals.clone(), wrong.clone());
            async move {
                let begun = Instant::now();
                let Err(status) = client.best_move(nodes(NODES)).await else {
                    return true;
                };
                if status.code() == Code::ResourceExhausted && status.get_details_retry_info().is_some() {
                    let mut refusals = refusals.lock().unwrap_or_else(PoisonError::into_inner);
                    refusals.push(begun.elapsed());
                } else {
                    wrong.fetch_add(1, Ordering::Relaxed);
                }
                // Impatient, but not a loop without pause.
                tokio::time::sleep(Duration::from_millis(20)).await;
                false
            }
        }
    };
    let over = Arc::new(AtomicBool::new(false));
    let alive = tokio::spawn({
        let (over, mut health) = (over.clone(), HealthClient::new(channel(rig.admin).await));
        async move {
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
        }
    });
    let time = Duration::from_secs_f64(options.overload_seconds);
    let (mut accepted, grown) = rig.growth(closed_loop(10 * threads, time, call)).await;
    over.store(true, Ordering::Relaxed);
    let mut alive = alive.await.expect("liveness");
    let begun = Instant::now();
    let mut recovered = client.clone();
    // Normal is a call that is served, and as fast as one of a full server.
    loop {
        let asked = Instant::now();
        let is_served = recovered.best_move(nodes(NODES)).await.is_ok();
        if is_served && asked.elapsed().as_secs_f64() <= usual_p99 {
            break;
        }
    }
    let recovery = begun.elapsed().as_secs_f64();

    let mut refusals = std::mem::take(&mut *refusals.lock().unwrap_or_else(PoisonError::into_inner));
    table.add(
        format!("{threads} callers at once: p99"),
        Unit::Millis,
        vec![usual_p99],
        "",
    );
    let bar = format!("<= {:.2} ms", 2e3 * usual_p99);
    table.add(
        "10x: accepted, p99",
        Unit::Millis,
        vec![accepted.permille(990)],
        bar,
    );
    table.add("10x: accepted", Unit::Count, vec![accepted.len() as f64], "");
    table.add(
        "10x: refused with a time to come back",
        Unit::Count,
        vec![refusals.len() as f64],
        "",
    );
    table.add(
        "10x: refused, slowest",
        Unit::Millis,
        vec![refusals.permille(1000)],
        "<= 100 ms",
    );
    let wrong = wrong.load(Ordering::Relaxed) as f64;
    table.add("10x: ended in any other way", Unit::Count, vec![wrong], "0");
    table.add(
        "10x: liveness, slowest",
        Unit::Millis,
        vec![alive.permille(1000)],
        "<= 100 ms",
    );
    table.add(
        "10x: memory grown by at most",
        Unit::MiB,
        vec![grown],
        "<= 64 MiB",
    );
    table.add(
        "10x: back to normal after",
        Unit::Millis,
        vec![recovery],
        "<= 2000 ms",
    );
    rig.end().await;
}
