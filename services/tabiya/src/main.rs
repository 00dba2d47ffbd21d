//! The program `tabiya`: a gRPC chess service and the commands that use it.

#![forbid(unsafe_code)]

mod adjudicate;
mod analyse;
mod bench;
mod choice;
mod cli;
mod config;
mod devices;
mod evaluate;
mod failure;
mod input;
mod jobs;
mod legal;
mod local;
mod logging;
mod perft;
mod progress;
mod same_file;
mod serve;
mod session;
mod settings;
mod syzygy;
mod token;
mod uci;
mod worker;

use std::process::{ExitCode, Termination};

fn main() -> ExitCode {
    match cli::Cli::read().run() {
        Ok(outcome) => outcome.report(),
        Err(failure) => {
            if !failure.is_broken_pipe() {
                eprintln!("tabiya: {failure}");
            }
            failure.exit_code()
        }
    }
}
