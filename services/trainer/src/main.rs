//! `tabiya-trainer`: makes the evaluation network, from self-play to the exported file, and plays it against others.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod chunk;
mod error;
mod key;
mod label;
mod record;
mod rng;
mod teacher;
mod train;

/// Self-play, labelling, training, export and matches for the evaluation network.
#[derive(Parser, Debug)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Label(label::LabelArgs),
    Train(train::TrainArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Label(args) => label::run(&args),
        Command::Train(args) => train::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
