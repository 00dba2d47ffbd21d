//! What a server does under load, beside a trivial call of plain tonic on the same machine.
//!
//! `cargo bench -p tabiya-server --bench load -- --help`. Load and server share the process and its cores.

mod cancel;
mod deadline;
mod drain;
mod echo;
mod figures;
mod health;
mod overload;
mod rig;
mod soak;
mod streams;
mod unary;

#[path = "../../tests/common/page.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod page;

use std::time::Duration;

use clap::{Parser, ValueEnum};
use figures::Table;

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// Unary calls, one and 64 in flight, beside an echo.
    Unary,
    /// Bulk streams.
    Streams,
    /// How long before its deadline an answer is there.
    Deadline,
    /// How soon nothing is left of a dropped call.
    Cancel,
    /// Health checks while every core computes.
    Health,
    /// Ten times as many callers as are served at once.
    Overload,
    /// The end of a server, with a peer that reads no more: half a minute a round; only when asked for.
    Drain,
    /// Mixed load for a long time; only when asked for.
    Soak,
}

/// Measures a server under load.
#[derive(Parser, Debug)]
struct Options {
    /// What to measure [default: everything but drain and soak]
    parts: Vec<Part>,
    /// How often each figure is measured; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    rounds: u32,
    /// Seconds of each round
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Seconds of overload
    #[arg(long, default_value_t = 30.0)]
    overload_seconds: f64,
    /// Seconds of the soak
    #[arg(long, default_value_t = 1200.0)]
    soak_seconds: f64,
    /// Passed by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

impl Options {
    fn round(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let options = Options::parse();
    let all = [
        Part::Unary,
        Part::Streams,
        Part::Deadline,
        Part::Cancel,
        Part::Health,
        Part::Overload,
    ];
    let parts = if options.parts.is_empty() {
        &all[..]
    } else {
        &options.parts[..]
    };
    let mut table = Table::default();
    for part in parts {
        eprintln!("measuring {part:?} …");
        match part {
            Part::Unary => unary::measure(&options, &mut table).await,
            Part::Streams => streams::measure(&options, &mut table).await,
            Part::Deadline => deadline::measure(&options, &mut table).await,
            Part::Cancel => cancel::measure(&options, &mut table).await,
            Part::Health => health::measure(&options, &mut table).await,
            Part::Overload => overload::measure(&options, &mut table).await,
            Part::Drain => drain::measure(&options, &mut table).await,
            Part::Soak => soak::measure(&options, &mut table).await,
        }
    }
    println!("{table}");
}
