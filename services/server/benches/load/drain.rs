//! The end of a server: how soon it says that it leaves, and how long a peer that reads no more can hold it.

use std::time::Instant;

use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tabiya_server::{Config, RunningServer};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    Options,
    figures::{Table, Unit},
    rig::{Rig, channel, config},
};

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let (mut told, mut ended) = (vec![], vec![]);
    for _ in 0..options.rounds {
        // As long as a server has by default.
        let mut rig = Rig::start(Config {
            drain_grace: Config::default().drain_grace,
            ..config()
        })
        .await;
        let request = HealthCheckRequest {
            service: "readiness".into(),
        };
        let mut health = HealthClient::new(channel(rig.admin).await);
        let mut watch = health.watch(request).await.expect("a watch").into_inner();
        watch.message().await.expect("a status");
        // Far more answers than anybody has room for, and nobody reads them.
        let items = (0..200_000).map(|_| v1::BatchLegalMovesRequest {
            include_fen: true,
            ..Default::default()
        });
        let mut rules = RulesServiceClient::new(rig.channel().await);
        let stuck = rules.batch_legal_moves(tokio_stream::iter(items)).await;
        let mut stuck = stuck.expect("a stream").into_inner();
        stuck.message().await.expect("an answer");

        let begun = Instant::now();
        let server = rig.server.take();
        let end = tokio::task::spawn_blocking(move || server.map(RunningServer::shutdown));
        let status = watch.message().await.expect("a status").expect("a status");
        assert_eq!(status.status(), ServingStatus::NotServing);
        told.push(begun.elapsed().as_secs_f64());
        end.await.expect("an end");
        ended.push(begun.elapsed().as_secs_f64());
        drop(stuck);
    }
    table.add("end: readiness off after", Unit::Millis, told, "<= 100 ms");
    table.add(
        "end: over after, with a stuck peer",
        Unit::Millis,
        ended,
        "<= 30000 ms",
    );
}
