//! How long before its deadline the answer of a search is there, by the caller's clock: with threads to search on, and
//! without, when a few nodes have to do.

use std::time::{Duration, Instant};

use tabiya_api::v1::{self, StoppedBy, search_service_client::SearchServiceClient};
use tabiya_rules::{Board, Variant, uci};
use tonic::{Request, transport::Channel};

use crate::{
    Options,
    figures::{Figure, Table, Unit},
    games::positions,
    rig::{Rig, config, endless},
};

const BUDGETS: [u64; 4] = [50, 100, 300, 1000];

/// Calls of a round, and rounds of callers at least.
const CALLS: usize = 20;
const TURNS: usize = 2;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let config = config();
    let threads = config.interactive_threads;
    let rig = Rig::start(config).await;
    let client = SearchServiceClient::new(rig.channel().await);
    let mut asked = Asked {
        client: client.clone(),
        positions: positions().into_iter().map(|position| position.fen).collect(),
        next: 0,
    };
    for callers in [1, 4, 16] {
        for budget in BUDGETS {
            let name = format!("BestMove, {callers} at once, {budget} ms");
            asked.measure(options, table, &name, callers, budget).await;
        }
    }
    // Every thread has a search that does not end: who comes now is answered all the same.
    let holders: Vec<_> = (0..threads)
        .map(|_| {
            let mut client = client.clone();
            tokio::spawn(async move { client.best_move(endless()).await.is_ok() })
        })
        .collect();
    rig.until("tabiya_busy_threads", threads as f64).await;
    for (callers, budget) in [(1, 50), (1, 300), (16, 50), (16, 300)] {
        let name = format!("no thread free, {callers} at once, {budget} ms");
        asked.measure(options, table, &name, callers, budget).await;
    }
    holders.iter().for_each(|holder| holder.abort());
    rig.end().await;
}

/// Searches of positions of games, one position after the other.
struct Asked {
    client: SearchServiceClient<Channel>,
    positions: Vec<String>,
    next: usize,
}

impl Asked {
    async fn measure(
        &mut self,
        options: &Options,
        table: &mut Table,
        name: &str,
        callers: usize,
        budget_ms: u64,
    ) {
        let budget = Duration::from_millis(budget_ms);
        let turns = (CALLS / callers).max(TURNS);
        let (mut least, mut most, mut missed, mut calls) = (vec![], vec![], vec![], 0);
        for _ in 0..options.rounds {
            let mut left = Vec::new();
            for _ in 0..turns {
                let together: Vec<_> = (0..callers).map(|_| self.call(budget)).collect();
                left.extend(futures_util::future::join_all(together).await);
            }
            let kept = || left.iter().flatten();
            calls += left.len();
            missed.push((left.len() - kept().count()) as f64);
            least.extend(kept().map(|&(left, _)| left).reduce(f64::min));
            let stopped = kept().filter(|(_, stopped_by)| *stopped_by == StoppedBy::Deadline);
            most.extend(stopped.map(|&(left, _)| left).reduce(f64::max));
        }
        let early = budget.mul_f64(0.1).max(Duration::from_millis(20));
        table.add(
            Figure::new(format!("{name}: least time left"), Unit::Millis, least)
                .least()
                .at_least(0.005),
        );
        table.add(
            Figure::new(format!("{name}: most time left"), Unit::Millis, most)
                .most()
                .at_most(early.as_secs_f64()),
        );
        table.add(
            Figure::new(format!("{name}: missed of {calls}"), Unit::Count, missed)
                .sum()
                .at_most(0.0),
        );
    }

    /// The seconds that are left when a legal move is there, and what ended the search: there are positions with nothing
    /// more to find. `None` if there is no move in time.
    fn call(&mut self, budget: Duration) -> impl Future<Output = Option<(f64, StoppedBy)>> + use<> {
        let fen = self.positions[self.next % self.positions.len()].clone();
        self.next += 1;
        let mut client = self.client.clone();
        async move {
            let board = Board::from_fen(&fen).expect("a position");
            let mut message = endless();
            message.position = Some(v1::Position {
                fen,
                ..Default::default()
            });
            let mut request = Request::new(message);
            request.set_timeout(budget);
            let begun = Instant::now();
            let answer = client.best_move(request).await;
            let left = budget.as_secs_f64() - begun.elapsed().as_secs_f64();
            let answer = answer.ok()?.into_inner();
            assert!(
                uci::parse(&board, &answer.best_move, Variant::Standard).is_ok(),
                "{answer:?}"
            );
            Some((left, answer.stopped_by()))
        }
    }
}
