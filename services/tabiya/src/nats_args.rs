//! How to reach NATS, on the command line.

use std::{convert::Infallible, fmt, path::PathBuf, str::FromStr, time::Duration};

use clap::{Args, value_parser};
use tabiya_jobs::nats::{Address, Settings};
use tabiya_server::Config;

use crate::failure::Failure;

/// Where jobs are shared between processes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NatsArgs {
    /// NATS servers that jobs are kept at, with JetStream, such as nats://user:password@host:4222; several with commas
    /// between them
    #[arg(
        long,
        value_name = "URL",
        env = "TABIYA_NATS",
        hide_env_values = true,
        help_heading = "NATS"
    )]
    nats: Option<Secret>,
    /// File with a user's credentials, as nsc writes it
    #[arg(
        long,
        value_name = "FILE",
        env = "TABIYA_NATS_CREDENTIALS",
        help_heading = "NATS"
    )]
    nats_credentials: Option<PathBuf>,
    /// File with the certificates that the servers' may be signed with, instead of the system's
    #[arg(long, value_name = "FILE", env = "TABIYA_NATS_CA", help_heading = "NATS")]
    nats_ca: Option<PathBuf>,
    /// File with our certificate, for servers that ask for one
    #[arg(
        long,
        value_name = "FILE",
        env = "TABIYA_NATS_CERTIFICATE",
        requires = "nats_key",
        help_heading = "NATS"
    )]
    nats_certificate: Option<PathBuf>,
    /// File with the key to it
    #[arg(
        long,
        value_name = "FILE",
        env = "TABIYA_NATS_KEY",
        requires = "nats_certificate",
        help_heading = "NATS"
    )]
    nats_key: Option<PathBuf>,
    /// Copies that a cluster keeps of everything: 1, 3 or 5 [default: 1]
    #[arg(long, value_name = "N", env = "TABIYA_NATS_REPLICAS", value_parser = value_parser!(u8).range(1..=5), help_heading = "NATS")]
    nats_replicas: Option<u8>,
    /// Seconds that a chunk is a worker's without a sign of progress. The first process to meet the broker decides
    /// [default: 30]
    #[arg(long, value_name = "S", env = "TABIYA_NATS_LEASE", value_parser = value_parser!(u32).range(1..=3600), help_heading = "NATS")]
    nats_lease: Option<u32>,
    /// Most chunks that may wait. The first process to meet the broker decides [default: 200000]
    #[arg(long, value_name = "N", env = "TABIYA_NATS_MAX_TASKS", value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "NATS")]
    nats_max_tasks: Option<u32>,
}

impl NatsArgs {
    /// The settings for a process of this name; `None` if no server is named.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the servers are no addresses.
    pub(crate) fn settings(&self, name: &str) -> Result<Option<Settings>, Failure> {
        let Some(Secret(nats)) = &self.nats else {
            return Ok(None);
        };
        let address = Address::parse(nats).map_err(|error| Failure::Usage(format!("--nats: {error}")))?;
        let usual = Settings::new(address);
        let lease = self
            .nats_lease
            .map_or(usual.lease, |seconds| Duration::from_secs(seconds.into()));
        Ok(Some(Settings {
            credentials: self.nats_credentials.clone(),
            root_certificates: self.nats_ca.clone(),
            client_certificate: self.nats_certificate.clone().zip(self.nats_key.clone()),
            name: name.to_owned(),
            replicas: self.nats_replicas.map_or(usual.replicas, usize::from),
            max_tasks: self.nats_max_tasks.map_or(usual.max_tasks, i64::from),
            lease,
            ..usual
        }))
    }
}

impl NatsArgs {
    /// A server's settings with these.
    pub(crate) fn configure(&self, config: Config) -> Config {
        let nats = self.nats.as_ref().map(|Secret(nats)| nats.as_str().into());
        Config {
            nats,
            nats_credentials: self.nats_credentials.clone(),
            nats_ca: self.nats_ca.clone(),
            nats_certificate: self.nats_certificate.clone(),
            nats_key: self.nats_key.clone(),
            nats_replicas: self.nats_replicas.map_or(config.nats_replicas, usize::from),
            nats_max_tasks: self
                .nats_max_tasks
                .map_or(config.nats_max_tasks, |tasks| tasks as usize),
            nats_lease: self
                .nats_lease
                .map_or(config.nats_lease, |seconds| Duration::from_secs(seconds.into())),
            ..config
        }
    }
}

/// A text that is never shown: it may hold a password.
#[derive(Clone)]
struct Secret(String);

impl FromStr for Secret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}
