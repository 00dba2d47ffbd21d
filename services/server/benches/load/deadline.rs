//! How long before its deadline the answer of a search is there, by the caller's clock.

use std::time::{Duration, Instant};

use tabiya_api::v1::search_service_client::SearchServiceClient;
use tonic::Request;

use crate::{
    Options,
    figures::{Table, Unit},
    rig::{Rig, config, endless},
};

const BUDGETS: [u64; 4] = [50, 100, 300, 1000];

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let client = SearchServiceClient::new(rig.channel().await);
    for callers in [1, 4, 16] {
        for budget in BUDGETS.map(Duration::from_millis) {
            let (mut least, mut most, mut missed) = (vec![], vec![], vec![]);
            for _ in 0..options.rounds {
                let calls = (0..callers).map(|_| {
                    let mut client = client.clone();
                    async move {
                        let mut request = Request::new(endless());
                        request.set_timeout(budget);
                        let begun = Instant::now();
                        let answer = client.best_move(request).await;
                        let left = budget.as_secs_f64() - begun.elapsed().as_secs_f64();
                        answer
                            .is_ok_and(|answer| !answer.get_ref().best_move.is_empty())
                            .then_some(left)
                    }
                });
                let left = futures_util::future::join_all(calls).await;
                let kept: Vec<f64> = left.iter().copied().flatten().collect();
                missed.push((left.len() - kept.len()) as f64);
                least.extend(kept.iter().copied().reduce(f64::min));
                most.extend(kept.iter().copied().reduce(f64::max));
            }
            let name = format!("BestMove, {callers} at once, {} ms", budget.as_millis());
            let early = budget.mul_f64(0.1).max(Duration::from_millis(20));
            table.add(format!("{name}: least time left"), Unit::Millis, least, ">= 5 ms");
            let bar = format!("<= {} ms", early.as_millis());
            table.add(format!("{name}: most time left"), Unit::Millis, most, bar);
            table.add(format!("{name}: missed"), Unit::Count, missed, "0");
        }
    }
    rig.end().await;
}
