//! Keeps the broker tidy: what nobody needs any more goes, and what will never be delivered is put in again.
//!
//! Every process has a keeper, and one of them works: the one that holds a key of the bucket of jobs. Should two work at
//! once, for the key is only as good as its clock, neither does harm: each step asks for what it removes to be as it was
//! seen.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use super::{
    Settings, advisories::Advisories, api::Api, bucket::Bucket, names, queue::Queue, record, store::Store,
};
use crate::{Fault, JobId};

/// The key that the working keeper holds.
const KEY: &str = "keeper";

/// A bucket that no record names is somebody's who is about to store a job, or a leftover if it is older than this.
const LEFTOVER: Duration = Duration::from_secs(3600);

/// One process's keeper.
pub(super) struct Keeper {
    api: Api,
    jobs: Bucket,
    queue: Queue,
    advisories: Advisories,
    settings: Arc<Settings>,
    /// What the key held when it was seen last, and since when.
    seen: Option<(u64, Instant)>,
    /// The revision under which we hold it.
    held: Option<u64>,
}

impl Keeper {
    pub(super) async fn make(
        api: &Api,
        store: &Store,
        queue: &Queue,
        settings: &Arc<Settings>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            api: api.clone(),
            jobs: store.jobs().clone(),
            queue: queue.clone(),
            advisories: Advisories::make(api, queue).await?,
            settings: Arc::clone(settings),
            seen: None,
            held: None,
        })
    }

    /// Works in rounds, until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            tokio::time::sleep(self.settings.rounds).await;
            let round = async {
                if self.leads().await? {
                    self.round().await?;
                }
                Ok::<_, Fault>(())
            };
            match round.await {
                Ok(()) => {}
                // The connection has said so.
                Err(Fault::Unavailable(reason)) => {
                    tracing::debug!(reason, "a round of the keeper was broken off")
                }
                Err(fault) => tracing::warn!(%fault, "a round of the keeper was broken off"),
            }
        }
    }

    /// Whether this keeper is the one that works.
    async fn leads(&mut self) -> Result<bool, Fault> {
        let name = bytes::Bytes::from(self.settings.name.clone());
        if let Some(revision) = self.held.take() {
            self.held = self.jobs.update(KEY, name, revision).await?;
            return Ok(self.held.is_some());
        }
        let revision = self.jobs.get(KEY).await?.map_or(0, |entry| entry.revision);
        let now = Instant::now();
        match self.seen {
            // Held by one that is alive.
            Some((before, _)) if before != revision => self.seen = Some((revision, now)),
            Some((_, since)) if now.duration_since(since) > self.settings.rounds * 3 => {
                self.held = self.jobs.update(KEY, name, revision).await?;
            }
            Some(_) => {}
            None if revision == 0 => self.held = self.jobs.update(KEY, name, 0).await?,
            None => self.seen = Some((revision, now)),
        }
        Ok(self.held.is_some())
    }

    async fn round(&self) -> Result<(), Fault> {
        self.advisories.heed().await?;
        self.clear_tasks().await?;
        self.clear_buckets().await?;
        self.jobs.forget_marks(names::JOB_KEYS).await
    }

    /// Takes tasks off whose jobs have ended: among them what reappeared when a server died.
    async fn clear_tasks(&self) -> Result<(), Fault> {
        let subjects = self
            .api
            .subjects(names::QUEUE, names::TASKS)
            .await?
            .unwrap_or_default();
        let mut tasks: BTreeMap<JobId, usize> = BTreeMap::new();
        for (_, job, _) in subjects.iter().filter_map(|subject| names::read_task(subject)) {
            *tasks.entry(job).or_default() += 1;
        }
        for (job, count) in tasks {
            let kept = record::of(&self.jobs, &job).await?;
            if kept.is_none_or(|kept| kept.record.end.is_some()) {
                tracing::info!(%job, count, "tasks of a job that has ended are taken off the queue");
                crate::WorkQueue::forget(&self.queue, &job).await?;
            }
        }
        Ok(())
    }

    /// Removes what was left by attempts at storing a job that came to nothing, and by removals that were broken off.
    async fn clear_buckets(&self) -> Result<(), Fault> {
        let streams = self.api.stream_names().await?;
        let buckets: Vec<&str> = streams
            .iter()
            .filter_map(|stream| Some(names::job_of_stream(stream)?.0))
            .collect();
        if buckets.is_empty() {
            return Ok(());
        }
        let named: HashSet<String> = record::all(&self.jobs)
            .await?
            .into_iter()
            .map(|kept| kept.record.bucket)
            .collect();
        for bucket in buckets {
            if named.contains(bucket) {
                continue;
            }
            let stream = names::stream_of(bucket);
            let Some(info) = self.api.stream(&stream).await? else {
                continue;
            };
            if SystemTime::from(info.created) + LEFTOVER < SystemTime::now() {
                tracing::info!(bucket, "a bucket of no job is removed");
                self.api.delete_stream(&stream).await?;
            }
        }
        Ok(())
    }
}
