//! How soon nothing is left of a call that its caller dropped, by the server's own account.

use std::time::{Duration, Instant};

use tabiya_api::v1::search_service_client::SearchServiceClient;

use crate::{
    Options,
    figures::{Table, Times, Unit},
    page::Page,
    rig::{Rig, config, endless},
};

/// Calls dropped in a round for each second.
const DROPS: f64 = 10.0;

/// What is left of calls.
fn left(page: &Page) -> f64 {
    page.sum("tabiya_busy_threads", &[]) + page.sum("tabiya_admitted_positions", &[])
}

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let client = SearchServiceClient::new(rig.channel().await);
    let (mut p50, mut p99) = (vec![], vec![]);
    for _ in 0..options.rounds {
        let mut times = Times::default();
        for drop in 0..(DROPS * options.seconds) as u64 {
            let mut client = client.clone();
            let call = client.best_move(endless());
            // At different moments of a search.
            let _ = tokio::time::timeout(Duration::from_millis(5 + drop % 20), call).await;
            let begun = Instant::now();
            while left(&rig.page().await) > 0.0 {}
            times.push(begun.elapsed());
        }
        p50.push(times.permille(500));
        p99.push(times.permille(990));
    }
    table.add("dropped call: nothing left, p50", Unit::Millis, p50, "");
    table.add("dropped call: nothing left, p99", Unit::Millis, p99, "<= 50 ms");
    rig.end().await;
}
