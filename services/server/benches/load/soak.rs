//! Mixed load for a long time: memory, descriptors and threads as they go.

use std::time::{Duration, Instant};

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tonic::{Request, transport::Channel};

use crate::{
    Options,
    figures::{Table, Unit},
    rig::{Rig, closed_loop, config, endless, nodes},
};

/// Callers at once.
const CALLERS: usize = 8;

/// How many lines the run gives.
const LINES: u32 = 40;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let channel = rig.channel().await;
    let time = Duration::from_secs_f64(options.soak_seconds);
    let load = tokio::spawn(closed_loop(CALLERS, time, move |caller| {
        one_of_each(channel.clone(), caller)
    }));
    let begun = Instant::now();
    let mut seen = Vec::new();
    let mut tick = tokio::time::interval((time / LINES).max(Duration::from_secs(1)));
    while !load.is_finished() {
        tick.tick().await;
        let page = rig.page().await;
        let now = begun.elapsed().as_secs_f64();
        let memory = page.sum("process_resident_memory_bytes", &[]);
        let (fds, threads) = (
            page.sum("process_open_fds", &[]),
            page.sum("process_threads", &[]),
        );
        let calls = page.sum("tabiya_requests_total", &[]);
        eprintln!(
            "  {now:7.1} s: {:7.1} MiB, {fds} descriptors, {threads} threads, {calls} calls",
            memory / 1048576.0
        );
        seen.push((now, memory, fds, threads));
    }
    let calls = load.await.expect("the load").len() as f64;
    // The first quarter fills caches and pools.
    let settled = &seen[seen.len() / 4..];
    let slope = slope(settled.iter().map(|&(now, memory, ..)| (now, memory))) * 600.0;
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let (least, most) = values.fold((f64::MAX, f64::MIN), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        most - least
    };
    let fds = spread(&mut settled.iter().map(|&(_, _, fds, _)| fds));
    let threads = spread(&mut settled.iter().map(|&(_, _, _, threads)| threads));
    table.add("soak: rounds of calls", Unit::Count, vec![calls], "");
    table.add("soak: memory in ten minutes", Unit::MiB, vec![slope], "<= 1 MiB");
    table.add(
        "soak: descriptors, most less least",
        Unit::Count,
        vec![fds],
        "flat",
    );
    table.add(
        "soak: threads, most less least",
        Unit::Count,
        vec![threads],
        "flat",
    );
    rig.end().await;
}

/// Short and long calls, streams, mistakes, calls with deadlines and calls that are dropped.
async fn one_of_each(channel: Channel, caller: usize) -> bool {
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut arbiter = ArbiterServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel);
    let mut good = true;
    for _ in 0..20 {
        good &= rules.legal_moves(v1::LegalMovesRequest::default()).await.is_ok();
    }
    good &= search
        .best_move(nodes(20_000 + 1000 * caller as u64))
        .await
        .is_ok();
    good &= arbiter.adjudicate(v1::AdjudicateRequest::default()).await.is_ok();
    let request = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); 500],
        ..Default::default()
    };
    good &= search.evaluate(request).await.is_ok();
    let wrong = v1::EvaluateRequest {
        positions: vec![
            v1::Position {
                fen: "banana".into(),
                ..Default::default()
            };
            20
        ],
        ..Default::default()
    };
    good &= search.evaluate(wrong).await.is_err();
    let items = (0..2000).map(|_| v1::BatchLegalMovesRequest::default());
    if let Ok(answers) = rules.batch_legal_moves(tokio_stream::iter(items)).await {
        let mut answers = answers.into_inner();
        while let Ok(Some(_)) = answers.message().await {}
    }
    let mut timed = Request::new(endless());
    timed.set_timeout(Duration::from_millis(100));
    // On a crowded machine it may come late.
    let _ = search.best_move(timed).await;
    let _ = tokio::time::timeout(Duration::from_millis(20), search.best_move(endless())).await;
    good
}

/// The slope of the straight line that fits best.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count() as f64;
    let mean_x = points.clone().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.clone().map(|(_, y)| y).sum::<f64>() / count;
    let (above, below) = points.fold((0.0, 0.0), |(above, below), (x, y)| {
        (above + (x - mean_x) * (y - mean_y), below + (x - mean_x).powi(2))
    });
    if below == 0.0 { 0.0 } else { above / below }
}
