//! How often a suspect was begun alone in its process: written before it is begun, so that a process that ends with it has
//! left word.

use bytes::Bytes;

use super::{
    api::Api,
    bucket::{Bucket, Entry},
    names,
};
use crate::{Fault, JobId, Span};

/// The suspects of all jobs.
#[derive(Clone, Debug)]
pub(super) struct Trials {
    api: Api,
    bucket: Bucket,
}

impl Trials {
    pub(super) fn new(api: &Api) -> Self {
        Self {
            api: api.clone(),
            bucket: Bucket::new(api, names::TRIALS),
        }
    }

    /// Makes the bucket.
    pub(super) async fn make(&self, replicas: usize) -> Result<(), Fault> {
        self.bucket.make(replicas).await
    }

    /// Counts one more trial, and tells how many there were.
    pub(super) async fn begin(&self, job: &JobId, span: Span) -> Result<u32, Fault> {
        let key = names::trial_key(job, span);
        loop {
            let kept = self.bucket.get(&key).await?;
            let before = kept.as_ref().map_or(0, count);
            let revision = kept.map_or(0, |kept| kept.revision);
            // Refused: somebody who has lost his lease was at it, too.
            if self.set(&key, before.saturating_add(1), revision).await? {
                return Ok(before);
            }
        }
    }

    /// The trial came to an end that is no death: it does not count.
    pub(super) async fn acquit(&self, job: &JobId, span: Span, before: u32) -> Result<(), Fault> {
        let key = names::trial_key(job, span);
        if before == 0 {
            return self.forget_key(&key).await;
        }
        let kept = self.bucket.get(&key).await?;
        if let Some(kept) = kept
            && count(&kept) == before.saturating_add(1)
        {
            self.set(&key, before, kept.revision).await?;
        }
        Ok(())
    }

    /// There is no such task any more.
    pub(super) async fn forget(&self, job: &JobId, span: Span) -> Result<(), Fault> {
        self.forget_key(&names::trial_key(job, span)).await
    }

    /// There is no such job any more.
    pub(super) async fn forget_job(&self, job: &JobId) -> Result<(), Fault> {
        self.forget_key(&names::trial_keys(job)).await
    }

    /// The jobs that it has something of.
    pub(super) async fn jobs(&self) -> Result<Vec<JobId>, Fault> {
        let all = names::key(names::TRIALS, ">");
        let subjects = self.api.subjects(self.bucket.stream(), &all).await?;
        let subjects = subjects.unwrap_or_default();
        let mut jobs: Vec<_> = subjects
            .iter()
            .filter_map(|subject| names::read_trial(subject))
            .collect();
        jobs.sort_unstable();
        jobs.dedup();
        Ok(jobs)
    }

    async fn forget_key(&self, key: &str) -> Result<(), Fault> {
        let subject = names::key(names::TRIALS, key);
        self.api.purge(self.bucket.stream(), &subject).await.map(drop)
    }

    async fn set(&self, key: &str, count: u32, revision: u64) -> Result<bool, Fault> {
        let value = Bytes::from(count.to_string());
        Ok(self.bucket.update(key, value, revision).await?.is_some())
    }
}

/// What a key holds.
fn count(kept: &Entry) -> u32 {
    let text = std::str::from_utf8(&kept.value).unwrap_or_default();
    text.parse().unwrap_or(0)
}
