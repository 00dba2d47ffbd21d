//! `tabiya worker`: a process that works at jobs.

mod compute;

use std::{
    ffi::OsString,
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use tabiya_jobs::{
    Company, Fault, JobId, Worker,
    nats::{Nats, Settings},
};
use tabiya_server::{Config, GpuPolicy, Server};
use tokio::{sync::watch, task::JoinSet};

use crate::{
    failure::{Failure, Outcome},
    nats_args::NatsArgs,
    serve::announce,
    session::{EndpointArgs, Session, gpu_policy, interrupt},
    syzygy::folders,
};
use compute::Remote;

const EXAMPLE: &str = "\
Example:
  tabiya worker --nats nats://127.0.0.1:4222 --threads 4

Takes chunks of jobs from NATS JetStream; start as many as there are machines. The engine is inside this process; with
--endpoint it is the one server there, not a name behind which there are several. Items of a job that was taken by another
version of the engine, for another network or with other endgame tables, are left to workers that have them. SIGTERM and Ctrl-C hand the chunks under way
back at once; a second one ends the process.";

/// Work at the jobs that are kept at a NATS server.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Work {
    #[command(flatten)]
    nats: NatsArgs,
    /// Chunks that are worked at side by side [default: one more than there are threads]
    #[arg(long, value_name = "N", env = "TABIYA_SLOTS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    slots: Option<u16>,
    /// Search threads [default: one for each core]
    #[arg(long, value_name = "N", env = "TABIYA_THREADS")]
    threads: Option<usize>,
    /// Cores to plan for [default: as many as there are]
    #[arg(long, value_name = "N", env = "TABIYA_CORES", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cores: Option<u16>,
    /// Where to serve health, which is ready while the NATS server answers; port 0 picks a free one
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "TABIYA_ADMIN_LISTEN",
        default_value = "127.0.0.1:0"
    )]
    admin_listen: String,
    /// Network file to use instead of the built-in one
    #[arg(long, value_name = "FILE", env = "TABIYA_NETWORK")]
    network: Option<PathBuf>,
    /// Folders of Syzygy endgame tables, separated as in PATH; jobs wait for workers with the tables of the server that took them
    #[arg(long, value_name = "FOLDERS", env = "TABIYA_SYZYGY_PATH")]
    syzygy_path: Option<OsString>,
    /// Look for a GPU, for jobs that ask for one
    #[arg(long)]
    gpu: bool,
    /// Take a software renderer, such as lavapipe, for a GPU (for tests)
    #[arg(long, requires = "gpu")]
    allow_software_gpu: bool,
    /// Memory in MiB for answers that are given again when a later job asks the same; 0 keeps none
    #[arg(long, value_name = "MIB", env = "TABIYA_JOBS_CACHE", default_value_t = 0)]
    jobs_cache: u32,
    #[command(flatten)]
    server: EndpointArgs,
}

impl Work {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let name = format!("tabiya worker {}", std::process::id());
        let Some(settings) = self.nats.settings(&name)? else {
            return Err(Failure::Usage(
                "say where the jobs are: --nats nats://HOST:4222 (a folder of jobs is worked at by its own server)"
                    .to_owned(),
            ));
        };
        match self.server.endpoint {
            Some(_) => self.beside_a_server(settings),
            None => self.alone(),
        }
    }

    /// The engine, and health, of this process.
    fn alone(self) -> Result<Outcome, Failure> {
        let usual = Config::in_process();
        let planned = self
            .cores
            .map_or_else(Config::default, |cores| Config::for_cores(cores.into()));
        let config = Config {
            listen: usual.listen,
            admin_listen: resolve("--admin-listen", &self.admin_listen)?,
            bulk_threads: self.threads.unwrap_or(planned.bulk_threads),
            network: self.network,
            syzygy_path: self.syzygy_path.as_deref().map(folders).unwrap_or_default(),
            gpu: if self.gpu {
                gpu_policy(self.allow_software_gpu)
            } else {
                GpuPolicy::Off
            },
            calibration: Duration::ZERO,
            jobs_work: true,
            jobs_slots: self.slots.map_or(0, usize::from),
            jobs_cache: (self.jobs_cache as usize) << 20,
            ..planned
        };
        let config = self.nats.configure(config);
        let server = Server::start(config).map_err(|error| Failure::NoServer(error.to_string()))?;
        announce(&format!("admin on {}\n", server.admin_addr()));
        eprintln!("working at jobs");
        server
            .run_until_signal()
            .map_err(|error| Failure::NoServer(error.to_string()))?;
        Ok(Outcome::Done)
    }

    /// An engine elsewhere.
    fn beside_a_server(self, settings: Settings) -> Result<Outcome, Failure> {
        let session = self.server.open()?;
        session.run(self.work(&session, settings))
    }

    async fn work(&self, session: &Session, settings: Settings) -> Result<Outcome, Failure> {
        let no_server = |fault: Fault| Failure::NoServer(fault.to_string());
        let nats = Nats::open_or_wait(settings).await.map_err(no_server)?;
        let compute = Arc::new(Remote::new(session.client()));
        let (stop, stopped) = watch::channel(false);
        let mut workers = JoinSet::new();
        let company = Company::default();
        for slot in 0..self.slots.unwrap_or(2) {
            let worker = Worker {
                name: format!("{}.{slot}", JobId::random()),
                store: nats.store(),
                queue: nats.queue(),
                compute: compute.clone(),
                company: company.clone(),
            };
            let stopped = stopped.clone();
            workers.spawn(async move { worker.run(stopped).await });
        }
        eprintln!("working at jobs");
        tokio::select! {
            () = interrupt() => {}
            // Nobody told it to end.
            _ = workers.join_next() => return Err(Failure::BrokenOff("a worker failed".to_owned())),
        }
        stop.send_replace(true);
        tokio::select! {
            () = interrupt() => Err(Failure::Interrupted(String::new())),
            () = async { while workers.join_next().await.is_some() {} } => Ok(Outcome::Done),
        }
    }
}

/// Reads an address.
///
/// # Errors
/// [`Failure::Usage`] with the flag, if it is none.
fn resolve(flag: &str, text: &str) -> Result<SocketAddr, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("{flag} {text:?}: {reason}"));
    text.to_socket_addrs()
        .map_err(|error| wrong(error.to_string()))?
        .next()
        .ok_or_else(|| wrong("no address of this name".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        assert_eq!(
            resolve("--admin-listen", "127.0.0.1:0").ok(),
            Some(([127, 0, 0, 1], 0).into())
        );
        let refusal = resolve("--admin-listen", "127.0.0.1").unwrap_err().to_string();
        assert!(refusal.starts_with("--admin-listen \"127.0.0.1\": "), "{refusal}");
    }
}
