//! `tabiya config`: is a configuration right, and what is in effect.

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand};
use tabiya_server::config::{Effective, example};

use crate::{
    failure::{Failure, Outcome},
    settings::SettingArgs,
};

const EXAMPLE: &str = "\
Example:
  tabiya config check services/tabiya/examples/tabiya.toml";

const CHECK_EXAMPLE: &str = "\
Example:
  tabiya config check services/tabiya/examples/tabiya.toml --print

Every fault is a line on standard error that names the setting, its value and where it comes from; then the exit code is 2.";

const SHOW_EXAMPLE: &str = "\
Example:
  tabiya config show --io-threads 4";

const EXAMPLE_EXAMPLE: &str = "\
Example:
  tabiya config example > tabiya.toml";

/// Check and show the settings of a server.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(Check),
    Show(Show),
    Example(Example),
}

/// Say what is wrong with a configuration: a file, the environment and flags, as `serve` would take them.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLE)]
struct Check {
    /// File of settings (TOML)
    #[arg(value_name = "FILE", conflicts_with = "config")]
    path: Option<PathBuf>,
    /// Print the configuration that results, as `config show` does
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Print the configuration in effect, and where each value comes from; secrets are hidden.
#[derive(Args, Debug)]
#[command(after_help = SHOW_EXAMPLE)]
struct Show {
    /// File of settings (TOML)
    #[arg(value_name = "FILE", conflicts_with = "config")]
    path: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Print a file that describes every setting.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE_EXAMPLE)]
struct Example {}

impl Config {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        match self.action {
            Action::Check(check) => {
                let effective = load(&check.settings, check.path)?;
                eprintln!("tabiya: the configuration is right");
                if check.print {
                    print(&effective.print())
                } else {
                    Ok(Outcome::Done)
                }
            }
            Action::Show(show) => print(&load(&show.settings, show.path)?.print()),
            Action::Example(Example {}) => print(&example()),
        }
    }
}

/// The configuration, with a word about variables that look like settings.
fn load(settings: &SettingArgs, file: Option<PathBuf>) -> Result<Effective, Failure> {
    let effective = settings.load(file)?;
    for name in &effective.ignored {
        eprintln!("tabiya: {name} is no setting and is left aside");
    }
    Ok(effective)
}

fn print(text: &str) -> Result<Outcome, Failure> {
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map(|()| Outcome::Done).map_err(Failure::stdout)
}
