use std::{io, net::SocketAddr};

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A setting is out of range.
    #[error("{key} is {value}, outside {least}..={most}")]
    Config {
        /// The setting.
        key: &'static str,
        /// Its value.
        value: usize,
        /// The least value that is allowed.
        least: usize,
        /// The greatest value that is allowed.
        most: usize,
    },
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// A thread or a runtime could not be made.
    #[error("cannot start {what}: {source}")]
    Thread {
        /// What was to be started.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The network cannot be used.
    #[error("network {name}: {reason}")]
    Network {
        /// Path of the file, or `embedded`.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A ruleset file cannot be used. The text names the file and, where it is known, the line.
    #[error("ruleset {0}")]
    Ruleset(String),
}
