//! Jobs of one process, kept in one folder by an embedded database.
//!
//! Everything that must outlive the process is committed to disk before it is acknowledged. Leases need not: no worker
//! outlives the process. How often each chunk was begun is kept, so that an item that ends the process does not do so
//! for ever.

mod file;
mod queue;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod transaction;

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Notify, watch};

pub use file::OpenError;

use crate::{Fault, Ledger, Pins};
use file::File;

/// How long a lease holds without being renewed.
const LEASE: Duration = Duration::from_secs(30);

/// The jobs of a folder. Clones share them.
#[derive(Clone, Debug)]
pub struct Embedded {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    file: File,
    ledger: Mutex<Ledger>,
    /// What the ledger's times count from.
    epoch: Instant,
    /// Somebody may have to look for work again.
    work: Notify,
    /// Grows with every change to results and states.
    news: watch::Sender<u64>,
    /// The workers that asked for work lately: their pins, and when.
    askers: Mutex<HashMap<String, (Vec<Pins>, Instant)>>,
}

impl Embedded {
    /// Opens the jobs in a folder, which is made if it is missing. Only one process can have a folder open.
    ///
    /// # Errors
    /// [`OpenError`] names the folder and what is wrong with it or with what is in it.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::with_lease(folder, LEASE)
    }

    /// The same with leases that hold for another time.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn with_lease(folder: &Path, lease: Duration) -> Result<Self, OpenError> {
        Ok(Self::over(File::open(folder)?, lease))
    }

    fn over(file: File, lease: Duration) -> Self {
        Self {
            shared: Arc::new(Shared {
                file,
                ledger: Mutex::new(Ledger::new(lease)),
                epoch: Instant::now(),
                work: Notify::new(),
                news: watch::Sender::new(0),
                askers: Mutex::default(),
            }),
        }
    }

    /// Does something with the file on a thread that may wait for the disk.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&File) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let shared = self.shared.clone();
        tokio::task::spawn_blocking(move || work(&shared.file))
            .await
            .unwrap_or_else(|_| Err(Fault::Failed("the store failed".to_owned())))
    }
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn tell_news(&self) {
        self.news.send_modify(|count| *count += 1);
    }
}
