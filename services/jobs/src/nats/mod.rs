//! NATS JetStream as store and queue: any number of submitters and workers share jobs through a broker.
//!
//! | what | where |
//! |---|---|
//! | a job, and its end | key `job.<id>` of bucket `tabiya_jobs` |
//! | its manifest and results | bucket `tabiya_job_<id>_<attempt>`: keys `block.<n>.<part>`, then `item.<index>` |
//! | which results are errors | keys `<bucket>.<index>` of bucket `tabiya_errors` |
//! | tasks | stream `TABIYA_JOBS`, subjects `tabiya.jobs.bulk.<pin>.<job>.<first>.<count>` |
//! | how often a suspect was begun alone | keys `<job>.<first>.<count>` of bucket `tabiya_trials` |
//! | workers with the same pins | durable consumer `bulk-<pin>` |
//! | tasks that are delivered no more | stream `TABIYA_ADVISORIES` |
//!
//! The results are the truth. The queue loses tasks and brings back others when a server dies, so whatever it says is
//! checked against the results. Every write names what it expects to find, so that it can be repeated, and so that any
//! number of processes can do the same at once.

mod advisories;
mod api;
mod bucket;
mod drain;
mod entrance;
mod errors;
mod fate;
mod faults;
mod keeper;
mod leadership;
mod lease;
mod link;
mod manifest;
mod names;
mod pull;
mod queue;
mod record;
mod settings;
mod store;
mod streams;
mod trials;
mod workers;

use std::sync::Arc;

use tokio::{sync::watch, task::JoinHandle};

pub use settings::{Address, AddressError, Settings};

use self::{api::Api, keeper::Keeper, leadership::Leadership, queue::Queue, store::Store};
use crate::{Fault, JobStore, WorkQueue};

/// The key that the process holds which looks after the jobs.
const COORDINATOR: &str = "coordinator";

/// A connection to a broker, with all that is kept there. The keeper that tidies up behind jobs ends when it is dropped.
pub struct Nats {
    api: Api,
    store: Arc<Store>,
    queue: Arc<Queue>,
    settings: Arc<Settings>,
    keeper: JoinHandle<()>,
}

impl Nats {
    /// Connects, and makes what is not there yet.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] if no server answers; [`Fault::Failed`] if it lets us not in, has no JetStream, or keeps
    /// something else under our names.
    pub async fn open(settings: Settings) -> Result<Self, Fault> {
        let (context, link) = link::connect(&settings).await?;
        let site = Site::new(Api::new(context, link), settings);
        site.prepare().await?;
        let keeper = site.keeper().await?;
        Ok(site.with_keeper(tokio::spawn(keeper.run())))
    }

    /// The same, but where no server answers it goes on trying: until one does, every call says [`Fault::Unavailable`].
    ///
    /// # Errors
    /// [`Fault::Failed`] as for [`Nats::open`], if a server answers now.
    pub async fn open_or_wait(settings: Settings) -> Result<Self, Fault> {
        let reason = match Self::open(settings.clone()).await {
            Err(Fault::Unavailable(reason)) => reason,
            opened => return opened,
        };
        let (context, link) = link::connect_later(&settings, &reason).await?;
        let site = Site::new(Api::new(context, link), settings);
        let waiting = site.clone();
        Ok(site.with_keeper(tokio::spawn(
            async move { waiting.keeper_at_last().await.run().await },
        )))
    }

    /// Where jobs are kept.
    pub fn store(&self) -> Arc<dyn JobStore> {
        Arc::clone(&self.store) as _
    }

    /// Where work is handed out.
    pub fn queue(&self) -> Arc<dyn WorkQueue> {
        Arc::clone(&self.queue) as _
    }

    /// Whether this process is the one that looks after the jobs, of all those that ask: now, and at every change.
    pub fn leads(&self) -> watch::Receiver<bool> {
        let settings = &self.settings;
        let mut leadership = Leadership::new(self.store.jobs(), COORDINATOR, &settings.name, settings.rounds);
        let (tell, told) = watch::channel(false);
        let rounds = settings.rounds;
        tokio::spawn(async move {
            while !tell.is_closed() {
                match leadership.hold().await {
                    Ok(leads) => {
                        tell.send_if_modified(|led| std::mem::replace(led, leads) != leads);
                    }
                    // Nobody else can hold it meanwhile, and nothing can be done.
                    Err(fault) => tracing::debug!(%fault, "who looks after the jobs is not known"),
                }
                tokio::time::sleep(rounds).await;
            }
        });
        told
    }

    /// Whether the broker answers, now and at every change: a worker that is cut off is not ready.
    pub fn answers(&self) -> watch::Receiver<bool> {
        self.api.link().watch()
    }
}

/// What is kept at a broker, whether or not it answers yet.
#[derive(Clone)]
struct Site {
    api: Api,
    settings: Arc<Settings>,
    store: Arc<Store>,
    queue: Arc<Queue>,
}

impl Site {
    fn new(api: Api, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        Self {
            store: Arc::new(Store::new(&api, settings.replicas)),
            queue: Arc::new(Queue::new(&api, &settings)),
            settings,
            api,
        }
    }

    /// Makes what is not there yet.
    async fn prepare(&self) -> Result<(), Fault> {
        let api = self.api.preparing();
        streams::make_all(&api, &self.settings).await?;
        Store::new(&api, self.settings.replicas).make().await?;
        let queue = Queue::new(&api, &self.settings);
        queue.trials().make(self.settings.replicas).await?;
        self.api.link().prepared();
        Ok(())
    }

    async fn keeper(&self) -> Result<Keeper, Fault> {
        Keeper::make(&self.api, &self.store, &self.queue, &self.settings).await
    }

    /// The keeper, once a server has answered.
    async fn keeper_at_last(&self) -> Keeper {
        let mut answers = self.api.link().watch();
        loop {
            // The sender is ours.
            let _ = answers.wait_for(|answers| *answers).await;
            let made = async {
                self.prepare().await?;
                self.keeper().await
            };
            match made.await {
                Ok(keeper) => return keeper,
                Err(Fault::Unavailable(_)) => {}
                Err(fault) => {
                    tracing::error!(%fault, "jobs cannot be kept at this NATS server; trying again")
                }
            }
            tokio::time::sleep(link::PATIENCE).await;
        }
    }

    fn with_keeper(self, keeper: JoinHandle<()>) -> Nats {
        Nats {
            api: self.api,
            store: self.store,
            queue: self.queue,
            settings: self.settings,
            keeper,
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}
