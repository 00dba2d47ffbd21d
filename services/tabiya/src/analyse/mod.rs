//! `tabiya analyse`: the best move and score of every position of files of games.

mod annotate;
mod ask;
mod epd_line;
mod identity;
mod journal;
mod output;
mod pump;
mod reorder;
mod row;
mod run;
mod search_args;
mod sink;
mod writer;

pub(crate) use ask::Ask;
pub(crate) use row::AnswerRow;
pub(crate) use search_args::SearchArgs;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueEnum};

use crate::{
    failure::{Failure, Outcome},
    session::EngineArgs,
};

const EXAMPLE: &str = "\
Example:
  tabiya analyse games.pgn.zst --nodes 20000 --format pgn -o annotated.pgn --resume

Only the moves played are analysed, not variations. Games that cannot be read are named on stderr and left out.
JSON Lines hold an object for each position: game (from 1, over all files), ply (from 0), fen, played (null in a game's
final position), best_move, score ({\"cp\":…} or {\"mate\":…}, from the side to move), pv, depth, seldepth, nodes, tb_hits (positions
found in endgame tables).
PGN keeps tags, comments, glyphs and variations and adds [%eval] from White's view after every move.
OUT.progress beside the output is what --resume goes by.";

/// Analyse every position of games in PGN, or of lists of positions in EPD or FEN.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, visible_alias = "analyze")]
pub(crate) struct Analyse {
    /// Files to read: PGN, or a position a line; plain, .gz or .zst; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to write; standard output if not given or `-`
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Go on where a run with the same input and settings was broken off, or start if there was none
    #[arg(long, requires = "output")]
    resume: bool,
    /// Read lists of positions as Chess960 (games in PGN have a Variant tag)
    #[arg(long)]
    chess960: bool,
    /// Most positions that are asked about and not yet written; at least 512 along games, which are sent whole
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(1..=4096))]
    concurrency: u16,
    /// Folders of Syzygy endgame tables for the server inside this process to ask, separated as in PATH
    #[arg(
        long,
        value_name = "FOLDERS",
        help_heading = "Server",
        conflicts_with = "endpoint"
    )]
    syzygy_path: Option<OsString>,
    /// Report failures only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON Lines, an object a position.
    #[default]
    Jsonl,
    /// The games with evaluations in comments.
    Pgn,
    /// A line a position, with the operations of the input kept.
    Epd,
}

impl Format {
    /// The name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Pgn => "pgn",
            Self::Epd => "epd",
        }
    }
}

impl Analyse {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        run::run(self)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    pub(super) struct Line {
        #[command(flatten)]
        pub(super) analyse: Analyse,
    }

    #[test]
    fn numbers_have_bounds() {
        for (flag, most) in [("--concurrency", 4096_u64), ("--multipv", 256)] {
            for (number, fits) in [
                (0, false),
                (1, true),
                (most, true),
                (most + 1, false),
                (u64::MAX, false),
            ] {
                match Line::try_parse_from(["analyse", "x.pgn", flag, &number.to_string()]) {
                    Ok(_) => assert!(fits, "{flag} {number}"),
                    Err(error) => assert!(!fits && error.exit_code() == 2, "{flag} {number}"),
                }
            }
        }
    }
}
