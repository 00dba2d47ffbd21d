//! One round of a soak: every RPC that takes work, short and long calls, streams, a job, mistakes, calls with deadlines
//! and calls that are dropped.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, job_service_client::JobServiceClient,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tonic::{Code, Request, Status, Streaming, transport::Channel};

use super::Failures;
use crate::rig::{endless, nodes};

/// Makes one call of each kind; a call that fails does not keep the next ones from being made.
pub(super) async fn one_of_each(channel: Channel, caller: usize, failures: Arc<Failures>) -> bool {
    rules(channel.clone(), &failures).await;
    arbiter(channel.clone(), &failures).await;
    search(channel.clone(), caller, &failures).await;
    evaluations(channel.clone(), &failures).await;
    given_up(channel.clone(), &failures).await;
    // Results are kept on disk for days: one caller's are enough.
    if caller == 0 {
        failures.note("a job", job(channel).await);
    }
    true
}

async fn rules(channel: Channel, failures: &Failures) {
    let mut rules = RulesServiceClient::new(channel);
    for _ in 0..20 {
        let answer = rules.legal_moves(v1::LegalMovesRequest::default()).await;
        failures.note("LegalMoves", answer);
    }
    let items = (0..2000).map(|_| v1::BatchLegalMovesRequest::default());
    let stream = rules.batch_legal_moves(tokio_stream::iter(items)).await;
    failures.note("BatchLegalMoves", end(stream, 2000).await);
    let perft = v1::PerftRequest {
        depth: 4,
        ..Default::default()
    };
    failures.note("Perft", rules.perft(perft).await);
}

async fn arbiter(channel: Channel, failures: &Failures) {
    let mut arbiter = ArbiterServiceClient::new(channel);
    let answer = arbiter.adjudicate(v1::AdjudicateRequest::default()).await;
    failures.note("Adjudicate", answer);
    let items = (0..200).map(|_| v1::BatchAdjudicateRequest::default());
    let stream = arbiter.batch_adjudicate(tokio_stream::iter(items)).await;
    failures.note("BatchAdjudicate", end(stream, 200).await);
    let compared = v1::CompareRulingsRequest {
        rulesets: vec!["fide-2023".into(), "popular".into()],
        ..Default::default()
    };
    failures.note("CompareRulings", arbiter.compare_rulings(compared).await);
    let proved = v1::ProveMateRequest {
        side: v1::Color::White.into(),
        with_certificate: true,
        ..Default::default()
    };
    failures.note("ProveMate", arbiter.prove_mate(proved).await);
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
    failures.note("Standings", arbiter.standings(ranked).await);
}

async fn search(channel: Channel, caller: usize, failures: &Failures) {
    let mut search = SearchServiceClient::new(channel);
    let answer = search.best_move(nodes(20_000 + 1000 * caller as u64)).await;
    failures.note("BestMove", answer);
    let analysed = v1::AnalyzeRequest {
        limits: nodes(10_000).limits,
        ..Default::default()
    };
    let stream = search.analyze(analysed).await;
    failures.note("Analyze", end(stream, 1).await);
    let items = (0..20).map(|_| v1::BatchAnalyzeRequest {
        limits: nodes(2000).limits,
        ..Default::default()
    });
    let stream = search.batch_analyze(tokio_stream::iter(items)).await;
    failures.note("BatchAnalyze", end(stream, 20).await);
}

async fn evaluations(channel: Channel, failures: &Failures) {
    let mut search = SearchServiceClient::new(channel);
    let evaluated = v1::EvaluateRequest {
        positions: vec![v1::Position::default(); 500],
        ..Default::default()
    };
    failures.note("Evaluate", search.evaluate(evaluated).await);
    let items = (0..500).map(|_| v1::BatchEvaluateRequest::default());
    let stream = search.batch_evaluate(tokio_stream::iter(items)).await;
    failures.note("BatchEvaluate", end(stream, 500).await);
    let wrong = v1::Position {
        fen: "banana".into(),
        ..Default::default()
    };
    let request = v1::EvaluateRequest {
        positions: vec![wrong; 20],
        ..Default::default()
    };
    let refused = match search.evaluate(request).await {
        Err(status) if status.code() == Code::InvalidArgument => Ok(()),
        other => Err(format!("{other:?}")),
    };
    failures.note("a mistake", refused);
}

/// A call that is answered at its deadline, and one that is dropped.
async fn given_up(channel: Channel, failures: &Failures) {
    let mut search = SearchServiceClient::new(channel);
    let mut timed = Request::new(endless());
    timed.set_timeout(Duration::from_millis(100));
    let answer = search.best_move(timed).await;
    // The caller's own clock says CANCELLED when it is a little faster.
    let is_late = |status: &Status| matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled);
    let late = answer.as_ref().is_err_and(is_late);
    failures.note_timed(late);
    if !late {
        failures.note("BestMove with 100 ms", answer);
    }
    let call = search.best_move(endless());
    let dropped = match tokio::time::timeout(Duration::from_millis(20), call).await {
        Err(_) => Ok(()),
        Ok(answer) => Err(format!("{answer:?}")),
    };
    failures.note("a dropped call", dropped);
}

/// A job of its own name, read to its end.
async fn job(channel: Channel) -> Result<(), String> {
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
    let taken = jobs.submit_job(submitted).await;
    taken.map_err(|status| format!("not taken: {status}"))?;
    let read = v1::StreamResultsRequest {
        job_id,
        follow: true,
        ..Default::default()
    };
    end(jobs.stream_results(read).await, 50).await
}

/// Reads a stream to its end, of which so many messages are the least.
async fn end<T>(stream: Result<tonic::Response<Streaming<T>>, Status>, least: usize) -> Result<(), String> {
    let read = async {
        let mut stream = stream?.into_inner();
        let mut count = 0;
        while stream.message().await?.is_some() {
            count += 1;
        }
        Ok::<_, Status>(count)
    };
    match read.await {
        Ok(count) if count >= least => Ok(()),
        Ok(count) => Err(format!("{count} messages instead of {least}")),
        Err(status) => Err(status.to_string()),
    }
}
