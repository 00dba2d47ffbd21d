//! What a server does under load, beside a trivial call of plain tonic on the same machine.
//!
//! `cargo bench -p tabiya-server --bench load -- --help`. Load and server share the process and its cores. Every part prints
//! a table: each figure, what is asked for, and whether it is met. The exit code is 1 if something is not.

mod cancel;
mod deadline;
mod drops;
mod echo;
mod ends;
mod figures;
mod games;
mod health;
mod overload;
mod rig;
mod short_clock;
mod soak;
mod stop;
mod streams;
mod unary;

#[path = "../../tests/common/page.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod page;

use std::{process::ExitCode, time::Duration};

use clap::{Parser, ValueEnum};
use figures::Table;
use tabiya_server::GpuPolicy;

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// Unary calls, one and 64 in flight, beside an echo.
    Unary,
    /// Bulk streams.
    Streams,
    /// How long before its deadline an answer is there.
    Deadline,
    /// How long after its deadline a stream goes on.
    Ends,
    /// How soon nothing is left of a dropped call.
    Cancel,
    /// Ten thousand dropped calls at once.
    Drops,
    /// Searches of 50 ms on a cold server.
    ShortClock,
    /// Health checks while every core computes.
    Health,
    /// Ten times as many callers as are served at once.
    Overload,
    /// Searches at the end of a server.
    Stop,
    /// Mixed load for a long time; only when asked for.
    Soak,
}

/// Measures a server under load.
#[derive(Parser, Debug)]
struct Options {
    /// What to measure [default: everything but the soak]
    parts: Vec<Part>,
    /// How often each figure is measured; the median counts where nothing else is said
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    rounds: u32,
    /// Seconds of each round
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Seconds of overload
    #[arg(long, default_value_t = 30.0)]
    overload_seconds: f64,
    /// Searches that the overloaded server runs at once [default: that of a server]
    #[arg(long)]
    interactive_threads: Option<usize>,
    /// Seconds of the soak
    #[arg(long, default_value_t = 1200.0)]
    soak_seconds: f64,
    /// Drop calls on a graphics processor, too
    #[arg(long)]
    gpu: bool,
    /// The same, on a software renderer if there is no other
    #[arg(long)]
    software_gpu: bool,
    /// Passed by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

impl Options {
    fn round(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn gpu(&self) -> GpuPolicy {
        match (self.gpu, self.software_gpu) {
            (_, true) => GpuPolicy::AllowSoftware,
            (true, false) => GpuPolicy::Hardware,
            (false, false) => GpuPolicy::Off,
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let options = Options::parse();
    let parts = match &options.parts[..] {
        [] => Part::value_variants(),
        some => some,
    };
    let all = options.parts.is_empty();
    let mut missed = 0;
    for part in parts.iter().filter(|&&part| !all || part != Part::Soak) {
        eprintln!("measuring {part:?} …");
        let mut table = Table::default();
        match part {
            Part::Unary => unary::measure(&options, &mut table).await,
            Part::Streams => streams::measure(&options, &mut table).await,
            Part::Deadline => deadline::measure(&options, &mut table).await,
            Part::Ends => ends::measure(&options, &mut table).await,
            Part::Cancel => cancel::measure(&options, &mut table).await,
            Part::Drops => drops::measure(&options, &mut table).await,
            Part::ShortClock => short_clock::measure(&options, &mut table).await,
            Part::Health => health::measure(&options, &mut table).await,
            Part::Overload => overload::measure(&options, &mut table).await,
            Part::Stop => stop::measure(&options, &mut table).await,
            Part::Soak => soak::measure(&options, &mut table).await,
        }
        println!("{part:?}\n\n{table}");
        missed += table.missed();
    }
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    eprintln!("{missed} figures are not as asked");
    ExitCode::FAILURE
}
