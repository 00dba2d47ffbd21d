//! Unary calls, one and 64 in flight, beside an echo.

use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::{
    Options, echo,
    figures::{Figure, Table, Unit},
    rig::{Rig, channel, closed_loop, config},
};

/// Calls in flight, and the connections that they share.
const LOADS: [(usize, usize); 2] = [(1, 1), (64, 4)];

/// What is asked for, beside what the echo took on the machine that it was set on: a slower machine is asked for less, a
/// faster one for more.
const P50: f64 = 120.0 / 59.0;
const P99: f64 = 8.0 / 3.6;
const RATE: f64 = 13_000.0 / 26_300.0;

/// A position without moves: what a call costs here besides its answer.
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

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
        let [mut echo, mut bare, mut legal] = [(); 3].map(|()| Rounds::default());
        // In turns, so that what the machine does meanwhile is the same for both.
        for _ in 0..options.rounds {
            let clients = echoes.clone();
            let call = move |caller: usize| {
                let mut client = clients[caller % clients.len()].clone();
                async move { client.check(HealthCheckRequest::default()).await.is_ok() }
            };
            echo.add(closed_loop(callers, options.round(), call).await, options);
            for (fen, rounds) in [(STALEMATE, &mut bare), ("", &mut legal)] {
                let clients = rules.clone();
                let call = move |caller: usize| {
                    let mut client = clients[caller % clients.len()].clone();
                    let request = v1::LegalMovesRequest {
                        position: Some(v1::Position {
                            fen: fen.to_owned(),
                            ..Default::default()
                        }),
                        ..Default::default()
                    };
                    async move { client.legal_moves(request).await.is_ok() }
                };
                rounds.add(closed_loop(callers, options.round(), call).await, options);
            }
        }
        let relative =
            |ours: &[f64], echo: &[f64]| ours.iter().zip(echo).map(|(ours, echo)| ours / echo).collect();
        let name = format!("LegalMoves, {callers} in flight");
        let of_echo = |what: &str, ours: &[f64], echo: &[f64]| {
            let name = format!("{name}: {what}, of the echo's");
            Figure::new(name, Unit::Percent, relative(ours, echo))
        };
        let p50 = of_echo("p50", &legal.p50, &echo.p50);
        let p99 = of_echo("p99", &legal.p99, &echo.p99);
        let rate = of_echo("calls", &legal.rate, &echo.rate);
        let asked = if callers == 1 {
            [p50.at_most(P50), p99, rate]
        } else {
            [p50, p99.at_most(P99), rate.at_least(RATE)]
        };
        let shown = [
            (echo, "echo"),
            (bare, "LegalMoves, no moves"),
            (legal, "LegalMoves"),
        ];
        for (rounds, name) in shown {
            for figure in rounds.figures(name, callers) {
                table.add(figure);
            }
        }
        for figure in asked {
            table.add(figure);
        }
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

    fn figures(self, name: &str, callers: usize) -> [Figure; 3] {
        let name = format!("{name}, {callers} in flight");
        [
            Figure::new(format!("{name}: p50"), Unit::Micros, self.p50),
            Figure::new(format!("{name}: p99"), Unit::Millis, self.p99),
            Figure::new(format!("{name}: calls"), Unit::PerSecond, self.rate),
        ]
    }
}
