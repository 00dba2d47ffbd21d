//! The end of a server process: how soon it says that it leaves, whether calls in flight are answered, how long peers that
//! are stuck can hold it, and how soon a second signal ends it.
//!
//! `cargo build --release -p tabiya && TABIYA_BIN=target/release/tabiya cargo bench -p tabiya-tests --bench drain`.
//! The exit code is 1 if something is not as asked.

#[path = "../../services/server/benches/load/figures.rs"]
#[allow(dead_code)]
mod figures;

use std::{
    io::Write,
    net::TcpStream,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use figures::{Figure, Table, Unit};
use futures_util::future::join_all;
use tabiya_client::v1::{
    BatchLegalMovesRequest, BatchLegalMovesResponse, BestMoveRequest, LegalMovesRequest, Limits,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tabiya_tests::Serving;
use tonic::{
    Code, Streaming,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_client::HealthClient,
};

/// What an end may take before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls in flight when a server is told to end; more searches at once it may refuse.
const CALLS: usize = 40;

/// Measures ends of servers.
#[derive(Parser, Debug)]
struct Options {
    /// How often each figure is measured
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    rounds: u32,
    /// Seconds of grace, as servers have by default
    #[arg(long, default_value_t = 25)]
    grace: u64,
    /// Passed by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let options = Options::parse();
    let mut table = Table::default();
    second_signal(&options, &mut table).await;
    calls_in_flight(&options, &mut table).await;
    stuck_peers(&options, &mut table).await;
    println!("{table}");
    if table.missed() == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn start(options: &Options) -> Serving {
    let grace = format!("{}s", options.grace);
    Serving::start(&["--no-gpu", "--drain-grace", &grace])
}

async fn channel(address: &str) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    endpoint.connect().await.expect("a connection")
}

/// Watches readiness, from where the server is ready.
async fn readiness(server: &Serving) -> Streaming<HealthCheckResponse> {
    let request = HealthCheckRequest {
        service: "readiness".to_owned(),
    };
    let mut health = HealthClient::new(channel(&server.admin).await);
    let mut watch = health.watch(request).await.expect("a watch").into_inner();
    while next(&mut watch).await != Some(ServingStatus::Serving) {}
    watch
}

async fn next(watch: &mut Streaming<HealthCheckResponse>) -> Option<ServingStatus> {
    let status = watch.message().await.ok()??;
    Some(status.status())
}

/// Waits for the end of a process on a thread that may block; the exit code.
async fn end(mut server: Serving) -> Option<i32> {
    let wait = tokio::task::spawn_blocking(move || server.wait(PATIENCE).code());
    wait.await.expect("an end")
}

fn search(limits: Limits) -> BestMoveRequest {
    BestMoveRequest {
        limits: Some(limits),
        ..BestMoveRequest::default()
    }
}

/// A second signal while the first one waits for a search that has no end.
async fn second_signal(options: &Options, table: &mut Table) {
    let (mut told, mut ended, mut wrong) = (vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        let server = start(options);
        let mut watch = readiness(&server).await;
        let mut client = SearchServiceClient::new(channel(&server.address).await);
        let call = tokio::spawn(async move {
            let endless = Limits {
                depth: 99,
                ..Limits::default()
            };
            client.best_move(search(endless)).await.is_ok()
        });
        tokio::time::sleep(Duration::from_millis(500)).await;
        let begun = Instant::now();
        server.signal("TERM");
        while next(&mut watch).await != Some(ServingStatus::NotServing) {}
        told.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        server.signal("TERM");
        let code = end(server).await;
        ended.push(begun.elapsed().as_secs_f64());
        let answered = call.await.expect("a call");
        wrong.push(f64::from(u8::from(code != Some(130) || answered)));
    }
    let told = Figure::new("SIGTERM: readiness off after", Unit::Millis, told);
    table.add(told.most().at_most(0.1));
    let ended = Figure::new("second signal in a search: process over", Unit::Millis, ended);
    table.add(ended.most().at_most(1.0));
    let wrong = Figure::new("second signal: exit code other than 130", Unit::Count, wrong);
    table.add(wrong.sum().at_most(0.0));
}

/// Searches and quick calls of callers who repeat nothing.
async fn calls_in_flight(options: &Options, table: &mut Table) {
    let (mut broken, mut last, mut wrong) = (vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        let server = start(options);
        drop(readiness(&server).await);
        let channel = channel(&server.address).await;
        let calls: Vec<_> = (0..CALLS)
            .map(|number| {
                let (mut searches, mut rules) = (
                    SearchServiceClient::new(channel.clone()),
                    RulesServiceClient::new(channel.clone()),
                );
                tokio::spawn(async move {
                    // Every fourth one makes quick calls until just about now; the others have 200 to 500 ms to go.
                    if number % 4 == 0 {
                        let until = Instant::now() + Duration::from_millis(95 + number as u64 / 8);
                        let mut good = true;
                        while good && Instant::now() < until {
                            good = rules.legal_moves(LegalMovesRequest::default()).await.is_ok();
                        }
                        return (good, Duration::ZERO);
                    }
                    let time = Duration::from_millis(300 + 5 * number as u64);
                    let limits = Limits {
                        time: Some(time.try_into().expect("a duration")),
                        ..Limits::default()
                    };
                    let begun = Instant::now();
                    let answer = searches.best_move(search(limits)).await;
                    if let Err(status) = &answer {
                        eprintln!("  broken: {status}");
                    }
                    (answer.is_ok(), begun.elapsed())
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.signal("TERM");
        let begun = Instant::now();
        let answers = join_all(calls).await;
        let good = |answer: &Result<(bool, Duration), _>| matches!(answer, Ok((true, _)));
        broken.push(answers.iter().filter(|answer| !good(answer)).count() as f64);
        let code = end(server).await;
        last.push(begun.elapsed().as_secs_f64());
        wrong.push(f64::from(u8::from(code != Some(0))));
    }
    let name = format!("SIGTERM with {CALLS} calls in flight");
    let broken = Figure::new(format!("{name}: broken"), Unit::Count, broken);
    table.add(broken.sum().at_most(0.0));
    table.add(Figure::new(format!("{name}: process over"), Unit::Millis, last));
    let wrong = Figure::new(format!("{name}: exit code other than 0"), Unit::Count, wrong);
    table.add(wrong.sum().at_most(0.0));
}

/// A peer that says nothing, one that stopped in the middle of a word, a watcher of health, and one that asked for more than
/// it reads.
async fn stuck_peers(options: &Options, table: &mut Table) {
    let (mut over, mut whole, mut wrong) = (vec![], vec![], vec![]);
    let (mut untold, mut misled) = (vec![], vec![]);
    for _ in 0..options.rounds {
        let server = start(options);
        drop(readiness(&server).await);
        let silent = TcpStream::connect(&server.address).expect("a connection");
        let mut half = TcpStream::connect(&server.address).expect("a connection");
        half.write_all(b"PRI * HTTP/2.0\r\n").expect("it reads");
        // On the port of the services, as a client that balances its calls does.
        let mut health = HealthClient::new(channel(&server.address).await);
        let watched = health.watch(HealthCheckRequest::default()).await;
        let mut watch = watched.expect("a watch").into_inner();
        next(&mut watch).await;
        let mut stuck = unread(&server.address).await;
        tokio::time::sleep(Duration::from_millis(500)).await;

        let begun = Instant::now();
        server.signal("TERM");
        let told = tokio::spawn(async move {
            let is_told = next(&mut watch).await == Some(ServingStatus::NotServing);
            is_told && next(&mut watch).await.is_none()
        });
        let code = end(server).await;
        let elapsed = begun.elapsed();
        whole.push(elapsed.as_secs_f64());
        over.push(elapsed.as_secs_f64() - options.grace as f64);
        wrong.push(f64::from(u8::from(code != Some(0))));
        untold.push(f64::from(u8::from(!told.await.expect("a watch"))));
        let code = loop {
            match stuck.message().await {
                Ok(Some(_)) => {}
                Ok(None) => break Code::Ok,
                Err(status) => break status.code(),
            }
        };
        // No word gets through to a reader who leaves no room for it: he sees the connection end.
        eprintln!("  the reader was told {code:?}");
        misled.push(f64::from(u8::from(code == Code::Ok)));
        drop((silent, half));
    }
    let name = "SIGTERM with stuck peers";
    let whole = Figure::new(format!("{name}: process over"), Unit::Millis, whole);
    table.add(whole.most().at_most(30.0));
    let over = Figure::new(format!("{name}: the same, after the grace"), Unit::Millis, over);
    table.add(over.most().at_most(1.0));
    let wrong = Figure::new(format!("{name}: exit code other than 0"), Unit::Count, wrong);
    table.add(wrong.sum().at_most(0.0));
    let untold = Figure::new(
        format!("{name}: watchers of health not told"),
        Unit::Count,
        untold,
    );
    table.add(untold.sum().at_most(0.0));
    let misled = Figure::new(
        format!("{name}: reader who takes it for whole"),
        Unit::Count,
        misled,
    );
    table.add(misled.sum().at_most(0.0));
}

/// Far more answers than anybody has room for, and nobody reads them.
async fn unread(address: &str) -> Streaming<BatchLegalMovesResponse> {
    let items = (0..200_000).map(|_| BatchLegalMovesRequest {
        include_fen: true,
        ..BatchLegalMovesRequest::default()
    });
    let mut rules = RulesServiceClient::new(channel(address).await);
    let stream = rules.batch_legal_moves(futures_util::stream::iter(items)).await;
    let mut stream = stream.expect("a stream").into_inner();
    stream.message().await.expect("an answer");
    stream
}
