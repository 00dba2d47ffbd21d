//! Mixed load for a long time, jobs in an embedded store among it: memory, descriptors and threads as they go.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, job_service_client::JobServiceClient,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_server::Config;
use tonic::{Request, Status, Streaming, transport::Channel};

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
    let folder = tempfile::tempdir().expect("a folder");
    let rig = Rig::start(Config {
        jobs_dir: Some(folder.path().to_owned()),
        ..config()
    })
    .await;
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
    table.add("soak: rounds of calls, all well", Unit::Count, vec![calls], "");
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

/// Every RPC that takes work: short and long calls, streams, a job, mistakes, calls with deadlines and calls that are
/// dropped. Whether all were answered as they should be.
async fn one_of_each(channel: Channel, caller: usize) -> bool {
    let mut good = rule(channel.clone()).await.is_ok();
    good &= search(channel.clone(), caller).await.is_ok();
    good &= err(channel.clone()).await;
    // Results are kept on disk for days: one caller's are enough.
    if caller == 0 {
        good &= job(channel).await.is_ok();
    }
    good
}

async fn rule(channel: Channel) -> Result<(), Status> {
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut arbiter = ArbiterServiceClient::new(channel);
    for _ in 0..20 {
        rules.legal_moves(v1::LegalMovesRequest::default()).await?;
    }
    let items = (0..2000).map(|_| v1::BatchLegalMovesRequest::default());
    end(rules
        .batch_legal_moves(tokio_stream::iter(items))
        .await?
        .into_inner())
    .await?;
    arbiter.adjudicate(v1::AdjudicateRequest::default()).await?;
    let items = (0..200).map(|_| v1::BatchAdjudicateRequest::default());
    end(arbiter
        .batch_adjudicate(tokio_stream::iter(items))
        .await?
        .into_inner())
    .await?;
    let compared = v1::CompareRulingsRequest {
        rulesets: vec!["fide-2023".into(), "popular".into()],
        ..Default::default()
    };
    arbiter.compare_rulings(compared).await?;
    let proved = v1::ProveMateRequest {
        side: v1::Color::White.into(),
        with_certificate: true,
        ..Default::default()
    };
    arbiter.prove_mate(proved).await?;
    let player = |number| v1::ContestPlayer {
        number,
        name: format!("Player, {number}"),
        ..Default::default()
    };
    let contest = v1::Contest {
        players: (1..=16).map(player).collect(),
        ..Default::default()
    };
    let ranked = v1::StandingsRequest {
        event: Some(v1::standings_request::Event::Contest(contest)),
        ..Default::default()
    };
    arbiter.standings(ranked).await?;
    Ok(())
}

async fn search(channel: Channel, caller: usize) -> Result<(), Status> {
    let mut search = SearchServiceClient::new(channel);
    search.best_move(nodes(20_000 + 1000 * caller as u64)).await?;
    let limits = |nodes| {
        Some(v1::Limits {
            nodes,
            ..Default::default()
        })
    };
    let analysed = v1::AnalyzeRequest {
        limits: limits(10_000),
        ..Default::default()
    };
    end(search.analyze(analysed).await?.into_inner()).await?;
    let items = (0..20).map(move |_| v1::BatchAnalyzeRequest {
        limits: limits(2000),
        ..Default::default()
    });
    end(search
        .batch_analyze(tokio_stream::iter(items))
        .await?
        .into_inner())
    .await?;
    let evaluated = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); 500],
        ..Default::default()
    };
    search.evaluate(evaluated).await?;
    let items = (0..500).map(|_| v1::BatchEvaluateRequest::default());
    end(search
        .batch_evaluate(tokio_stream::iter(items))
        .await?
        .into_inner())
    .await?;
    let mut timed = Request::new(endless());
    timed.set_timeout(Duration::from_millis(100));
    // On a crowded machine it may come late.
    let _ = search.best_move(timed).await;
    let _ = tokio::time::timeout(Duration::from_millis(20), search.best_move(endless())).await;
    Ok(())
}

/// Whether a wrong call is refused.
async fn err(channel: Channel) -> bool {
    let wrong = v1::Position {
        fen: "banana".into(),
        ..Default::default()
    };
    let request = v1::EvaluateRequest {
        positions: vec![wrong; 20],
        ..Default::default()
    };
    SearchServiceClient::new(channel).evaluate(request).await.is_err()
}

/// A job of its own name, read to its end.
async fn job(channel: Channel) -> Result<(), Status> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let job_id = format!("soak-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let item = |index: usize| v1::JobItem {
        item_id: index.to_string(),
        ..Default::default()
    };
    let submitted = v1::SubmitJobRequest {
        job_id: job_id.clone(),
        items: (0..50).map(item).collect(),
        limits: nodes(2000).limits,
        ..Default::default()
    };
    let mut jobs = JobServiceClient::new(channel);
    jobs.submit_job(submitted).await?;
    let read = v1::StreamResultsRequest {
        job_id,
        follow: true,
        ..Default::default()
    };
    end(jobs.stream_results(read).await?.into_inner()).await
}

/// Reads a stream to its end.
async fn end<T>(mut stream: Streaming<T>) -> Result<(), Status> {
    while stream.message().await?.is_some() {}
    Ok(())
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
