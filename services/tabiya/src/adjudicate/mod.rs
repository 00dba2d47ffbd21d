//! `tabiya adjudicate`: an arbiter's rulings on games, as a report to file or as JSON Lines.

mod compare;
mod games;
mod item;
mod json;
mod mapping;
mod options;
mod output;
mod report;
mod row;
mod run;
mod unique;
mod words;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tabiya_client::v1;

use crate::{
    failure::{Failure, Outcome},
    session::EndpointArgs,
};
use options::Setting;

const EXAMPLE: &str = "\
Example:
  tabiya adjudicate game.json --compare fide-2023,cn-classic,popular --lang zh

PGN: each game is ruled on from its moves, clocks and tags, and where its record contradicts the rules, the report says
so. JSON: an object a game (.json: one, or a list; .jsonl: one a line), with the fields of AdjudicateRequest and `id`, a
name for the game. Field names are those of the protos or their lowerCamelCase, enums are names, durations are text such
as \"3.5s\". A ruleset given here is used instead of the one that a game names.";

/// Rule on games: results, articles, penalties, claims, contradictions.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Adjudicate {
    /// Files to read: PGN, or events in JSON; plain, .gz or .zst; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Rule by this ruleset [default: what the game names, or fide-2023]
    #[arg(long, value_name = "ID", conflicts_with_all = ["ruleset_file", "compare"])]
    ruleset: Option<String>,
    /// Rule by the ruleset in this TOML file
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    ruleset_file: Option<PathBuf>,
    /// Rule by each of these rulesets and say where they differ
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', num_args = 1)]
    compare: Vec<String>,
    /// Change a switch of the ruleset, such as late_limit_minutes=30
    #[arg(long = "set", value_name = "SWITCH=VALUE")]
    set: Vec<Setting>,
    /// Language of the report [default: what the game asks for, or English]
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to write; standard output if not given or `-`
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Most games that are sent and not yet answered
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    concurrency: u16,
    /// Report failures only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    server: EndpointArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A report for people.
    #[default]
    Text,
    /// JSON Lines, an object a game.
    Jsonl,
}

/// A language for sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl From<Lang> for v1::Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::En,
            Lang::Zh => Self::Zh,
        }
    }
}

impl Lang {
    /// The language that a request asks for.
    fn of(language: v1::Language) -> Self {
        match language {
            v1::Language::Zh => Self::Zh,
            v1::Language::En | v1::Language::Unspecified => Self::En,
        }
    }

    /// The one of two texts that is in this language.
    fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::En => english,
            Self::Zh => chinese,
        }
    }
}

impl Adjudicate {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        run::run(&self)
    }
}
