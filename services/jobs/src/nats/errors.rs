//! Which results of a job are errors: a key for each in a bucket of their own, so that counting them does not go through
//! all results.
//!
//! The key is written before the result, so that no error is without one. A key without an error, left by a writer that
//! died between the two, counts until the job ends; then each is looked up.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, future::ready, stream};

use super::{
    api::Api,
    bucket::{AT_ONCE, Bucket},
    names,
};
use crate::Fault;

/// Header of results that are errors.
pub(super) const ERROR_HEADER: &str = "Tabiya-Error";

/// The errors of all jobs.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    api: Api,
    bucket: Bucket,
}

impl Errors {
    pub(super) fn new(api: &Api) -> Self {
        Self {
            api: api.clone(),
            bucket: Bucket::new(api, names::ERRORS),
        }
    }

    /// Makes the bucket.
    pub(super) async fn make(&self, replicas: usize) -> Result<(), Fault> {
        self.bucket.make(replicas).await
    }

    /// An error is about to be stored for this item.
    pub(super) async fn announce(&self, results: &str, index: u32) -> Result<(), Fault> {
        // Refused: somebody has announced it already.
        self.bucket
            .update(&names::error_key(results, index), Bytes::new(), 0)
            .await?;
        Ok(())
    }

    /// The item had a result already: an error of its own, or none.
    pub(super) async fn reconsider(&self, results: &str, index: u32) -> Result<(), Fault> {
        if !self.is_error(results, index).await? {
            self.bucket.purge(&names::error_key(results, index)).await?;
        }
        Ok(())
    }

    /// Number of errors, without looking them up.
    pub(super) async fn announced(&self, results: &str) -> Result<u32, Fault> {
        let count = self.indices(results).await?.len();
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Number of errors, each looked up.
    pub(super) async fn stored(&self, results: &str) -> Result<u32, Fault> {
        let indices = self.indices(results).await?;
        stream::iter(indices)
            .map(|index| self.is_error(results, index))
            .buffer_unordered(AT_ONCE)
            .try_fold(0, |count, is_error| ready(Ok(count + u32::from(is_error))))
            .await
    }

    /// The job is gone.
    pub(super) async fn forget(&self, results: &str) -> Result<(), Fault> {
        self.bucket.purge(&names::error_keys(results)).await
    }

    /// The buckets that have marks.
    pub(super) async fn buckets(&self) -> Result<BTreeSet<String>, Fault> {
        let keys = self.bucket.keys(">").await?;
        let bucket = |key: &String| Some(names::read_error_key(key)?.0.to_owned());
        Ok(keys.iter().filter_map(bucket).collect())
    }

    async fn indices(&self, results: &str) -> Result<Vec<u32>, Fault> {
        let keys = self.bucket.keys(&names::error_keys(results)).await?;
        let index = |key: &String| Some(names::read_error_key(key)?.1);
        Ok(keys.iter().filter_map(index).collect())
    }

    async fn is_error(&self, results: &str, index: u32) -> Result<bool, Fault> {
        let subject = names::key(results, &names::item_key(index));
        let row = self
            .api
            .last_message(&names::stream_of(results), &subject)
            .await?;
        Ok(row.is_some_and(|row| row.headers.get(ERROR_HEADER).is_some()))
    }
}
