//! Keeps the broker tidy: what nobody needs any more goes, and what will never be delivered is put in again.
//!
//! Every process has a keeper, and one of them works: the one that holds a key of the bucket of jobs. Should two work at
//! once, for the key is only as good as its clock, neither does harm: each step asks for what it removes to be as it was
//! seen.

use std::{
    collections::{BTreeMap, HashSet},
    time::{Duration, SystemTime},
};

use super::{
    Settings, advisories::Advisories, api::Api, bucket::Bucket, errors::Errors, leadership::Leadership,
    names, queue::Queue, record, store::Store,
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
    errors: Errors,
    leadership: Leadership,
    rounds: Duration,
}

impl Keeper {
    pub(super) async fn make(
        api: &Api,
        store: &Store,
        queue: &Queue,
        settings: &Settings,
    ) -> Result<Self, Fault> {
        Ok(Self {
            api: api.clone(),
            jobs: store.jobs().clone(),
            queue: queue.clone(),
            advisories: Advisories::make(api, queue).await?,
            errors: store.errors().clone(),
            leadership: Leadership::new(store.jobs(), KEY, &settings.name, settings.rounds),
            rounds: settings.rounds,
        })
    }

    /// Works in rounds, until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            tokio::time::sleep(self.rounds).await;
            let round = async {
                if self.leadership.hold().await? {
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

    async fn round(&self) -> Result<(), Fault> {
        self.advisories.heed().await?;
        self.clear_tasks().await?;
        self.clear_buckets().await?;
        self.clear_errors().await?;
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
        for job in self.queue.trials().jobs().await? {
            tasks.entry(job).or_default();
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

    /// Removes marks of errors whose jobs are gone: left by a removal that was broken off, or by a writer that came late.
    async fn clear_errors(&self) -> Result<(), Fault> {
        // The marks first: a job is there before its first result.
        let marked = self.errors.buckets().await?;
        if marked.is_empty() {
            return Ok(());
        }
        let named = self.named().await?;
        for bucket in marked.iter().filter(|bucket| !named.contains(*bucket)) {
            tracing::info!(bucket, "marks of errors of no job are removed");
            self.errors.forget(bucket).await?;
        }
        Ok(())
    }

    /// The buckets of all jobs.
    async fn named(&self) -> Result<HashSet<String>, Fault> {
        let all = record::all(&self.jobs).await?;
        Ok(all.into_iter().map(|kept| kept.record.bucket).collect())
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
        let named = self.named().await?;
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
