//! Bulk streams over games that were played: how many items a second, whether in order, and what memory they take.
//!
//! The contract has one position in a message; the server makes chunks of what comes together.

use std::time::Instant;

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, batch_adjudicate_request::Game,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tonic::Streaming;

use crate::{
    Options,
    figures::{Figure, Table, Unit},
    games::{games, positions},
    rig::{Rig, config},
};

/// What is asked for, in positions a second.
const PACE: f64 = 50_000.0;

/// How much a process may grow.
const ROOM: f64 = (64 << 20) as f64;

/// Reads a stream to its end; how many answers came, each in its place and none of them an error.
macro_rules! drain {
    ($stream:expr, $outcome:path) => {{
        let mut stream: Streaming<_> = $stream.await.expect("a stream").into_inner();
        let mut count = 0_u64;
        while let Some(answer) = stream.message().await.expect("an answer") {
            assert_eq!(answer.index, count, "out of order");
            assert!(matches!(answer.outcome, Some($outcome(_))), "{answer:?}");
            count += 1;
        }
        count
    }};
}

/// What one stream came to, a value for each round.
#[derive(Default)]
struct Rounds {
    rate: Vec<f64>,
    grown: Vec<f64>,
}

impl Rounds {
    async fn add(&mut self, rig: &Rig, work: impl Future<Output = u64>) {
        let begun = Instant::now();
        let (count, grown) = rig.growth(work).await;
        self.rate.push(count as f64 / begun.elapsed().as_secs_f64());
        self.grown.push(grown);
    }

    fn show(self, table: &mut Table, name: &str, bar: Option<f64>) {
        let rate = Figure::new(format!("{name}: items"), Unit::PerSecond, self.rate);
        table.add(match bar {
            Some(bar) => rate.at_least(bar),
            None => rate,
        });
        let grown = Figure::new(format!("{name}: memory grown"), Unit::MiB, self.grown);
        table.add(grown.most().at_most(ROOM));
    }
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let (positions, games) = (positions(), games());
    let plies: usize = games.iter().map(|game| game.moves.len()).sum();
    let plies = plies as f64 / games.len() as f64;
    let items = (PACE * options.seconds) as usize;
    // So many games have as many positions.
    let few = (items as f64 / plies) as usize;
    let channel = rig.channel().await;
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut arbiter = ArbiterServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel);
    let [mut legal, mut ruled, mut played, mut evaluated] = [(); 4].map(|()| Rounds::default());
    for _ in 0..options.rounds {
        let all = positions.clone().into_iter().cycle();
        let stream = all.map(|position| v1::BatchLegalMovesRequest {
            position: Some(position),
            ..Default::default()
        });
        let stream = tokio_stream::iter(stream.take(items));
        let work = async {
            drain!(
                rules.batch_legal_moves(stream),
                v1::batch_legal_moves_response::Outcome::Response
            )
        };
        legal.add(&rig, work).await;

        for (from, count, rounds) in [(&positions, items, &mut ruled), (&games, few, &mut played)] {
            let all = from.clone().into_iter().cycle();
            let stream = all.map(|position| v1::BatchAdjudicateRequest {
                game: Some(Game::Position(position)),
                ..Default::default()
            });
            let stream = tokio_stream::iter(stream.take(count));
            let work = async {
                drain!(
                    arbiter.batch_adjudicate(stream),
                    v1::batch_adjudicate_response::Outcome::Response
                )
            };
            rounds.add(&rig, work).await;
        }

        let all = positions.clone().into_iter().cycle();
        let stream = all.map(|position| v1::BatchEvaluateRequest {
            position: Some(position),
            ..Default::default()
        });
        let stream = tokio_stream::iter(stream.take(items));
        let work = async {
            drain!(
                search.batch_evaluate(stream),
                v1::batch_evaluate_response::Outcome::Response
            )
        };
        evaluated.add(&rig, work).await;
    }
    let in_games = played.rate.iter().map(|rate| rate * plies).collect();
    legal.show(table, "BatchLegalMoves, positions of games", Some(PACE));
    ruled.show(table, "BatchAdjudicate, positions of games", Some(PACE));
    played.show(table, "BatchAdjudicate, whole games", None);
    let in_games = Figure::new(
        "BatchAdjudicate, whole games: their positions",
        Unit::PerSecond,
        in_games,
    );
    table.add(in_games.at_least(PACE));
    evaluated.show(table, "BatchEvaluate, positions of games", None);
    rig.end().await;
}
