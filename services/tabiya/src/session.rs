//! A connection to a server: one that runs elsewhere, or one started for this command inside this process.

use std::{ffi::OsString, future::Future, path::PathBuf, time::Duration};

use clap::Args;
use tabiya_client::{
    Access, Client,
    v1::{self, GetEngineInfoRequest, GetEngineInfoResponse},
};
use tabiya_evaluator::NetworkSource;
use tabiya_server::{Config, GpuPolicy, RunningServer, Server};
use tokio::runtime::{self, Runtime};

use crate::{
    choice::{Backend, plain_name},
    failure::Failure,
};

/// Which server to talk to.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct EndpointArgs {
    /// Server to use, such as http://127.0.0.1:50051; without it one is started inside this process
    #[arg(long, value_name = "URL", env = "TABIYA_ENDPOINT", help_heading = "Server")]
    pub(crate) endpoint: Option<String>,
    /// Certificate authority (PEM) that vouches for the server, instead of those that the system trusts
    #[arg(long, value_name = "FILE", env = "TABIYA_TLS_CA", help_heading = "Server")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Certificate (PEM) to show to the server
    #[arg(long, value_name = "FILE", requires_all = ["endpoint", "tls_key"], help_heading = "Server")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Key (PEM) of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Server")]
    pub(crate) tls_key: Option<PathBuf>,
    /// File with the token to show to the server
    #[arg(long, value_name = "FILE", env = "TABIYA_TOKEN_FILE", help_heading = "Server")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Which server to talk to, and what it shall compute with.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    pub(crate) server: EndpointArgs,
    /// What computes evaluations
    #[arg(long, value_enum, default_value_t, help_heading = "Server")]
    pub(crate) backend: Backend,
    /// Take a software renderer, such as lavapipe, for a GPU (for tests: it is slower than the CPU backend)
    #[arg(long, help_heading = "Server")]
    pub(crate) allow_software_gpu: bool,
    /// Network to use: the name of one in the program, or a file; with --endpoint, a name or hash of one on that server [default:
    /// the server's]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Server")]
    pub(crate) network: Option<OsString>,
    /// Search threads of the server inside this process [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "Server", conflicts_with = "endpoint")]
    pub(crate) threads: Option<usize>,
}

/// A server and the means to talk to it.
#[derive(Debug)]
pub(crate) struct Session {
    runtime: Runtime,
    client: Client,
    /// Held for its end: dropping it stops the server.
    _server: Option<RunningServer>,
}

impl EndpointArgs {
    /// Opens a session that needs no evaluations.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let config = Config {
            gpu: GpuPolicy::Off,
            calibration: Duration::ZERO,
            ..Config::in_process()
        };
        self.open_with(config)
    }

    /// Opens a session; the settings are for a server inside this process.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open_with(&self, config: Config) -> Result<Session, Failure> {
        match &self.endpoint {
            Some(endpoint) => Session::connect(endpoint, &self.access()?),
            None => Session::within(config),
        }
    }

    /// What to show to the server.
    fn access(&self) -> Result<Access, Failure> {
        let identity = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        Ok(Access::from_files(
            self.tls_ca.as_deref(),
            identity,
            self.token_file.as_deref(),
        )?)
    }
}

/// Which graphics processors may be used, if any.
pub(crate) fn gpu_policy(allow_software: bool) -> GpuPolicy {
    if allow_software {
        GpuPolicy::AllowSoftware
    } else {
        GpuPolicy::Hardware
    }
}

