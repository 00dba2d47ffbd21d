//! What `tabiya devices` prints.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;
use tabiya_client::v1::{self, BackendInfo, NetworkInfo};

use super::searches::Reached;
use crate::choice::plain_name;

/// What is printed.
#[derive(Serialize)]
pub(super) struct Report {
    version: String,
    /// By the default network, as is `graphics_from`.
    backends: Vec<Device>,
    networks: Vec<Network>,
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
    /// Another name of one in the program.
    #[serde(skip_serializing_if = "String::is_empty")]
    embedded_name: String,
    backends: Vec<Device>,
    /// From how many positions in a request on AUTO takes the graphics processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    graphics_from: Option<u32>,
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
    pub(super) fn new(info: v1::GetEngineInfoResponse, searches: &[Reached]) -> Self {
        let default = info.networks.first().map(|network| network.hash.clone());
        let default = default.unwrap_or_default();
        let network = |network| Network::new(network, searches);
        Self {
            version: info.version,
            backends: devices(info.backends, &default, searches),
            networks: info.networks.into_iter().map(network).collect(),
            graphics_from: (info.graphics_from > 0).then_some(info.graphics_from),
            endgame_tables: info.endgame_tables.map(Tables::from),
        }
    }
}

/// Backends, with what bulk searches by a network reached on them.
fn devices(backends: Vec<BackendInfo>, network: &str, searches: &[Reached]) -> Vec<Device> {
    let device = |info: BackendInfo| {
        let reached = searches
            .iter()
            .find(|reached| reached.network == network && reached.backend == info.kind());
        Device {
            search_nodes_per_second: reached.map(|reached| reached.nodes_per_second),
            ..Device::from(info)
        }
    };
    backends.into_iter().map(device).collect()
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

impl Network {
    fn new(info: NetworkInfo, searches: &[Reached]) -> Self {
        Self {
            backends: devices(info.backends, &info.hash, searches),
            graphics_from: (info.graphics_from > 0).then_some(info.graphics_from),
            embedded_name: info.embedded_name,
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
                embedded_name,
                ..
            } = network;
            let also = match embedded_name.as_str() {
                "" => String::new(),
                other => format!(" ({other})"),
            };
            let _ = writeln!(
                text,
                "network {name}{also}: {architecture}, {bytes} bytes, sha256 {sha256}"
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
        let devices = || self.networks.iter().flat_map(|network| &network.backends);
        if devices().all(|device| device.search_nodes_per_second.is_none()) {
            return;
        }
        let wide = self.networks.iter().map(|network| network.name.chars().count());
        let wide = wide.max().unwrap_or_default().max("network".len());
        let _ = writeln!(
            text,
            "{:<wide$} {:<8} {:>8} {:>16} {:>14}",
            "network", "backend", "batch", "evaluations/s", "round trip"
        );
        for Network { name, backends, .. } in &self.networks {
            for device in backends {
                for rate in &device.rates {
                    let _ = writeln!(
                        text,
                        "{name:<wide$} {:<8} {:>8} {:>16.0} {:>11.1} us",
                        device.kind, rate.batch, rate.evaluations_per_second, rate.round_trip_us
                    );
                }
            }
        }
        for Network { name, backends, .. } in &self.networks {
            for device in backends {
                if let Some(rate) = device.search_nodes_per_second {
                    let kind = &device.kind;
                    let _ = writeln!(
                        text,
                        "{name:<wide$} {kind:<8} bulk searches reach {rate:.0} nodes/s"
                    );
                }
            }
        }
        for Network {
            name, graphics_from, ..
        } in &self.networks
        {
            let _ = match graphics_from {
                Some(batch) => writeln!(
                    text,
                    "{name:<wide$} auto: the graphics processor from {batch} positions in a request on"
                ),
                None => writeln!(text, "{name:<wide$} auto: always the processor"),
            };
        }
    }
}
