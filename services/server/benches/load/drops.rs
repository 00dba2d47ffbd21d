//! Ten thousand calls that are dropped at once, while every core is busy otherwise: what else is on their connection, and
//! how soon the server rests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use tabiya_api::v1::{
    self, rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tonic::{Code, transport::Channel};

use crate::{
    Options,
    cancel::left,
    figures::{Figure, Table, Times, Unit},
    rig::{Rig, config, endless},
};

/// Calls of a round, and how many of them there are at once.
const CALLS: u64 = 10_000;
const AT_ONCE: usize = 100;

/// How soon the processor shall rest, and for how long it is looked at.
const REST: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_secs(1);

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let (mut rested, mut cpu, mut wrong, mut slowest) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        let channel = rig.channel().await;
        let over = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy: Vec<_> = (0..cores).map(|_| std::thread::spawn(keep_busy(&over))).collect();
        let probe = tokio::spawn(probe(channel.clone(), over.clone()));
        let calls = futures_util::stream::iter(0..CALLS).map(|number| dropped(channel.clone(), number));
        let otherwise = calls
            .buffer_unordered(AT_ONCE)
            .filter(|&well| async move { !well });
        let otherwise = otherwise.count().await;
        let begun = Instant::now();
        over.store(true, Ordering::Relaxed);
        busy.into_iter()
            .for_each(|thread| thread.join().expect("a thread"));
        while left(&rig.page().await) > 0.0 {}
        rested.push(begun.elapsed().as_secs_f64());
        let (mut times, failed) = probe.await.expect("a probe");
        wrong.push((otherwise + failed) as f64);
        slowest.push(times.permille(1000));
        tokio::time::sleep(REST.saturating_sub(begun.elapsed())).await;
        let before = cpu_seconds(&rig).await;
        tokio::time::sleep(LOOK).await;
        cpu.push((cpu_seconds(&rig).await - before) / LOOK.as_secs_f64());
    }
    let name = format!("{CALLS} dropped calls");
    table.add(
        Figure::new(
            format!("{name}: calls that failed beside them"),
            Unit::Count,
            wrong,
        )
        .sum()
        .at_most(0.0),
    );
    table.add(Figure::new(
        format!("{name}: the slowest beside them"),
        Unit::Millis,
        slowest,
    ));
    table.add(Figure::new(format!("{name}: nothing left"), Unit::Millis, rested).at_most(REST.as_secs_f64()));
    // Of one core; to look at it costs some of it.
    table.add(
        Figure::new(
            format!("{name}: processor used, after 200 ms"),
            Unit::Percent,
            cpu,
        )
        .at_most(0.05),
    );
    rig.end().await;
}

async fn cpu_seconds(rig: &Rig) -> f64 {
    rig.page().await.sum("process_cpu_seconds_total", &[])
}

/// Work for a core.
fn keep_busy(over: &Arc<AtomicBool>) -> impl FnOnce() + Send + 'static {
    let over = over.clone();
    move || {
        while !over.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }
}

/// Whether a call was dropped in time, or refused as it may be.
async fn dropped(channel: Channel, number: u64) -> bool {
    let mut client = SearchServiceClient::new(channel);
    let patience = Duration::from_millis(number % 6);
    match tokio::time::timeout(patience, client.best_move(endless())).await {
        Err(_) => true,
        Ok(Err(status)) => status.code() == Code::ResourceExhausted,
        Ok(Ok(_)) => false,
    }
}

/// Quick calls, one after the other; their times, and how many failed.
async fn probe(channel: Channel, over: Arc<AtomicBool>) -> (Times, usize) {
    let mut client = RulesServiceClient::new(channel);
    let (mut times, mut failed) = (Times::default(), 0);
    while !over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        match client.legal_moves(v1::LegalMovesRequest::default()).await {
            Ok(_) => times.push(begun.elapsed()),
            Err(status) => {
                eprintln!("  a call beside dropped ones: {status}");
                failed += 1;
            }
        }
    }
    (times, failed)
}
