//! A connection to a server: one that runs elsewhere, or one started for this command inside this process.

use std::{future::Future, path::PathBuf, time::Duration};

use clap::Args;
use tabiya_client::{
    Client,
    v1::{self, GetEngineInfoRequest, GetEngineInfoResponse},
};
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
    /// Network file to use instead of the built-in one; with --endpoint, a network's name or hash on that server
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) network: Option<PathBuf>,
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
        Session::open(self.endpoint.as_deref(), config)
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
    /// Opens a session for searches. `auto` is the processor for them, so no graphics processor is looked for.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open_for_searches(&self) -> Result<Session, Failure> {
        let backend = match self.backend {
            Backend::Auto => Backend::Cpu,
            other => other,
        };
        Self {
            backend,
            ..self.clone()
        }
        .open()
    }

    /// Opens a session for evaluations.
    ///
    /// # Errors
    /// If no server can be started or reached.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let mut config = Config::in_process();
        config.gpu = match self.backend {
            Backend::Cpu | Backend::Scalar => GpuPolicy::Off,
            Backend::Auto | Backend::Gpu => gpu_policy(self.allow_software_gpu),
        };
        if self.backend != Backend::Auto {
            // Only AUTO goes by what is measured.
            config.calibration = Duration::ZERO;
        }
        config.network = self.network.clone();
        if let Some(threads) = self.threads {
            config.bulk_threads = threads;
        }
        self.server.open_with(config)
    }

    /// The network to name in requests: a server inside this process has only the one it was started with.
    pub(crate) fn network_name(&self) -> String {
        match (&self.server.endpoint, &self.network) {
            (Some(_), Some(name)) => name.display().to_string(),
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
            wanted.is_empty() || network.name == wanted || network.hash == wanted
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
    fn open(endpoint: Option<&str>, config: Config) -> Result<Self, Failure> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("tabiya-calls")
            .enable_all()
            .build()
            .map_err(|error| Failure::NoServer(format!("no thread for calls: {error}")))?;
        let server = match endpoint {
            Some(_) => None,
            None => Some(Server::start(config).map_err(|error| Failure::NoServer(error.to_string()))?),
        };
        let address = match (&server, endpoint) {
            (Some(server), _) => server.addr().to_string(),
            (None, address) => address.unwrap_or_default().to_owned(),
        };
        let client = runtime.block_on(Client::connect(&address))?;
        Ok(Self {
            runtime,
            client,
            _server: server,
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
