//! How long after its deadline a stream goes on, by the caller's clock, and how it ends.

use std::time::{Duration, Instant};

use tabiya_api::v1::{
    self, StoppedBy, arbiter_service_client::ArbiterServiceClient, batch_adjudicate_request::Game,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tonic::{Code, Request, Status, Streaming, transport::Channel};

use crate::{
    Options,
    figures::{Figure, Table, Unit},
    games::{games, positions},
    rig::{Rig, analyze, config, endless},
};

const BUDGET: Duration = Duration::from_millis(300);

/// Streams of a round.
const STREAMS: usize = 5;

/// Items of a stream that has an end, which the deadline comes long before.
const ITEMS: usize = 10_000;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Analyze,
    BatchAnalyze,
    BatchLegalMoves,
    BatchAdjudicate,
    BatchEvaluate,
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let asked = Asked {
        channel: rig.channel().await,
        positions: positions(),
        games: games(),
    };
    for kind in [
        Kind::Analyze,
        Kind::BatchAnalyze,
        Kind::BatchLegalMoves,
        Kind::BatchAdjudicate,
        Kind::BatchEvaluate,
    ] {
        let (mut late, mut wrong, mut answers) = (vec![], vec![], vec![]);
        for _ in 0..options.rounds {
            let (mut most, mut otherwise) = (f64::MIN, 0.0);
            for _ in 0..STREAMS {
                let begun = Instant::now();
                let (count, end) = asked.until_end(kind).await;
                most = most.max(begun.elapsed().as_secs_f64() - BUDGET.as_secs_f64());
                if !is_right(kind, count, &end) {
                    eprintln!("  {kind:?} ended after {count} answers: {end:?}");
                    otherwise += 1.0;
                }
                answers.push(count as f64);
            }
            late.push(most);
            wrong.push(otherwise);
        }
        let name = format!("{kind:?} with 300 ms");
        let late = Figure::new(format!("{name}: ends after the deadline"), Unit::Millis, late);
        table.add(late.most().at_most(0.05));
        let wrong = Figure::new(format!("{name}: ended in another way"), Unit::Count, wrong);
        table.add(wrong.sum().at_most(0.0));
        table.add(Figure::new(format!("{name}: answers"), Unit::Count, answers));
    }
    rig.end().await;
}

/// How a stream came to its end.
type End = Result<Option<StoppedBy>, Status>;

/// A search for one caller is answered before the deadline; what has more to do is cut off there, unless all of it has
/// been answered.
fn is_right(kind: Kind, count: usize, end: &End) -> bool {
    match (kind, end) {
        (Kind::Analyze, Ok(stopped_by)) => *stopped_by == Some(StoppedBy::Deadline),
        (Kind::Analyze, Err(_)) => false,
        (_, Ok(_)) => count == ITEMS,
        (_, Err(status)) => status.code() == Code::DeadlineExceeded && count > 0,
    }
}

/// What is asked again and again.
struct Asked {
    channel: Channel,
    positions: Vec<v1::Position>,
    games: Vec<v1::Position>,
}

impl Asked {
    /// Reads a stream to its end; how many answers there were, and the end.
    async fn until_end(&self, kind: Kind) -> (usize, End) {
        let channel = &self.channel;
        let (mut search, mut rules, mut arbiter) = (
            SearchServiceClient::new(channel.clone()),
            RulesServiceClient::new(channel.clone()),
            ArbiterServiceClient::new(channel.clone()),
        );
        let mut count = 0;
        let end = async {
            match kind {
                Kind::Analyze => {
                    let mut stream = search.analyze(timed(analyze())).await?.into_inner();
                    let mut last = None;
                    while let Some(answer) = stream.message().await? {
                        count += 1;
                        last = Some(answer.stopped_by());
                    }
                    Ok(last)
                }
                Kind::BatchAnalyze => {
                    let item = |position| v1::BatchAnalyzeRequest {
                        position: Some(position),
                        limits: endless().limits,
                        ..Default::default()
                    };
                    let items = self.positions.clone().into_iter().cycle().take(ITEMS).map(item);
                    let stream = search.batch_analyze(timed(tokio_stream::iter(items))).await?;
                    read(stream.into_inner(), &mut count).await
                }
                Kind::BatchLegalMoves => {
                    let item = |position| v1::BatchLegalMovesRequest {
                        position: Some(position),
                        ..Default::default()
                    };
                    let items = self.positions.clone().into_iter().cycle().map(item);
                    let stream = rules.batch_legal_moves(timed(tokio_stream::iter(items))).await?;
                    read(stream.into_inner(), &mut count).await
                }
                Kind::BatchAdjudicate => {
                    let item = |game| v1::BatchAdjudicateRequest {
                        game: Some(Game::Position(game)),
                        ..Default::default()
                    };
                    let items = self.games.clone().into_iter().cycle().map(item);
                    let stream = arbiter.batch_adjudicate(timed(tokio_stream::iter(items))).await?;
                    read(stream.into_inner(), &mut count).await
                }
                Kind::BatchEvaluate => {
                    let item = |position| v1::BatchEvaluateRequest {
                        position: Some(position),
                        ..Default::default()
                    };
                    let items = self.positions.clone().into_iter().cycle().map(item);
                    let stream = search.batch_evaluate(timed(tokio_stream::iter(items))).await?;
                    read(stream.into_inner(), &mut count).await
                }
            }
        }
        .await;
        (count, end)
    }
}

fn timed<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(BUDGET);
    request
}

async fn read<T>(mut stream: Streaming<T>, count: &mut usize) -> End {
    while stream.message().await?.is_some() {
        *count += 1;
    }
    Ok(None)
}
