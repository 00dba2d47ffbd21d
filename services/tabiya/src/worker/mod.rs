//! `tabiya worker`: a process that works at jobs.

mod compute;

use std::{sync::Arc, time::Duration};

use clap::Args;
use tabiya_jobs::{
    Company, Fault, JobId,
    nats::{Nats, Settings},
};
use tabiya_server::{
    Config, Duty, GpuPolicy, Server, ServerError, broker,
    config::{Effective, SETTINGS, Setting, Source},
};
use tokio::{sync::watch, task::JoinSet};

use crate::{
    failure::{Failure, Outcome},
    serve::announce,
    session::{EndpointArgs, Session, interrupt},
    settings::{Scope, SettingArgs},
};
use compute::Remote;

const EXAMPLE: &str = "\
Example:
  tabiya worker --nats nats://127.0.0.1:4222 --threads 4

Takes chunks of jobs from NATS JetStream; start as many as there are machines. The engine is inside this process; with
--endpoint it is the one server there, not a name behind which there are several; such a worker has neither health nor metrics of
its own, those are the server's. No worker sends traces: spans are of calls, and it takes none. Settings come from flags, the environment
and a file as with `serve`, whose other settings are left aside; but health is on a free port, and no GPU is looked for,
unless that is set. Items of a job that was taken by another
version of the engine, for another network or with other endgame tables, are left to workers that have them. SIGTERM and Ctrl-C hand the chunks under way
back at once; a second one ends the process.";

/// Work at the jobs that are kept at a NATS server.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Work {
    #[command(flatten)]
    settings: SettingArgs<Worker>,
    #[command(flatten)]
    server: EndpointArgs,
}

/// The settings of `serve` that a worker has, too.
#[derive(Clone, Copy, Debug, Default)]
struct Worker;

impl Scope for Worker {
    fn has(key: &str) -> bool {
        const KEYS: &[&str] = &[
            "admin_listen",
            "network",
            "syzygy_path",
            "gpu",
            "cores",
            "bulk_threads",
            "jobs_slots",
            "jobs_cache",
        ];
        KEYS.contains(&key) || key == "nats" || key.starts_with("nats_")
    }
}

impl Work {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let effective = self.settings.load(None)?;
        for variable in &effective.ignored {
            tracing::warn!(variable, "no setting has this variable");
        }
        let config = config(&effective);
        let no_server = |error: ServerError| Failure::NoServer(error.to_string());
        let Some(nats) = broker(&config, Duty::Work).map_err(no_server)? else {
            return Err(Failure::Usage(
                "say where the jobs are: --nats nats://HOST:4222 (a folder of jobs is worked at by its own server)"
                    .to_owned(),
            ));
        };
        match self.server.endpoint {
            Some(_) => self.beside_a_server(nats, config.jobs_slots),
            None => alone(config),
        }
    }

    /// An engine elsewhere.
    fn beside_a_server(self, settings: Settings, slots: usize) -> Result<Outcome, Failure> {
        let session = self.server.open()?;
        session.run(self.work(&session, settings, slots))
    }

    async fn work(&self, session: &Session, settings: Settings, slots: usize) -> Result<Outcome, Failure> {
        let no_server = |fault: Fault| Failure::NoServer(fault.to_string());
        let nats = Nats::open_or_wait(settings).await.map_err(no_server)?;
        let compute = Arc::new(Remote::new(session.client()));
        let (stop, stopped) = watch::channel(false);
        let mut workers = JoinSet::new();
        let company = Company::default();
        for slot in 0..if slots == 0 { 2 } else { slots } {
            let worker = tabiya_jobs::Worker {
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

/// The configuration of a process that works at jobs, and does nothing else of what is set.
fn config(effective: &Effective) -> Config {
    let given = &effective.config;
    let free = Config::in_process();
    let mut config = Config {
        // There may be several on a machine, and one that was not told to looks for no device.
        listen: free.listen,
        admin_listen: free.admin_listen,
        gpu: GpuPolicy::Off,
        calibration: Duration::ZERO,
        ..Config::for_cores(given.cores)
    };
    let is_told =
        |setting: &&Setting| Worker::has(setting.key) && effective.source(setting) != Source::Default;
    SETTINGS
        .iter()
        .filter(is_told)
        .for_each(|setting| setting.copy(given, &mut config));
    config
}

/// The engine, and health, of this process.
fn alone(config: Config) -> Result<Outcome, Failure> {
    tabiya_server::allow_descriptors();
    let server = Server::start_worker(config).map_err(|error| Failure::NoServer(error.to_string()))?;
    announce(&format!("admin on {}\n", server.admin_addr()));
    eprintln!("working at jobs");
    server
        .run_until_signal()
        .map_err(|error| Failure::NoServer(error.to_string()))?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use tabiya_server::config::Layers;

    use super::*;

    fn set(variables: &[(&str, &str)]) -> Config {
        let variables = variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()));
        config(&Layers::default().environment(variables).load().unwrap())
    }

    #[test]
    fn what_a_worker_can_be_told_reaches_it() {
        let config = set(&[
            ("TABIYA_ADMIN_LISTEN", "127.0.0.1:9999"),
            ("TABIYA_NETWORK", "n.nnue"),
            ("TABIYA_SYZYGY_PATH", "/tables"),
            ("TABIYA_GPU", "software"),
            ("TABIYA_CORES", "3"),
            ("TABIYA_BULK_THREADS", "5"),
            ("TABIYA_JOBS_SLOTS", "6"),
            ("TABIYA_JOBS_CACHE", "7MiB"),
            ("TABIYA_NATS", "nats://localhost:4222"),
            ("TABIYA_NATS_CREDENTIALS", "c"),
            ("TABIYA_NATS_CA", "a"),
            ("TABIYA_NATS_CERTIFICATE", "t"),
            ("TABIYA_NATS_KEY", "k"),
            ("TABIYA_NATS_REPLICAS", "3"),
            ("TABIYA_NATS_LEASE", "8s"),
            ("TABIYA_NATS_MAX_TASKS", "9"),
        ]);
        let planned = Config::for_cores(3);
        let mut told = 0;
        for setting in SETTINGS.iter().filter(|setting| Worker::has(setting.key)) {
            assert_ne!(
                setting.value(&config),
                setting.value(&Config::for_cores(1)),
                "{setting:?}"
            );
            told += 1;
        }
        assert_eq!(told, 16);
        assert_eq!(config.evaluate_threads, planned.evaluate_threads);
    }

    #[test]
    fn what_is_a_servers_is_not_a_workers() {
        let config = set(&[
            ("TABIYA_LISTEN", "127.0.0.1:50051"),
            ("TABIYA_JOBS_DIR", "/nowhere"),
            ("TABIYA_NATS", "nats://localhost:4222"),
        ]);
        assert_eq!(config.listen.port(), 0);
        assert_eq!(config.admin_listen.port(), 0);
        assert_eq!((config.jobs_dir, config.gpu), (None, GpuPolicy::Off));
    }
}
