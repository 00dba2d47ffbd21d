//! Where jobs are kept, and who works at them.

mod counted;
mod duty;
mod host;
mod readers;
mod sending;
mod submissions;

pub use duty::Duty;
pub(crate) use host::JobsHost;
pub(crate) use readers::{Readers, Reading};
use sending::Sending;
pub(crate) use submissions::{Share, Submissions};

use std::{sync::Arc, time::Duration};

use secrecy::ExposeSecret;
use tabiya_api::error::ServiceError;
use tabiya_jobs::{
    Cached, Compute, Coordinator, Embedded, Fault, JobStore, Quotas, WorkQueue,
    nats::{Address, Nats, Settings},
};
use tokio::sync::watch;

use crate::{Config, ServerError, engine::Engine, rpc::OwnEngine};

/// The jobs of a server. Clones share them.
#[derive(Clone)]
pub(crate) struct Jobs {
    pub(crate) store: Arc<dyn JobStore>,
    pub(crate) queue: Arc<dyn WorkQueue>,
    pub(crate) quotas: Quotas,
    /// How long a job stays after its end.
    pub(crate) keep: Duration,
    /// Memory of jobs that are being submitted. What is read stays there until it is stored.
    pub(crate) submissions: Submissions,
    /// Streams of results that are open.
    pub(crate) readers: Readers,
    /// New jobs on their way to the queue.
    pub(crate) sending: Sending,
    /// Bytes of answers to remember.
    cache: u64,
    /// What this process is there for.
    duty: Duty,
    /// Whether this process works at them itself.
    works: bool,
    /// Chunks that are worked at side by side; 0 if that is not said.
    slots: usize,
    /// The connection to the broker that they are kept at, if they are.
    nats: Option<Arc<Nats>>,
}

impl Jobs {
    /// Opens the place that the settings name.
    ///
    /// # Errors
    /// [`ServerError::Jobs`] if it cannot be used, or none is named.
    async fn open(config: &Config, duty: Duty) -> Result<Self, ServerError> {
        let failed = |error: &dyn std::fmt::Display| ServerError::Jobs(error.to_string());
        let (store, queue, nats, works): (Arc<dyn JobStore>, Arc<dyn WorkQueue>, _, _) =
            match (broker(config, duty)?, &config.jobs_dir) {
                (None, None) => return Err(failed(&"no place for jobs is named")),
                (Some(_), Some(_)) => {
                    return Err(failed(
                        &"nats and jobs_dir do not go together: jobs have one place",
                    ));
                }
                (None, Some(folder)) => {
                    let opened = Arc::new(Embedded::open(folder).map_err(|error| failed(&error))?);
                    (opened.clone(), opened, None, true)
                }
                (Some(settings), None) => {
                    let nats = Nats::open_or_wait(settings)
                        .await
                        .map_err(|fault| failed(&fault))?;
                    let works = config.jobs_work || duty == Duty::Work;
                    (nats.store(), nats.queue(), Some(Arc::new(nats)), works)
                }
            };
        Ok(Self {
            store,
            queue,
            quotas: Quotas {
                running_jobs: config.jobs_running,
                items_a_job: config.job_items,
                bytes_a_job: config.job_bytes as u64,
                bytes: config.jobs_bytes as u64,
            },
            submissions: Submissions::new(config.jobs_incoming),
            readers: Readers::new(config.result_streams),
            sending: Sending::default(),
            keep: config.jobs_keep,
            cache: config.jobs_cache as u64,
            duty,
            works,
            slots: config.jobs_slots,
            nats,
        })
    }

    /// What the workers of this process search with.
    fn compute(&self, engine: &Engine) -> Arc<dyn Compute> {
        let own = Arc::new(OwnEngine::new(engine));
        if self.cache == 0 {
            own
        } else {
            let cached = Cached::new(own, self.cache);
            engine.metrics.jobs.show_cache(cached.counts());
            Arc::new(cached)
        }
    }

    /// How many chunks are worked at side by side: even where a chunk is one item every bulk thread has one, and while one
    /// is written the next is searched.
    fn slots(&self, engine: &Engine) -> usize {
        match self.slots {
            0 => engine.bulk.threads() + 1,
            slots => slots,
        }
    }

    /// Whether this process looks after jobs. At a broker that is for servers, of which there are few, not for workers.
    fn coordinates(&self) -> bool {
        self.nats.is_none() || self.duty == Duty::Serve
    }

    /// Whether nobody else works at them.
    pub(crate) fn works_alone(&self) -> bool {
        self.nats.is_none()
    }

    /// Tells whether the broker answers, at every change; `None` where this process is of use without one.
    fn answers(&self) -> Option<watch::Receiver<bool>> {
        let nats = self.nats.as_ref().filter(|_| self.duty == Duty::Work);
        nats.map(|nats| nats.answers())
    }

    /// Sends what is missing again, and removes what is old.
    pub(crate) fn coordinator(&self) -> Coordinator {
        Coordinator {
            store: self.store.clone(),
            queue: self.queue.clone(),
            keep: self.keep,
        }
    }
}

/// A fault of the store or the queue, in the words of the contract.
pub(crate) fn of_fault(fault: Fault) -> ServiceError {
    match fault {
        Fault::Full { reason, retry_after } => ServiceError::Exhausted {
            reason: format!("no room for jobs: {reason}"),
            retry_after,
        },
        Fault::Unavailable(reason) => ServiceError::Unavailable(format!("jobs are not reachable: {reason}")),
        fault @ (Fault::Damaged(_) | Fault::Failed(_)) => ServiceError::Internal(fault.to_string()),
    }
}

/// How to reach the broker that the settings name, if they do, from a process that is there for this.
///
/// # Errors
/// [`ServerError::Jobs`] if the address is none, or a certificate has no key.
pub fn broker(config: &Config, duty: Duty) -> Result<Option<Settings>, ServerError> {
    let Some(servers) = &config.nats else {
        return Ok(None);
    };
    let failed = |reason: String| ServerError::Jobs(reason);
    let address =
        Address::parse(servers.expose_secret()).map_err(|error| failed(format!("nats: {error}")))?;
    let client_certificate = match (&config.nats_certificate, &config.nats_key) {
        (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
        (None, None) => None,
        _ => return Err(failed("nats_certificate and nats_key go together".into())),
    };
    Ok(Some(Settings {
        credentials: config.nats_credentials.clone(),
        root_certificates: config.nats_ca.clone(),
        client_certificate,
        name: format!("tabiya {} {}", duty.name(), std::process::id()),
        replicas: config.nats_replicas,
        max_tasks: config.nats_max_tasks as i64,
        lease: config.nats_lease,
        ..Settings::new(address)
    }))
}