impl EngineArgs {
    /// Opens a session for searches that ask the endgame tables of these folders. `auto` is the processor for them, so no graphics processor is looked for.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open_for_searches(&self, syzygy_path: Vec<PathBuf>) -> Result<Session, Failure> {
        let backend = match self.backend {
            Backend::Auto => Backend::Cpu,
            other => other,
        };
        Self {
            backend,
            ..self.clone()
        }
        .open_with(Config {
            syzygy_path,
            ..Config::in_process()
        })
    }

    /// Opens a session for evaluations.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        self.open_with(Config::in_process())
    }

    fn open_with(&self, mut config: Config) -> Result<Session, Failure> {
        config.gpu = match self.backend {
            Backend::Cpu | Backend::Scalar => GpuPolicy::Off,
            Backend::Auto | Backend::Gpu => gpu_policy(self.allow_software_gpu),
        };
        if self.backend != Backend::Auto {
            // Only AUTO goes by what is measured.
            config.calibration = Duration::ZERO;
        }
        config.network = self.network.iter().cloned().map(NetworkSource::from).collect();
        if let Some(threads) = self.threads {
            config.bulk_threads = threads;
        }
        self.server.open_with(config)
    }

    /// The network to name in requests: a server inside this process has only the one it was started with.
    pub(crate) fn network_name(&self) -> String {
        match (&self.server.endpoint, &self.network) {
            (Some(_), Some(name)) => name.to_string_lossy().into_owned(),
            _ => String::new(),
        }
    }
}

/// Makes sure that a backend asked for by name is there, before any work is begun.
///
/// # Errors
/// If it is not, with the server's reason.
pub(crate) fn require_backend(backend: Backend, info: &GetEngineInfoResponse) -> Result<(), Failure> {
    if backend == Backend::Auto {
        return Ok(());
    }
    let wanted = v1::Backend::from(backend);
    let mut candidates = info
        .backends
        .iter()
        .filter(|candidate| candidate.kind() == wanted)
        .peekable();
    let reason = match candidates.peek() {
        Some(first) if !first.why_not_chosen.is_empty() => first.why_not_chosen.clone(),
        Some(_) => "unusable".to_owned(),
        None => "none found".to_owned(),
    };
    if candidates.any(|candidate| candidate.available) {
        return Ok(());
    }
    let name = plain_name(wanted.as_str_name(), "BACKEND_");
    Err(Failure::NoServer(format!("backend {name}: {reason}")))
}

impl EngineArgs {
    /// Hash of the network in use, among those that the server has.
    ///
    /// # Errors
    /// If the server has no such network.
    pub(crate) fn network_hash(&self, info: &GetEngineInfoResponse) -> Result<String, Failure> {
        let wanted = self.network_name();
        let fits = |network: &&v1::NetworkInfo| {
            let names = [&network.name, &network.embedded_name, &network.hash];
            wanted.is_empty() || names.contains(&&wanted)
        };
        match info.networks.iter().find(fits) {
            Some(network) => Ok(network.hash.clone()),
            None => Err(Failure::Usage(format!(
                "--network {wanted:?}: the server has no such network"
            ))),
        }
    }
}

impl Session {
    /// Connects to a server elsewhere.
    fn connect(endpoint: &str, access: &Access) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let client = runtime.block_on(Client::connect_with(endpoint, access))?;
        Ok(Self {
            runtime,
            client,
            _server: None,
        })
    }

    /// Starts a server inside this process.
    fn within(config: Config) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let server = Server::start(config).map_err(|error| Failure::NoServer(error.to_string()))?;
        let client = runtime.block_on(Client::connect(&server.addr().to_string()))?;
        Ok(Self {
            runtime,
            client,
            _server: Some(server),
        })
    }

    /// Runs calls to their end.
    pub(crate) fn run<T>(&self, calls: impl Future<Output = T>) -> T {
        self.runtime.block_on(calls)
    }

    /// Where to make calls.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// What the server computes with.
    ///
    /// # Errors
    /// If the call fails.
    pub(crate) fn engine_info(&self) -> Result<GetEngineInfoResponse, Failure> {
        Ok(self.run(self.client.get_engine_info(GetEngineInfoRequest {}))?)
    }
}

fn runtime() -> Result<Runtime, Failure> {
    runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("tabiya-calls")
        .enable_all()
        .build()
        .map_err(|error| Failure::NoServer(format!("no thread for calls: {error}")))
}

/// Returns when the user or the system asks to stop.
pub(crate) async fn interrupt() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // No signal can be heard: the default action ends the process.
        std::future::pending::<()>().await;
    }
}
