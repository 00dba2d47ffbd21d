//! Bulk streams: how many items a second, whether in order, and what memory they take.

use std::time::Instant;

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tonic::Streaming;

use crate::{
    Options,
    figures::{Table, Unit},
    rig::{Rig, config},
};

/// Items of a round for each second that it shall take, at the pace that is asked for.
const PACE: f64 = 50_000.0;

/// Reads a stream to its end; how many answers came, each in its place.
macro_rules! drain {
    ($stream:expr) => {{
        let mut stream: Streaming<_> = $stream.await.expect("a stream").into_inner();
        let mut count = 0_u64;
        while let Some(answer) = stream.message().await.expect("an answer") {
            assert_eq!(answer.index, count, "out of order");
            count += 1;
        }
        count
    }};
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let items = (PACE * options.seconds) as usize;
    let channel = rig.channel().await;
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut arbiter = ArbiterServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel);
    let (mut legal, mut ruled, mut evaluated) = (vec![], vec![], vec![]);
    let (mut legal_grown, mut ruled_grown, mut evaluated_grown) = (vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        let begun = Instant::now();
        let stream = tokio_stream::iter((0..items).map(|_| v1::BatchLegalMovesRequest::default()));
        let (count, more) = rig
            .growth(async { drain!(rules.batch_legal_moves(stream)) })
            .await;
        legal.push(count as f64 / begun.elapsed().as_secs_f64());
        legal_grown.push(more);

        let begun = Instant::now();
        let stream = tokio_stream::iter((0..items / 4).map(|_| v1::BatchAdjudicateRequest::default()));
        let (count, more) = rig
            .growth(async { drain!(arbiter.batch_adjudicate(stream)) })
            .await;
        ruled.push(count as f64 / begun.elapsed().as_secs_f64());
        ruled_grown.push(more);

        let begun = Instant::now();
        let stream = tokio_stream::iter((0..items).map(|_| v1::BatchEvaluateRequest::default()));
        let (count, more) = rig.growth(async { drain!(search.batch_evaluate(stream)) }).await;
        evaluated.push(count as f64 / begun.elapsed().as_secs_f64());
        evaluated_grown.push(more);
    }
    table.add("BatchLegalMoves: items", Unit::PerSecond, legal, ">= 50000/s");
    for (what, grown) in [
        ("BatchLegalMoves: memory grown by at most", legal_grown),
        ("BatchAdjudicate: memory grown by at most", ruled_grown),
        ("BatchEvaluate: memory grown by at most", evaluated_grown),
    ] {
        table.add(what, Unit::MiB, grown, "<= 64 MiB");
    }
    table.add("BatchAdjudicate: items", Unit::PerSecond, ruled, ">= 50000/s");
    table.add("BatchEvaluate: items", Unit::PerSecond, evaluated, "");
    rig.end().await;
}
