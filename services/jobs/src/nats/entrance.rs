//! Letting jobs in, one after the other, whichever server they come to: a quota that is checked before a job is stored
//! would let in as many jobs at once as there are servers.
//!
//! One key lists the jobs that are about to be stored. Whoever adds his has counted them with those that are stored, and
//! the key's revision says that nobody else has added one meanwhile.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime},
};

use prost::Message as _;

use super::{
    bucket::Bucket,
    record::{self, Record},
};
use crate::{Fault, Job, NewJob};

/// The key, in the bucket of jobs.
const KEY: &str = "admission";

/// A job that was let in and is not stored after this long never will be.
const PATIENCE: Duration = Duration::from_secs(60);

/// Times that somebody else may come first.
const ATTEMPTS: usize = 1000;

/// What the key holds.
#[derive(Clone, PartialEq, prost::Message)]
struct Waiting {
    #[prost(message, repeated, tag = "1")]
    records: Vec<Record>,
}

/// Looks whether a job would be let in, before any work is put into it.
pub(super) async fn look(jobs: &Bucket, new: &NewJob) -> Result<(), Fault> {
    let (waiting, _) = waiting(jobs).await?;
    judge(&record::all(jobs).await?, &waiting, new)
}

/// Lets a job in that will be stored with this bucket, now.
pub(super) async fn enter(jobs: &Bucket, new: &NewJob, bucket: &str) -> Result<(), Fault> {
    for _ in 0..ATTEMPTS {
        // The key first: what leaves it later is stored by then.
        let (mut waiting, revision) = waiting(jobs).await?;
        let stored = record::all(jobs).await?;
        judge(&stored, &waiting, new)?;
        let named: HashSet<&str> = stored.iter().map(|kept| kept.record.bucket.as_str()).collect();
        waiting.retain(|record| !named.contains(record.bucket.as_str()));
        let job = Job {
            chunk_lens: Vec::new(),
            create_time: Some(SystemTime::now().into()),
            ..new.job.clone()
        };
        waiting.push(Record::new(job, bucket.to_owned(), Vec::new()));
        let value = Waiting { records: waiting }.encode_to_vec();
        if jobs.update(KEY, value.into(), revision).await?.is_some() {
            return Ok(());
        }
    }
    Err(Fault::Unavailable(
        "too many jobs are submitted at once".to_owned(),
    ))
}

/// The jobs that may be about to be stored, and the key's revision.
async fn waiting(jobs: &Bucket) -> Result<(Vec<Record>, u64), Fault> {
    let Some(entry) = jobs.get(KEY).await? else {
        return Ok((Vec::new(), 0));
    };
    // What cannot be read is somebody else's: it counts for nothing and is replaced.
    let mut waiting = Waiting::decode(entry.value).unwrap_or_default().records;
    let now = SystemTime::now();
    let is_recent = |record: &Record| {
        let time = record.job.as_ref().and_then(|job| job.create_time);
        let time = time.and_then(|time| SystemTime::try_from(time).ok());
        time.is_some_and(|time| time + PATIENCE > now)
    };
    waiting.retain(is_recent);
    Ok((waiting, entry.revision))
}

/// Counts a job with those that are stored and those that will be.
fn judge(stored: &[record::Kept], waiting: &[Record], new: &NewJob) -> Result<(), Fault> {
    let named: HashSet<&str> = stored.iter().map(|kept| kept.record.bucket.as_str()).collect();
    let stored = stored
        .iter()
        .map(|kept| &kept.record)
        .filter(|record| record.end.is_none());
    let waiting = waiting
        .iter()
        .filter(|record| !named.contains(record.bucket.as_str()));
    let others = stored
        .chain(waiting)
        .filter_map(|record| record.job.as_ref())
        // Somebody else who submits the same job: one of the two will be stored.
        .filter(|job| job.job_id != new.job.job_id);
    new.quotas.admit(others, &new.job)
}
