//! What `tabiya devices` prints.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;
use tabiya_client::v1::{self, BackendInfo, NetworkInfo};

use crate::choice::plain_name;

/// What is printed.
#[derive(Serialize)]
pub(super) struct Report {
    version: String,
    backends: Vec<Device>,
    networks: Vec<Network>,
    /// From how many positions in a request on AUTO takes the graphics processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    graphics_from: Option<u32>,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rates: Vec<Rate>,
    /// Of bulk searches, all threads together.
    #[serde(skip_serializing_if = "Option::is_none")]
    search_nodes_per_second: Option<f64>,
}

/// One row of the calibration.
#[derive(Serialize)]
struct Rate {
    batch: u32,
    evaluations_per_second: f64,
    round_trip_us: f64,
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

impl Report {
    /// What a server says of itself, and what its bulk searches reached on backends.
    pub(super) fn new(info: v1::GetEngineInfoResponse, searches: Vec<(v1::Backend, f64)>) -> Self {
        let device = |info: BackendInfo| {
            let reached = searches.iter().find(|(backend, _)| *backend == info.kind());
            Device {
                search_nodes_per_second: reached.map(|&(_, rate)| rate),
                ..Device::from(info)
            }
        };
        Self {
            version: info.version,
            backends: info.backends.into_iter().map(device).collect(),
            networks: info.networks.into_iter().map(Network::from).collect(),
            graphics_from: (info.graphics_from > 0).then_some(info.graphics_from),
            endgame_tables: info.endgame_tables.map(Tables::from),
        }
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
            rates: info.rates.into_iter().map(Rate::from).collect(),
            search_nodes_per_second: None,
        }
    }
}

impl From<v1::BatchRate> for Rate {
    fn from(rate: v1::BatchRate) -> Self {
        let round_trip = rate.round_trip.and_then(|time| Duration::try_from(time).ok());
        Self {
            batch: rate.batch,
            evaluations_per_second: rate.evaluations_per_second,
            round_trip_us: round_trip.map_or(0.0, |time| time.as_secs_f64() * 1e6),
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
    /// Lines for people.
    pub(super) fn to_text(&self) -> String {
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
        self.write_calibration(&mut text);
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

    /// Only where more than a moment was measured.
    fn write_calibration(&self, text: &mut String) {
        if self
            .backends
            .iter()
            .all(|device| device.search_nodes_per_second.is_none())
        {
            return;
        }
        let _ = writeln!(
            text,
            "{:<8} {:>8} {:>16} {:>14}",
            "backend", "batch", "evaluations/s", "round trip"
        );
        for device in &self.backends {
            for rate in &device.rates {
                let _ = writeln!(
                    text,
                    "{:<8} {:>8} {:>16.0} {:>11.1} us",
                    device.kind, rate.batch, rate.evaluations_per_second, rate.round_trip_us
                );
            }
        }
        for device in &self.backends {
            if let Some(rate) = device.search_nodes_per_second {
                let _ = writeln!(text, "{:<8} bulk searches reach {rate:.0} nodes/s", device.kind);
            }
        }
        let _ = match self.graphics_from {
            Some(batch) => writeln!(
                text,
                "auto: the graphics processor from {batch} positions in a request on"
            ),
            None => writeln!(text, "auto: always the processor"),
        };
    }
}
