//! Health checks while every core computes.

use std::time::{Duration, Instant};

use tabiya_api::v1::search_service_client::SearchServiceClient;
use tokio::time::MissedTickBehavior;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::{
    Options,
    figures::{Figure, Table, Times, Unit},
    rig::{Rig, channel, config, endless},
};

/// Searches without an end; more than any machine here has cores.
const SEARCHES: usize = 16;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let client = SearchServiceClient::new(rig.channel().await);
    let searches: Vec<_> = (0..SEARCHES)
        .map(|_| {
            let mut client = client.clone();
            tokio::spawn(async move { client.best_move(endless()).await.is_ok() })
        })
        .collect();
    let mut health = HealthClient::new(channel(rig.admin).await);
    let (mut p50, mut p99) = (vec![], vec![]);
    for _ in 0..options.rounds {
        let mut times = Times::default();
        let begun = Instant::now();
        let mut tick = tokio::time::interval(Duration::from_millis(5));
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while begun.elapsed() < options.round() {
            tick.tick().await;
            let asked = Instant::now();
            let request = HealthCheckRequest {
                service: "readiness".into(),
            };
            health.check(request).await.expect("health");
            times.push(asked.elapsed());
        }
        p50.push(times.permille(500));
        p99.push(times.permille(990));
    }
    let name = format!("health beside {SEARCHES} searches");
    table.add(Figure::new(format!("{name}: p50"), Unit::Millis, p50));
    table.add(Figure::new(format!("{name}: p99"), Unit::Millis, p99).at_most(0.05));
    searches.iter().for_each(|search| search.abort());
    rig.end().await;
}
