//! Ours beside other libraries and programs, in interleaved rounds; prints medians.

mod mate;
mod perft;
mod pgn;

use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: tabiya-peers perft [ROUNDS] | pgn FILE [COPIES [ROUNDS]] | mate ROUNDS [FILE]...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let done = match arguments.first().map(String::as_str) {
        Some("perft") => number(1, 7).map(|rounds| perft::run(rounds)),
        Some("pgn") if arguments.len() > 1 => number(2, 50)
            .and_then(|copies| number(3, 9).map(|rounds| pgn::run(&arguments[1], copies, rounds))),
        Some("mate") => number(1, 3).map(|rounds| {
            if let Err(error) = mate::run(arguments.get(2..).unwrap_or_default(), rounds) {
                eprintln!("mate: {error}");
                std::process::exit(1);
            }
        }),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// A library's name and one round of its work, which gives a count that must be the same for all.
type Contender<'a> = (&'static str, Box<dyn Fn() -> u64 + 'a>);

/// Runs all contenders in turn, `rounds` times, and prints the median of each; `unit` names what is counted.
fn race(title: &str, unit: &str, rounds: usize, contenders: &[Contender<'_>]) {
    let mut times = vec![Vec::new(); contenders.len()];
    let mut count = None;
    for _ in 0..rounds {
        for ((name, work), times) in contenders.iter().zip(&mut times) {
            let start = Instant::now();
            let found = work();
            times.push(start.elapsed());
            assert_eq!(
                *count.get_or_insert(found),
                found,
                "{title}: {name} counts differently"
            );
        }
    }
    let count = count.unwrap_or(0);
    let medians: Vec<Duration> = times
        .iter_mut()
        .map(|times| {
            times.sort();
            times[times.len() / 2]
        })
        .collect();
    println!("{title}: {count} {unit}");
    for ((name, _), median) in contenders.iter().zip(&medians) {
        let rate = count as f64 / median.as_secs_f64() / 1e6;
        println!(
            "  {name:<24} {:>9.1} ms {rate:>8.1} M{unit}/s",
            median.as_secs_f64() * 1e3
        );
    }
    let best_peer = medians[1..].iter().min().copied().unwrap_or(medians[0]);
    println!(
        "  ours against the fastest peer: {:.2}",
        best_peer.as_secs_f64() / medians[0].as_secs_f64()
    );
}
