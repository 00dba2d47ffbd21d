//! Unary calls, one and 64 in flight, beside an echo.

use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::{
    Options, echo,
    figures::{Table, Unit},
    rig::{Rig, channel, closed_loop, config},
};

/// Calls in flight, and the connections that they share.
const LOADS: [(usize, usize); 2] = [(1, 1), (64, 4)];

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let rig = Rig::start(config()).await;
    let echo_addr = echo::start();
    for (callers, connections) in LOADS {
        let mut echoes = Vec::new();
        let mut rules = Vec::new();
        for _ in 0..connections {
            echoes.push(HealthClient::new(channel(echo_addr).await));
            rules.push(RulesServiceClient::new(rig.channel().await));
        }
        let (mut echo, mut legal) = (Rounds::default(), Rounds::default());
        // In turns, so that what the machine does meanwhile is the same for both.
        for _ in 0..options.rounds {
            let clients = echoes.clone();
            let call = move |caller: usize| {
                let mut client = clients[caller % clients.len()].clone();
                async move { client.check(HealthCheckRequest::default()).await.is_ok() }
            };
            echo.add(closed_loop(callers, options.round(), call).await, options);
            let clients = rules.clone();
            let call = move |caller: usize| {
                let mut client = clients[caller % clients.len()].clone();
                async move { client.legal_moves(v1::LegalMovesRequest::default()).await.is_ok() }
            };
            legal.add(closed_loop(callers, options.round(), call).await, options);
        }
        let bars = if callers == 1 {
            ["<= 120 us", "", ""]
        } else {
            ["", "<= 8 ms", ">= 13000/s"]
        };
        echo.show(table, "echo", callers, ["floor"; 3]);
        legal.show(table, "LegalMoves", callers, bars);
    }
    rig.end().await;
}

#[derive(Default)]
struct Rounds {
    p50: Vec<f64>,
    p99: Vec<f64>,
    rate: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, mut times: crate::figures::Times, options: &Options) {
        self.p50.push(times.permille(500));
        self.p99.push(times.permille(990));
        self.rate.push(times.len() as f64 / options.seconds);
    }

    fn show(self, table: &mut Table, name: &str, callers: usize, bars: [&str; 3]) {
        let [p50, p99, rate] = bars;
        table.add(
            format!("{name}, {callers} in flight: p50"),
            Unit::Micros,
            self.p50,
            p50,
        );
        table.add(
            format!("{name}, {callers} in flight: p99"),
            Unit::Millis,
            self.p99,
            p99,
        );
        table.add(
            format!("{name}, {callers} in flight: calls"),
            Unit::PerSecond,
            self.rate,
            rate,
        );
    }
}
