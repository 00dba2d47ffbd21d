//! The command line.

use std::env;

use clap::{Arg, Command as ClapCommand, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{
    adjudicate, analyse, config, devices, evaluate,
    failure::{Failure, Outcome},
    jobs, legal, local, logging, perft, serve, token, worker,
};

const EXAMPLE: &str = "\
Example:
  tabiya analyse games.pgn --nodes 20000 --format jsonl -o games.jsonl

Exit codes: 0 done, 1 some items failed (each is named on stderr), 2 wrong usage or unreadable input.";

/// A chess service: legal moves, best moves and evaluations over gRPC.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Worker(Box<worker::Work>),
    Analyse(Box<analyse::Analyse>),
    Adjudicate(Box<adjudicate::Adjudicate>),
    Legal(legal::Legal),
    Perft(perft::Perft),
    Evaluate(evaluate::Evaluate),
    Jobs(jobs::Jobs),
    Devices(devices::Devices),
    Config(Box<config::Config>),
    Token(token::Tokens),
    Uci(local::Uci),
    Bench(local::Bench),
}

/// The command line without the variables that are set to nothing: those are as good as none.
fn without_empty_variables(command: ClapCommand) -> ClapCommand {
    let is_empty = |arg: &Arg| {
        let value = arg.get_env().and_then(env::var_os);
        value.is_some_and(|value| value.is_empty())
    };
    command
        .mut_args(|arg| if is_empty(&arg) { arg.env(None) } else { arg })
        .mut_subcommands(without_empty_variables)
}

impl Cli {
    /// Reads the command line; where it is wrong, or asks for help, the process ends.
    pub(crate) fn read() -> Self {
        let matches = without_empty_variables(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Does what was asked.
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        // Held to the end: what is logged last is written then.
        let _logging = logging::start(matches!(self.command, Command::Serve(_) | Command::Worker(_)));
        match self.command {
            Command::Serve(serve) => serve.run(),
            Command::Worker(worker) => worker.run(),
            Command::Analyse(analyse) => analyse.run(),
            Command::Adjudicate(adjudicate) => adjudicate.run(),
            Command::Legal(legal) => legal.run(),
            Command::Perft(perft) => perft.run(),
            Command::Evaluate(evaluate) => evaluate.run(),
            Command::Jobs(jobs) => jobs.run(),
            Command::Devices(devices) => devices.run(),
            Command::Config(config) => config.run(),
            Command::Token(token) => token.run(),
            Command::Uci(uci) => uci.run(),
            Command::Bench(bench) => bench.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_shows_an_example_that_parses() {
        let command = Cli::command();
        let below = command.get_subcommands().flat_map(clap::Command::get_subcommands);
        for part in std::iter::once(&command)
            .chain(command.get_subcommands())
            .chain(below)
        {
            let help = part.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help
                .lines()
                .find_map(|line| line.strip_prefix("  tabiya "))
                .unwrap_or_else(|| panic!("{} has no example", part.get_name()));
            // A shell would take the quotes off, feed pipes and write files: only the part up to there is ours.
            let ours = [" | ", " > "]
                .into_iter()
                .filter_map(|end| example.find(end))
                .min();
            let words = words(&example[..ours.unwrap_or(example.len())]);
            let parsed = Cli::try_parse_from(std::iter::once("tabiya".to_owned()).chain(words));
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
        }
    }

    /// Splits at spaces outside quotes.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (index, part) in line.split(['"', '\'']).enumerate() {
            if index % 2 == 1 {
                words.push(part.to_owned());
            } else {
                words.extend(part.split_whitespace().map(str::to_owned));
            }
        }
        words
    }
}
