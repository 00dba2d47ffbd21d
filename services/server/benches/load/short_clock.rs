//! Searches of 50 ms on a server that has searched nothing before: when the answer is there, by the caller's clock.

use std::time::{Duration, Instant};

use tabiya_api::v1::{self, search_service_client::SearchServiceClient};

use crate::{
    Options,
    figures::{Figure, Table, Times, Unit},
    rig::{Rig, config},
};

/// Servers of a round.
const STARTS: usize = 3;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    for callers in [1, 16] {
        let (mut p50, mut slowest) = (vec![], vec![]);
        for _ in 0..options.rounds {
            let mut times = Times::default();
            for _ in 0..STARTS {
                // Nothing measured before, either.
                let rig = Rig::start(tabiya_server::Config {
                    calibration: Duration::ZERO,
                    ..config()
                })
                .await;
                let channel = rig.channel().await;
                let calls = (0..callers).map(|_| {
                    let mut client = SearchServiceClient::new(channel.clone());
                    async move {
                        let begun = Instant::now();
                        let answer = client.best_move(short()).await.expect("an answer");
                        assert!(!answer.get_ref().best_move.is_empty());
                        begun.elapsed()
                    }
                });
                let calls = futures_util::future::join_all(calls).await;
                calls.into_iter().for_each(|time| times.push(time));
                rig.end().await;
            }
            p50.push(times.permille(500));
            slowest.push(times.permille(1000));
        }
        let name = format!("50 ms on a cold server, {callers} at once");
        table.add(Figure::new(format!("{name}: p50"), Unit::Millis, p50));
        table.add(Figure::new(format!("{name}: slowest"), Unit::Millis, slowest).at_most(0.07));
    }
}

fn short() -> v1::BestMoveRequest {
    let time = Some(prost_types::Duration {
        seconds: 0,
        nanos: 50_000_000,
    });
    v1::BestMoveRequest {
        limits: Some(v1::Limits {
            time,
            ..Default::default()
        }),
        backend: v1::Backend::Cpu.into(),
        ..Default::default()
    }
}
