//! Plies ruled on a CPU-second by `BatchAdjudicate` through a loopback connection.
//!
//! `cargo bench -p tabiya-server --no-default-features --bench adjudicate -- FILE [COPIES [ROUNDS [FORM]]]`
//!
//! The games of a PGN file are sent, all of them COPIES times, as PGN and as moves in UCI notation (or in one FORM only),
//! and every answer is received. Counted are user and system time of the whole process, server and client together, from the first
//! request made to the last answer read; reading the file and starting the server are not. A line of JSON for each
//! round goes to standard output. `tests/peers/adjudicate` sets python-chess beside it.

use std::{error::Error, fs, iter, process::ExitCode};

use tabiya_client::{
    Client,
    v1::{self, BatchAdjudicateRequest, batch_adjudicate_request::Game, batch_adjudicate_response::Outcome},
};
use tabiya_rules::{
    pgn::{GameTexts, Games, Mode},
    uci,
};
use tabiya_server::{Config, GpuPolicy, Server};

/// Games that are sent and not yet answered.
const IN_FLIGHT: usize = 256;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (Some(file), Ok(copies), Ok(rounds)) = (arguments.first(), number(1, 20), number(2, 5)) else {
        eprintln!("usage: adjudicate FILE [COPIES [ROUNDS [pgn|moves]]]");
        return ExitCode::from(2);
    };
    match run(file, copies, rounds, arguments.get(3).map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str, copies: usize, rounds: usize, wanted: Option<&str>) -> Result<(), Box<dyn Error>> {
    let text = fs::read(file)?;
    let mut plies = 0;
    let mut moves = Vec::new();
    for game in Games::new(&text[..], Mode::Lenient) {
        let game = game?;
        let line: Vec<_> = game
            .main_line()
            .map(|node| uci::write(game.mv(node), game.variant()).to_string())
            .collect();
        plies += line.len();
        moves.push(BatchAdjudicateRequest {
            game: Some(Game::Position(v1::Position {
                fen: tabiya_rules::fen::xfen(game.start()),
                moves: line,
                ..v1::Position::default()
            })),
            ..BatchAdjudicateRequest::default()
        });
    }
    let texts = GameTexts::new(&text[..], usize::MAX).map(|game| {
        Ok(BatchAdjudicateRequest {
            game: Some(Game::Pgn(game?.text.unwrap_or_default())),
            ..BatchAdjudicateRequest::default()
        })
    });
    let texts = texts.collect::<Result<Vec<_>, std::io::Error>>()?;

    let server = Server::start(Config {
        gpu: GpuPolicy::Off,
        ..Config::in_process()
    })?;
    let address = server.addr().to_string();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    for round in 0..rounds {
        for (form, games) in [("pgn", &texts), ("moves", &moves)] {
            if wanted.is_some_and(|wanted| wanted != form) {
                continue;
            }
            let before = cpu_seconds()?;
            let endings = runtime.block_on(send(&address, games, copies))?;
            let seconds = cpu_seconds()? - before;
            let plies = plies * copies;
            println!(
                "{{\"round\": {round}, \"form\": \"{form}\", \"games\": {}, \"ended\": {endings}, \"plies\": {plies}, \
                 \"cpu_seconds\": {seconds:.2}, \"plies_per_cpu_second\": {:.0}}}",
                games.len() * copies,
                plies as f64 / seconds
            );
        }
    }
    runtime.block_on(async { tokio::task::spawn_blocking(move || server.shutdown()).await })?;
    Ok(())
}

/// Sends all games and counts those that the answers call over.
async fn send(address: &str, games: &[BatchAdjudicateRequest], copies: usize) -> Result<u64, Box<dyn Error>> {
    let client = Client::connect(address).await?;
    let games = games.to_vec();
    let items = iter::repeat_n(games, copies).flatten();
    let mut answers = client.adjudicate_many(tokio_stream::iter(items), IN_FLIGHT);
    let mut ended = 0;
    while let Some(answer) = answers.next().await {
        match answer?.outcome {
            Some(Outcome::Response(response)) => {
                ended += u64::from(response.status() == v1::GameStatus::Decided);
            }
            other => return Err(format!("no ruling: {other:?}").into()),
        }
    }
    Ok(ended)
}

/// User and system time of this process so far.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    /// What the kernel's user interface counts in.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in brackets, may hold spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks = times.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / TICKS_A_SECOND)
}
