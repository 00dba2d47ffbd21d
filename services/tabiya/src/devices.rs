//! `tabiya devices`: what there is to compute evaluations with.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::PathBuf,
    time::Duration,
};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_client::v1::{self, BackendInfo, NetworkInfo};
use tabiya_server::Config;

use crate::{
    choice::plain_name,
    failure::{Failure, Outcome},
    session::{EndpointArgs, gpu_policy},
};

const EXAMPLE: &str = "\
Example:
  tabiya devices --calibrate --format json";

/// List the backends, their speed and which one AUTO takes and why, the networks and the endgame tables.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Devices {
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Measure for three seconds instead of a moment
    #[arg(long, conflicts_with = "endpoint")]
    calibrate: bool,
    /// Take a software renderer, such as lavapipe, for a GPU
    #[arg(long, conflicts_with = "endpoint")]
    allow_software_gpu: bool,
    /// Network file to measure with instead of the built-in one
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    network: Option<PathBuf>,
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

#[derive(Serialize)]
struct Report {
    version: String,
    backends: Vec<Device>,
    networks: Vec<Network>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endgame_tables: Option<Tables>,
}

#[derive(Serialize)]
struct Device {
    name: String,
    kind: String,
    driver: String,
    evaluations_per_second: f64,
    available: bool,
    chosen: bool,
    why_not_chosen: String,
}

#[derive(Serialize)]
struct Network {
    name: String,
    architecture: String,
    bytes: u64,
    sha256: String,
}

#[derive(Serialize)]
struct Tables {
    max_men: u32,
    materials: u32,
    distances: u32,
    sha256: String,
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
        let report = Report {
            version: info.version,
            backends: info.backends.into_iter().map(Device::from).collect(),
            networks: info.networks.into_iter().map(Network::from).collect(),
            endgame_tables: info.endgame_tables.map(Tables::from),
        };
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

impl From<BackendInfo> for Device {
    fn from(info: BackendInfo) -> Self {
        let kind = plain_name(info.kind().as_str_name(), "BACKEND_");
        Self {
            name: info.name,
            kind,
            driver: info.driver,
            evaluations_per_second: info.evaluations_per_second,
            available: info.available,
            chosen: info.chosen,
            why_not_chosen: info.why_not_chosen,
        }
    }
}

impl From<NetworkInfo> for Network {
    fn from(info: v1::NetworkInfo) -> Self {
        Self {
            name: info.name,
            architecture: info.architecture,
            bytes: info.size,
            sha256: info.hash,
        }
    }
}

impl From<v1::EndgameTables> for Tables {
    fn from(tables: v1::EndgameTables) -> Self {
        Self {
            max_men: tables.max_men,
            materials: tables.materials,
            distances: tables.distances,
            sha256: tables.hash,
        }
    }
}

impl Report {
    fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for device in &self.backends {
            let mark = match (device.chosen, device.available) {
                (true, _) => "chosen",
                (false, true) => "available",
                (false, false) => "unusable",
            };
            let _ = write!(text, "{:<6} {:<9} {}", device.kind, mark, device.name);
            if !device.driver.is_empty() {
                let _ = write!(text, " ({})", device.driver);
            }
            if device.evaluations_per_second > 0.0 {
                let _ = write!(text, ", {:.0} evaluations/s", device.evaluations_per_second);
            }
            if !device.why_not_chosen.is_empty() {
                let _ = write!(text, ": {}", device.why_not_chosen);
            }
            text.push('\n');
        }
        for network in &self.networks {
            let Network {
                name,
                architecture,
                bytes,
                sha256,
            } = network;
            let _ = writeln!(
                text,
                "network {name}: {architecture}, {bytes} bytes, sha256 {sha256}"
            );
        }
        if let Some(tables) = &self.endgame_tables {
            let _ = writeln!(
                text,
                "endgame tables: up to {} men, {} materials, {} with distances, sha256 {}",
                tables.max_men, tables.materials, tables.distances, tables.sha256
            );
        }
        text
    }
}
