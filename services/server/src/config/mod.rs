//! What can be set, and where values come from: defaults, then a file, then the environment, then flags.
//!
//! A setting is added in one place, the list in `settings.rs`. Its key in a file, its variable, its flag, its help,
//! the example file and the check of its range follow from there.

mod check;
mod environment;
mod fault;
mod file;
mod form;
mod layers;
mod memory;
mod print;
mod settings;
mod source;
mod table;

use std::{net::Ipv4Addr, thread::available_parallelism, time::Duration};

#[cfg(test)]
pub(crate) use check::MAX_NETWORKS;
pub use fault::{ConfigFault, ConfigFaults};
pub use form::folders;
pub use layers::{Effective, Layers};
pub(crate) use memory::ADMIN_REQUEST_BYTES;
pub use print::example;
pub(crate) use settings::GREATEST_SEARCH;
pub use settings::{AdminTls, Config, GpuPolicy, ReflectionAccess, SETTINGS};
pub use source::Source;
pub use table::Setting;

/// What variables of the environment begin with.
const PREFIX: &str = "TABIYA_";

/// What is shown instead of a secret.
const HIDDEN: &str = "(hidden)";

impl Default for Config {
    fn default() -> Self {
        Self::for_cores(available_parallelism().map_or(1, usize::from))
    }
}

impl Config {
    /// A server inside the caller's own process: free loopback ports, little time at the start and at the end.
    pub fn in_process() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            admin_listen: (Ipv4Addr::LOCALHOST, 0).into(),
            drain_grace: Duration::from_secs(2),
            calibration: Duration::from_millis(100),
            ..Self::default()
        }
    }

    /// Whether browsers are answered.
    pub(crate) fn serves_browsers(&self) -> bool {
        self.grpc_web || !self.cors_origins.is_empty()
    }
}
