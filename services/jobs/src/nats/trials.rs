//! How often a suspect was begun alone in its process: written before it is begun, so that a process that ends with it has
//! left word.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{
    api::Api,
    bucket::{Bucket, Entry},
    names,
};
use crate::{Fault, JobId, Span};

/// The suspects of all jobs.
#[derive(Clone, Debug)]
pub(super) struct Trials(Bucket);

impl Trials {
    pub(super) fn new(api: &Api) -> Self {
        Self(Bucket::new(api, names::TRIALS))
    }

    /// Makes the bucket.
    pub(super) async fn make(&self, replicas: usize) -> Result<(), Fault> {
        self.0.make(replicas).await
    }

    /// Counts one more trial, and tells how many there were.
    pub(super) async fn begin(&self, job: &JobId, span: Span) -> Result<u32, Fault> {
        let key = names::trial_key(job, span);
        loop {
            let kept = self.0.get(&key).await?;
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
            return self.0.purge(&key).await;
        }
        let kept = self.0.get(&key).await?;
        if let Some(kept) = kept
            && count(&kept) == before.saturating_add(1)
        {
            self.set(&key, before, kept.revision).await?;
        }
        Ok(())
    }

    /// There is no such task any more.
    pub(super) async fn forget(&self, job: &JobId, span: Span) -> Result<(), Fault> {
        self.0.purge(&names::trial_key(job, span)).await
    }

    /// There is no such job any more.
    pub(super) async fn forget_job(&self, job: &JobId) -> Result<(), Fault> {
        self.0.purge(&names::trial_keys(job)).await
    }

    /// The jobs that it has something of.
    pub(super) async fn jobs(&self) -> Result<BTreeSet<JobId>, Fault> {
        let keys = self.0.keys(">").await?;
        Ok(keys.iter().filter_map(|key| names::read_trial_key(key)).collect())
    }

    async fn set(&self, key: &str, count: u32, revision: u64) -> Result<bool, Fault> {
        let value = Bytes::from(count.to_string());
        Ok(self.0.update(key, value, revision).await?.is_some())
    }
}

/// What a key holds.
fn count(kept: &Entry) -> u32 {
    let text = std::str::from_utf8(&kept.value).unwrap_or_default();
    text.parse().unwrap_or(0)
}
