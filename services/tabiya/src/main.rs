//! The program `tabiya`: a gRPC chess service and the commands that use it.

#![forbid(unsafe_code)]

mod adjudicate;
mod analyse;
mod bench;
mod choice;
mod cli;
mod devices;
mod evaluate;
mod failure;
mod input;
mod legal;
mod local;
mod logging;
mod perft;
mod progress;
mod same_file;
mod serve;
mod session;
mod uci;

use std::process::{ExitCode, Termination};

use clap::Parser;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(outcome) => outcome.report(),
        Err(failure) => {
            if !failure.is_broken_pipe() {
                eprintln!("tabiya: {failure}");
            }
            failure.exit_code()
        }
    }
}
