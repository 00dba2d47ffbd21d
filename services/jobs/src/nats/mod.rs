//! NATS JetStream as store and queue: any number of submitters and workers share jobs through a broker.
//!
//! | what | where |
//! |---|---|
//! | a job, and its end | key `job.<id>` of bucket `tabiya_jobs` |
//! | its manifest and results | bucket `tabiya_job_<id>_<attempt>`: keys `block.<n>.<part>`, then `item.<index>` |
//! | which results are errors | keys `<bucket>.<index>` of bucket `tabiya_errors` |
//! | tasks | stream `TABIYA_JOBS`, subjects `tabiya.jobs.bulk.<pin>.<job>.<first>.<count>` |
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
mod errors;
mod fate;
mod faults;
mod keeper;
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
mod workers;

use std::sync::Arc;

use tokio::{sync::watch, task::JoinHandle};

pub use settings::{Address, AddressError, Settings};

use self::{api::Api, keeper::Keeper, queue::Queue, store::Store};
use crate::{Fault, JobStore, WorkQueue};

/// A connection to a broker, with all that is kept there. The keeper that tidies up behind jobs ends when it is dropped.
pub struct Nats {
    api: Api,
    store: Arc<Store>,
    queue: Arc<Queue>,
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
        let settings = Arc::new(settings);
        let api = Api::new(context, link);
        streams::make_all(&api, &settings).await?;
        let store = Store::make(&api, settings.replicas).await?;
        let queue = Queue::new(&api, &settings);
        let keeper = Keeper::make(&api, &store, &queue, &settings).await?;
        Ok(Self {
            api,
            store: Arc::new(store),
            queue: Arc::new(queue),
            keeper: tokio::spawn(keeper.run()),
        })
    }

    /// Where jobs are kept.
    pub fn store(&self) -> Arc<dyn JobStore> {
        Arc::clone(&self.store) as _
    }

    /// Where work is handed out.
    pub fn queue(&self) -> Arc<dyn WorkQueue> {
        Arc::clone(&self.queue) as _
    }

    /// Whether the broker answers, now and at every change: a worker that is cut off is not ready.
    pub fn answers(&self) -> watch::Receiver<bool> {
        self.api.link().watch()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}
