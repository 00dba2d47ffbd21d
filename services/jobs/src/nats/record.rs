//! What is kept about a job, under one key, so that whatever happens to it happens at once.

use bytes::Bytes;
use prost::Message as _;

use super::{
    bucket::{Bucket, Entry},
    names,
};
use crate::{Fault, Job, JobId, Progress};

/// A job as it stands in the bucket of jobs.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Record {
    /// The job.
    #[prost(message, optional, tag = "1")]
    pub(super) job: Option<Job>,
    /// The bucket with its manifest and its results.
    #[prost(string, tag = "2")]
    pub(super) bucket: String,
    /// For each block of the manifest the number of messages that it is in. They are the first in the bucket's stream.
    #[prost(uint32, repeated, tag = "3")]
    pub(super) parts: Vec<u32>,
    /// How it ended, if it has.
    #[prost(message, optional, tag = "4")]
    pub(super) end: Option<End>,
}

/// The end of a job.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct End {
    /// How far it was.
    #[prost(message, optional, tag = "1")]
    pub(super) progress: Option<Progress>,
    /// The last message of the bucket's stream that counts: results of a cancelled job may still arrive behind it.
    #[prost(uint64, tag = "2")]
    pub(super) last: u64,
}

/// A record with the revision that a change of it has to name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) record: Record,
    pub(super) revision: u64,
}

impl Record {
    pub(super) fn new(job: Job, bucket: String, parts: Vec<u32>) -> Self {
        Self {
            job: Some(job),
            bucket,
            parts,
            end: None,
        }
    }

    pub(super) fn encoded(&self) -> Bytes {
        self.encode_to_vec().into()
    }

    /// The job.
    pub(super) fn job(&self) -> Result<&Job, Fault> {
        self.job
            .as_ref()
            .ok_or_else(|| Fault::Damaged("a record without its job".to_owned()))
    }

    pub(super) fn into_job(self) -> Result<Job, Fault> {
        self.job().cloned()
    }

    /// Number of messages that the manifest is in.
    pub(super) fn manifest_messages(&self) -> u64 {
        self.parts.iter().copied().map(u64::from).sum()
    }

    /// How far the job was when it ended.
    pub(super) fn ended(&self) -> Option<Progress> {
        self.end
            .as_ref()
            .map(|end| end.progress.clone().unwrap_or_default())
    }
}

/// Reads a record.
pub(super) fn read(entry: &Entry) -> Result<Kept, Fault> {
    let record = Record::decode(entry.value.clone())
        .map_err(|error| Fault::Damaged(format!("the record of a job: {error}")))?;
    Ok(Kept {
        record,
        revision: entry.revision,
    })
}

/// The record of a job.
pub(super) async fn of(jobs: &Bucket, id: &JobId) -> Result<Option<Kept>, Fault> {
    let entry = jobs.get(&names::job_key(id)).await?;
    entry.as_ref().map(read).transpose()
}

/// All records, in no order. One that cannot be read is as if it were not there: it says nothing, not even whose it is.
pub(super) async fn all(jobs: &Bucket) -> Result<Vec<Kept>, Fault> {
    let entries = jobs.values(names::JOB_KEYS).await?;
    let mut all = Vec::with_capacity(entries.len());
    for entry in &entries {
        match read(entry).and_then(|kept| kept.record.job().map(drop).map(|()| kept)) {
            Ok(kept) => all.push(kept),
            Err(fault) => {
                tracing::error!(revision = entry.revision, %fault, "the record of a job is left aside")
            }
        }
    }
    Ok(all)
}
