use std::{io, net::SocketAddr};

use crate::ConfigFaults;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Settings are wrong or do not go together.
    #[error(transparent)]
    Config(#[from] ConfigFaults),
    /// A file of certificates, keys or callers cannot be used. The text quotes nothing of it.
    #[error("{what}: {reason}")]
    File {
        /// What the file is for.
        what: &'static str,
        /// What is wrong.
        reason: String,
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
    /// The collector of spans cannot be used.
    #[error("collector of spans `{endpoint}`: {reason}")]
    Collector {
        /// Its address, cut to 64 bytes.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The network cannot be used.
    #[error("network {name}: {reason}")]
    Network {
        /// Path of the file, or its name in the program.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The endgame tables cannot be used. The text names the folder or file.
    #[error(transparent)]
    Tables(#[from] tabiya_search::TablebaseError),
    /// A ruleset file cannot be used. The text names the file and, where it is known, the line.
    #[error("ruleset {0}")]
    Ruleset(String),
    /// The place for jobs cannot be used. The text names it.
    #[error("{0}")]
    Jobs(String),
}
