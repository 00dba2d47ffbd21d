//! `tabiya devices`: what there is to compute evaluations with.

mod report;
mod searches;

use std::{
    io::{self, Write as _},
    time::Duration,
};

use clap::{Args, ValueEnum};
use tabiya_evaluator::NetworkSource;
use tabiya_server::Config;

use self::report::Report;
use crate::{
    failure::{Failure, Outcome},
    session::{EndpointArgs, gpu_policy},
};

const EXAMPLE: &str = "\
Example:
  tabiya devices --calibrate --format json";

/// List the backends, their speed and which one AUTO takes and why, the networks and the endgame tables.
///
/// With --calibrate also how long batches of each size take by each network, from which size on AUTO takes the graphics
/// processor, and how many nodes a second bulk searches reach on each backend.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Devices {
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Measure for some seconds instead of a moment, searches too
    #[arg(long, conflicts_with = "endpoint")]
    calibrate: bool,
    /// Take a software renderer, such as lavapipe, for a GPU
    #[arg(long, conflicts_with = "endpoint")]
    allow_software_gpu: bool,
    /// Network to measure with: the name of one in the program, or a file; may be given several times [default: standard]
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "endpoint")]
    network: Vec<NetworkSource>,
    #[command(flatten)]
    server: EndpointArgs,
}

/// How long a wished-for measurement takes.
const CALIBRATION: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

impl Devices {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let mut config = Config {
            gpu: gpu_policy(self.allow_software_gpu),
            network: self.network,
            ..Config::in_process()
        };
        if self.calibrate {
            config.calibration = CALIBRATION;
        }
        let session = self.server.open_with(config)?;
        let info = session.engine_info()?;
        let searches = if self.calibrate {
            searches::measure(&session, &info)?
        } else {
            vec![]
        };
        let report = Report::new(info, &searches);
        let text = match self.format {
            Format::Text => report.to_text(),
            Format::Json => {
                serde_json::to_string(&report).map_err(|error| Failure::stdout(error.into()))? + "\n"
            }
        };
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        Ok(Outcome::Done)
    }
}
