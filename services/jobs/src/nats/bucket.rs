//! A key-value bucket, made by hand: the client library's own way of making one needs an answer about the account that a
//! 2.9 server gives in another shape. What is in it is laid out as every NATS tool expects.

use std::time::Duration;

use async_nats::{
    HeaderMap,
    jetstream::stream::{Config, DiscardPolicy, StorageType},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, future::ready, stream};

use super::{
    api::{Api, Published},
    names, streams,
};
use crate::Fault;

/// Requests that are under way at once where many keys are read.
pub(super) const AT_ONCE: usize = 32;

const OPERATION: &str = "KV-Operation";

/// How long a mark of deletion stays: longer than any server takes to make it durable.
const MARK_AGE: Duration = Duration::from_secs(3600);

/// Keys and values with revisions.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    api: Api,
    name: String,
    stream: String,
}

/// A key's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) value: Bytes,
    pub(super) revision: u64,
}

impl Bucket {
    /// The bucket of this name, which is or will be there.
    pub(super) fn new(api: &Api, name: &str) -> Self {
        Self {
            api: api.clone(),
            name: name.to_owned(),
            stream: names::stream_of(name),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The stream behind it.
    pub(super) fn stream(&self) -> &str {
        &self.stream
    }

    /// Makes it, or finds the one that is there.
    ///
    /// # Errors
    /// If it is there with settings of another meaning.
    pub(super) async fn make(&self, replicas: usize) -> Result<(), Fault> {
        let config = Config {
            name: self.stream.clone(),
            subjects: vec![names::key(&self.name, ">")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            storage: StorageType::File,
            num_replicas: replicas,
            allow_rollup: true,
            deny_delete: false,
            allow_direct: true,
            ..Config::default()
        };
        streams::make(&self.api, &config).await
    }

    /// The value of a key.
    pub(super) async fn get(&self, key: &str) -> Result<Option<Entry>, Fault> {
        let entry = self.last(key).await?;
        Ok(entry.and_then(|(entry, is_mark)| (!is_mark).then_some(entry)))
    }

    /// Sets a key that has no value, and tells its revision; `None` if it has one, which stays.
    pub(super) async fn create(&self, key: &str, value: Bytes) -> Result<Option<u64>, Fault> {
        if let Some(revision) = self.update(key, value.clone(), 0).await? {
            return Ok(Some(revision));
        }
        match self.last(key).await? {
            // Deleted: its mark is replaced.
            Some((mark, true)) => self.update(key, value, mark.revision).await,
            _ => Ok(None),
        }
    }

    /// Sets a key whose value has this revision, and tells the new one; `None` if it has another one by now.
    pub(super) async fn update(&self, key: &str, value: Bytes, revision: u64) -> Result<Option<u64>, Fault> {
        self.write(key, HeaderMap::new(), value, revision).await
    }

    /// Sets a key as [`Bucket::update`] does, with headers.
    pub(super) async fn write(
        &self,
        key: &str,
        headers: HeaderMap,
        value: Bytes,
        revision: u64,
    ) -> Result<Option<u64>, Fault> {
        let subject = names::key(&self.name, key);
        Ok(match self.api.publish(subject, headers, value, revision).await? {
            Published::At(revision) => Some(revision),
            Published::Refused => None,
        })
    }

    /// Deletes a key whose value has this revision; `false` if it has another one by now.
    pub(super) async fn delete(&self, key: &str, revision: u64) -> Result<bool, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert(OPERATION, "DEL");
        Ok(self.write(key, headers, Bytes::new(), revision).await?.is_some())
    }

    /// The keys that match a filter, in no order, those that were deleted and have left a mark among them.
    pub(super) async fn keys(&self, filter: &str) -> Result<Vec<String>, Fault> {
        let subjects = self
            .api
            .subjects(&self.stream, &names::key(&self.name, filter))
            .await?
            .unwrap_or_default();
        let before = names::key(&self.name, "");
        let keys = subjects
            .iter()
            .filter_map(|subject| subject.strip_prefix(&before));
        Ok(keys.map(str::to_owned).collect())
    }

    /// Removes the keys that match a filter, and leaves no marks.
    pub(super) async fn purge(&self, filter: &str) -> Result<(), Fault> {
        let subject = names::key(&self.name, filter);
        self.api.purge(&self.stream, &subject).await.map(drop)
    }

    /// All values whose keys match a filter, in no order.
    pub(super) async fn values(&self, filter: &str) -> Result<Vec<Entry>, Fault> {
        let read = |key: String| async move { self.last(&key).await };
        stream::iter(self.keys(filter).await?)
            .map(read)
            .buffer_unordered(AT_ONCE)
            .try_filter_map(|found| ready(Ok(found.and_then(|(entry, is_mark)| (!is_mark).then_some(entry)))))
            .try_collect()
            .await
    }

    /// Removes the marks of what was deleted long ago.
    pub(super) async fn forget_marks(&self, filter: &str) -> Result<(), Fault> {
        let subjects = self
            .api
            .subjects(&self.stream, &names::key(&self.name, filter))
            .await?;
        for subject in subjects.unwrap_or_default() {
            if let Some(message) = self.api.last_message(&self.stream, &subject).await?
                && message.headers.get(OPERATION).is_some()
                && std::time::SystemTime::from(message.time) + MARK_AGE < std::time::SystemTime::now()
            {
                self.api.delete_message(&self.stream, message.sequence).await?;
            }
        }
        Ok(())
    }

    /// A key's last message, and whether it is the mark of a deletion.
    async fn last(&self, key: &str) -> Result<Option<(Entry, bool)>, Fault> {
        let subject = names::key(&self.name, key);
        let message = self.api.last_message(&self.stream, &subject).await?;
        Ok(message.map(|message| {
            let is_mark = message.headers.get(OPERATION).is_some();
            let entry = Entry {
                value: message.payload,
                revision: message.sequence,
            };
            (entry, is_mark)
        }))
    }
}
