//! `tabiya-trainer`: makes the evaluation network, from self-play to the exported file, and plays it against others.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod arena;
mod chunk;
mod ending;
mod error;
mod export;
mod generate;
mod key;
mod label;
mod parallel;
mod record;
mod report;
mod rng;
#[cfg(test)]
mod shipped;
mod teacher;
mod train;
mod wdl;

/// Self-play, labelling, training, export and matches for the evaluation network.
#[derive(Parser, Debug)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Generate(generate::GenerateArgs),
    Label(label::LabelArgs),
    Train(train::TrainArgs),
    Export(export::ExportArgs),
    Match(Box<arena::MatchArgs>),
    Wdl(wdl::WdlArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Generate(args) => generate::run(&args),
        Command::Label(args) => label::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Match(args) => arena::run(&args),
        Command::Wdl(args) => wdl::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
