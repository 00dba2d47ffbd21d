//! What has to be looked after from time to time, whoever works.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio::sync::watch;

use crate::{Fault, Job, JobId, JobStore, WorkQueue};

/// How often jobs are looked after.
const ROUND: Duration = Duration::from_secs(30);

/// Jobs of a page while looking for those to remove.
const PAGE: usize = 100;

/// Sends again what is missing and removes jobs that ended long ago.
#[derive(Clone)]
pub struct Coordinator {
    /// What is there.
    pub store: Arc<dyn JobStore>,
    /// Where missing items are sent.
    pub queue: Arc<dyn WorkQueue>,
    /// How long a job stays after its end.
    pub keep: Duration,
}

impl std::fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coordinator")
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

impl Coordinator {
    /// Looks after the jobs until `stop` says true, while `leads` does: at once, and then from time to time. Of several
    /// processes that keep jobs in one place, one leads.
    pub async fn run(&self, mut leads: watch::Receiver<bool>, mut stop: watch::Receiver<bool>) {
        // For each job, how many results it had in the round before.
        let mut before = HashMap::new();
        loop {
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                led = leads.wait_for(|leads| *leads) => if led.is_err() {
                    return;
                },
            }
            if let Err(fault) = self.round(&mut before, SystemTime::now()).await {
                tracing::warn!(%fault, "jobs could not be looked after");
            }
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(ROUND) => {}
            }
        }
    }

    /// One round. A job that got results since the round before is in good hands. Trouble with one job is logged, and the
    /// others are looked after.
    ///
    /// # Errors
    /// If the jobs cannot be listed.
    pub async fn round(&self, before: &mut HashMap<JobId, u32>, now: SystemTime) -> Result<(), Fault> {
        let mut seen = HashMap::new();
        let swept = self.sweep(now).await;
        for (job, progress) in self.store.running().await? {
            let Ok(id) = job.id() else {
                tracing::error!(job = job.job_id, "a job's name is damaged");
                continue;
            };
            if before.get(&id).is_none_or(|&results| results == progress.results) {
                match self.send(&job).await {
                    Ok(()) => {}
                    // It waits for its turn, as it has been waiting.
                    Err(Fault::Full { reason, .. }) => {
                        tracing::debug!(job = %id, reason, "there is no room yet for all of a job");
                    }
                    Err(fault) => tracing::warn!(job = %id, %fault, "a job could not be looked after"),
                }
            }
            seen.insert(id, progress.results);
        }
        *before = seen;
        swept
    }

    /// Sends what has no result.
    ///
    /// # Errors
    /// If the store or the queue cannot be reached, or there is no room in it.
    pub async fn send(&self, job: &Job) -> Result<(), Fault> {
        let Ok(id) = job.id() else {
            return Err(Fault::Damaged(format!("the name {:?} of a job", job.job_id)));
        };
        let Some(whole) = job.whole() else {
            return Ok(());
        };
        let missing = self.store.missing(&id, whole).await?;
        self.queue.ensure(job, &job.chunks_with(&missing)).await
    }

    /// Removes jobs whose time has come.
    async fn sweep(&self, now: SystemTime) -> Result<(), Fault> {
        let mut token = String::new();
        loop {
            let Some(page) = self.store.list(&token, PAGE).await? else {
                return Ok(());
            };
            for (job, progress) in page.jobs {
                let expired = self.expires(&progress).is_some_and(|time| time <= now);
                if expired && let Ok(id) = job.id() {
                    match self.remove(&id).await {
                        Ok(()) => tracing::info!(job = %id, "removed a job that ended long ago"),
                        Err(fault) => tracing::warn!(job = %id, %fault, "a job could not be removed"),
                    }
                }
            }
            if page.next.is_empty() {
                return Ok(());
            }
            token = page.next;
        }
    }

    async fn remove(&self, id: &JobId) -> Result<(), Fault> {
        self.store.delete(id).await?;
        self.queue.forget(id).await
    }

    /// When a job is to be removed; `None` while it runs.
    pub fn expires(&self, progress: &crate::Progress) -> Option<SystemTime> {
        let end: SystemTime = progress.end_time?.try_into().ok()?;
        end.checked_add(self.keep)
    }
}
