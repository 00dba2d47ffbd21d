//! `tabiya jobs`: durable bulk work, submitted, watched and read.

mod read;
mod results;
mod row;
mod submit;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Subcommand};
use tabiya_evaluator::{Network, NetworkSource};
use tabiya_server::{Config, GpuPolicy, config::folders};

use crate::{
    failure::{Failure, Outcome},
    session::{EndpointArgs, Session},
};

const EXAMPLE: &str = "\
Example:
  tabiya jobs submit games.pgn.zst --nodes 20000 --id games-2026 --endpoint http://127.0.0.1:50051

A job outlives this command, the connection and the server's process. Submitting it again with the same --id and the
same content is the same job. All commands print JSON Lines.";

/// Submit durable bulk work, watch it and read its results.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Jobs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Submit(Box<submit::Submit>),
    Status(read::Status),
    List(read::List),
    Cancel(read::Cancel),
    Results(results::ReadResults),
}

/// Where the jobs are.
#[derive(Args, Clone, Debug)]
struct PlaceArgs {
    #[command(flatten)]
    server: EndpointArgs,
    /// Folder with jobs, worked at by a server inside this process while this command runs
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Server",
        conflicts_with = "endpoint"
    )]
    jobs_dir: Option<PathBuf>,
    /// Folders of Syzygy endgame tables for that server to ask, separated as in PATH
    #[arg(
        long,
        value_name = "FOLDERS",
        help_heading = "Server",
        conflicts_with = "endpoint"
    )]
    syzygy_path: Option<OsString>,
}

impl PlaceArgs {
    fn open(&self) -> Result<Session, Failure> {
        let Some(folder) = &self.jobs_dir else {
            if self.server.endpoint.is_none() {
                return Err(Failure::Usage(
                    "jobs outlive this process: say which server keeps them (--endpoint URL), or in which folder they \
                     are (--jobs-dir FOLDER)"
                        .to_owned(),
                ));
            }
            return self.server.open();
        };
        EndpointArgs::default().open_with(Config {
            gpu: GpuPolicy::Off,
            calibration: std::time::Duration::ZERO,
            jobs_dir: Some(folder.clone()),
            // Whichever of them a job there asked for.
            network: Network::embedded_names().map(NetworkSource::Embedded).collect(),
            syzygy_path: self.syzygy_path.as_deref().map(folders).unwrap_or_default(),
            ..Config::in_process()
        })
    }
}

impl Jobs {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        match self.command {
            Command::Submit(submit) => submit.run(),
            Command::Status(status) => status.run(),
            Command::List(list) => list.run(),
            Command::Cancel(cancel) => cancel.run(),
            Command::Results(results) => results.run(),
        }
    }
}
