//! `match`: two UCI engines, paired openings, and what the games say about their strength.

use std::{
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

use clap::Args;
use tabiya_rules::Move;

use crate::{
    arena::{
        engine::{Engine, EngineSpec},
        game::{Adjudication, Played, Terms, Thinking},
        openings::Openings,
        report::Report,
    },
    error::Error,
};

pub(crate) mod engine;
pub(crate) mod game;
mod openings;
mod pgn;
mod report;
mod score;

/// Play a match between two UCI engines.
///
/// Every opening is played twice with colours exchanged. The Elo figure and its 95 % bounds are those of the first
/// engine, from pairs. Time losses, illegal moves and crashes count as losses and are also listed by themselves.
///
/// Example: tabiya-trainer match --first "tabiya uci" --second toga2 --second-option OwnBook=false --games 100
#[derive(Args, Clone, Debug)]
pub(crate) struct MatchArgs {
    /// Command of the first engine, with arguments
    #[arg(long)]
    first: String,
    /// Command of the second engine, with arguments
    #[arg(long)]
    second: String,
    /// UCI option of the first engine, NAME=VALUE; may be repeated
    #[arg(long, value_parser = parse_option)]
    first_option: Vec<(String, String)>,
    /// UCI option of the second engine, NAME=VALUE; may be repeated
    #[arg(long, value_parser = parse_option)]
    second_option: Vec<(String, String)>,
    /// Name of the first engine in the reports; its command if not given
    #[arg(long)]
    first_name: Option<String>,
    /// Name of the second engine in the reports; its command if not given
    #[arg(long)]
    second_name: Option<String>,
    /// Games, rounded up to pairs
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Games at a time
    #[arg(long, default_value_t = 2)]
    concurrency: usize,
    /// Base time and increment in seconds
    #[arg(long, value_parser = parse_clock, default_value = "1+0.01")]
    tc: (Duration, Duration),
    /// Nodes a move instead of a clock
    #[arg(long)]
    nodes: Option<u64>,
    /// Overstepping of the clock that is forgiven, milliseconds
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    margin_ms: u64,
    /// Seed of the openings: 8 random plies
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Openings are kept within this many centipawns
    #[arg(long, default_value_t = 70)]
    opening_limit: i32,
    /// An UCI engine that judges openings; without it material and squares do
    #[arg(long)]
    opening_judge: Option<String>,
    /// Depth of the judge
    #[arg(long, default_value_t = 8)]
    opening_depth: u32,
    /// End a game when both engines see this for one side, centipawns; 0 never
    #[arg(long, default_value_t = 0)]
    resign_score: i32,
    /// Plies in a row for that
    #[arg(long, default_value_t = 8)]
    resign_plies: u32,
    /// End a game as a draw when both engines see at most this, centipawns; -1 never
    #[arg(long, default_value_t = -1, allow_hyphen_values = true)]
    draw_score: i32,
    /// Plies in a row for that
    #[arg(long, default_value_t = 16)]
    draw_plies: u32,
    /// Not before this ply
    #[arg(long, default_value_t = 80)]
    draw_after: usize,
    /// Stop by a sequential test: Elo of the null hypothesis and of the alternative, at 5 % error
    #[arg(long, num_args = 2, allow_negative_numbers = true, value_names = ["ELO0", "ELO1"])]
    sprt: Vec<f64>,
    /// File for the games
    #[arg(long)]
    pgn: Option<PathBuf>,
}

/// Longest base time and increment: eleven days.
const MAX_SECONDS: f64 = 1e6;

pub(crate) fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("an option is NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

fn parse_clock(text: &str) -> Result<(Duration, Duration), String> {
    let seconds = |part: &str| {
        let value: f64 = part
            .parse()
            .map_err(|_| format!("{part:.64} is no number of seconds"))?;
        // A clock that cannot be added to the time of day would end in a panic.
        if !(0.0..=MAX_SECONDS).contains(&value) {
            return Err(format!("{part:.64} is not within 0 to {MAX_SECONDS} seconds"));
        }
        Duration::try_from_secs_f64(value).map_err(|e| e.to_string())
    };
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    Ok((seconds(base)?, seconds(increment)?))
}

/// Both games of a pair, the first engine White in the first.
type Pair = [Played; 2];

/// Runs the subcommand.
pub(crate) fn run(args: &MatchArgs) -> Result<(), Error> {
    if args.concurrency == 0 || args.games == 0 {
        return Err(Error::Flag {
            flag: "--games",
            reason: "and --concurrency must be at least 1".into(),
        });
    }
    let spec = |name: &Option<String>, command: &str, options: &[(String, String)]| EngineSpec {
        name: name.clone().unwrap_or_else(|| command.into()),
        command: command.into(),
        options: options.to_vec(),
    };
    let specs = [
        spec(&args.first_name, &args.first, &args.first_option),
        spec(&args.second_name, &args.second, &args.second_option),
    ];
    let judge = args
        .opening_judge
        .as_ref()
        .map(|command| Engine::start(&spec(&None, command, &[])).map(|engine| (engine, args.opening_depth)));
    let mut openings = Openings::new(args.seed, args.opening_limit, judge.transpose()?);
    let pairs = args.games.div_ceil(2);
    let openings = (0..pairs)
        .map(|_| openings.next())
        .collect::<Result<Vec<_>, _>>()?;
    let mut report = Report::new(args, &specs)?;

    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let failure = Mutex::new(None);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..args.concurrency.min(pairs) {
            let sender = sender.clone();
            let (next, stop, failure, openings, specs) = (&next, &stop, &failure, &openings, &specs);
            scope.spawn(move || {
                if let Err(error) = play_pairs(args, specs, openings, next, stop, &sender) {
                    stop.store(true, Ordering::Relaxed);
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            });
        }
        drop(sender);
        for (index, pair) in results {
            if report.add(index, &pair)? {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok::<(), Error>(())
    })?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    report.finish();
    Ok(())
}

/// One worker: its own two engines, pair after pair.
fn play_pairs(
    args: &MatchArgs,
    specs: &[EngineSpec; 2],
    openings: &[Vec<Move>],
    next: &AtomicUsize,
    stop: &AtomicBool,
    sender: &Sender<(usize, Pair)>,
) -> Result<(), Error> {
    let (base, increment) = args.tc;
    let terms = Terms {
        thinking: args
            .nodes
            .map_or(Thinking::Clock { base, increment }, Thinking::Nodes),
        margin: Duration::from_millis(args.margin_ms),
        adjudication: Adjudication {
            resign_score: args.resign_score,
            resign_plies: args.resign_plies,
            draw_score: args.draw_score,
            draw_plies: args.draw_plies,
            draw_after: args.draw_after,
        },
    };
    let mut first = Engine::start(&specs[0])?;
    let mut second = Engine::start(&specs[1])?;
    while !stop.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(opening) = openings.get(index) else { break };
        let mut play = |first_is_white: bool| -> Result<Played, Error> {
            let engines = if first_is_white {
                [&mut first, &mut second]
            } else {
                [&mut second, &mut first]
            };
            let played = game::play(engines, opening, &terms);
            if played.fault.is_some() {
                // Whatever state the engines are in, the next game begins afresh.
                first.restart()?;
                second.restart()?;
            }
            Ok(played)
        };
        let pair = [play(true)?, play(false)?];
        if sender.send((index, pair)).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_bounds() {
        let seconds = |text: &str| parse_clock(text).map(|(a, b)| (a.as_secs_f64(), b.as_secs_f64()));
        assert_eq!(seconds("1+0.01"), Ok((1.0, 0.01)));
        assert_eq!(seconds("60"), Ok((60.0, 0.0)));
        assert_eq!(seconds("1000000+1e6"), Ok((1e6, 1e6)));
        for wrong in ["1e19+0", "1+1e19", "1000001", "-1", "NaN", "inf", "", "1+", "a"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
