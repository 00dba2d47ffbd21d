//! Jobs, manifests and results in JetStream.
//!
//! A job is one key in the bucket of jobs. Its manifest and its results are in a bucket of their own: first the
//! manifest's messages, then a key for each item, each written once. So the number of results is the number of messages
//! behind the manifest, a result's place in the order of results is its sequence number, and all of it goes when its
//! stream goes.

use std::time::{Duration, SystemTime};

use async_nats::{HeaderMap, jetstream::stream};
use bytes::Bytes;
use futures_util::{
    FutureExt as _, StreamExt as _, TryStreamExt as _,
    future::{ready, try_join},
};
use prost::Message as _;
use tabiya_api::v1::stream_results_response::Outcome;

use super::{
    api::Api,
    bucket::{AT_ONCE, Bucket},
    entrance,
    errors::{ERROR_HEADER, Errors},
    faults, manifest, names,
    record::{self, End, Kept, Record},
};
use crate::{Fault, Item, Job, JobId, JobStore, NewJob, Page, Progress, Row, Span};

/// Longest wait for a change.
const WATCH: Duration = Duration::from_secs(1);

/// After a change, more are waited for: readers take them together.
const GATHER: Duration = Duration::from_millis(50);

/// Spans up to this length are looked at item by item; for longer ones the whole list of results is fetched.
const FEW: u32 = 64;

/// Keeps jobs in JetStream.
#[derive(Clone, Debug)]
pub(super) struct Store {
    api: Api,
    jobs: Bucket,
    errors: Errors,
    replicas: usize,
}

impl Store {
    pub(super) fn new(api: &Api, replicas: usize) -> Self {
        Self {
            api: api.clone(),
            jobs: Bucket::new(api, names::JOBS),
            errors: Errors::new(api),
            replicas,
        }
    }

    /// Makes what it is kept in.
    pub(super) async fn make(&self) -> Result<(), Fault> {
        self.jobs.make(self.replicas).await?;
        self.errors.make(self.replicas).await
    }

    pub(super) fn errors(&self) -> &Errors {
        &self.errors
    }

    pub(super) fn jobs(&self) -> &Bucket {
        &self.jobs
    }

    /// The record of a job that has to be there.
    async fn record(&self, id: &JobId) -> Result<Record, Fault> {
        let kept = record::of(&self.jobs, id).await?;
        Ok(kept.ok_or_else(|| Fault::Failed(format!("no job {id}")))?.record)
    }

    /// The state of the bucket with a job's results.
    async fn results_state(&self, record: &Record) -> Result<stream::State, Fault> {
        let stream = names::stream_of(&record.bucket);
        let info = self.api.stream(&stream).await?;
        Ok(info
            .ok_or_else(|| Fault::Damaged(format!("no stream {stream} for the results of a job")))?
            .state)
    }

    /// How far a job is; its end is recorded if nobody has done that yet.
    async fn progress(&self, kept: &Kept) -> Result<Progress, Fault> {
        if let Some(progress) = kept.record.ended() {
            return Ok(progress);
        }
        let (state, errors) = try_join(
            self.results_state(&kept.record),
            self.errors.announced(&kept.record.bucket),
        )
        .await?;
        let progress = progress_of(&kept.record, &state, errors);
        if progress.results < kept.record.job()?.items {
            return Ok(progress);
        }
        let complete = Progress {
            errors: self.errors.stored(&kept.record.bucket).await?,
            end_time: Some(SystemTime::now().into()),
            ..progress
        };
        self.end(kept, complete, state.last_sequence).await
    }

    /// How far a job is; `None` if it has just been deleted.
    async fn standing(&self, kept: &Kept) -> Result<Option<Progress>, Fault> {
        match self.progress(kept).await {
            Err(Fault::Damaged(_)) if self.is_gone(kept).await? => Ok(None),
            progress => progress.map(Some),
        }
    }

    /// How far a job of several is; `None` if it has just been deleted, or is damaged: that is no reason to tell nothing
    /// about the others.
    async fn standing_of_one(&self, kept: &Kept) -> Result<Option<Progress>, Fault> {
        match self.standing(kept).await {
            Err(fault @ Fault::Damaged(_)) => {
                let job = kept.record.job.as_ref().map_or("", |job| &job.job_id);
                tracing::error!(job, %fault, "a job is left aside; cancel it, and it is removed in time");
                Ok(None)
            }
            standing => standing,
        }
    }

    /// Whether this job, not a later one of the same name, has been deleted.
    async fn is_gone(&self, kept: &Kept) -> Result<bool, Fault> {
        let id = kept
            .record
            .job()?
            .id()
            .map_err(|reason| Fault::Damaged(reason.to_owned()))?;
        let now = record::of(&self.jobs, &id).await?;
        Ok(now.is_none_or(|now| now.record.bucket != kept.record.bucket))
    }

    /// Records a job's end, unless somebody has recorded another one, and tells which holds.
    async fn end(&self, kept: &Kept, progress: Progress, last: u64) -> Result<Progress, Fault> {
        let job = kept.record.job()?;
        let id = job.id().map_err(|reason| Fault::Damaged(reason.to_owned()))?;
        let record = Record {
            end: Some(End {
                progress: Some(progress.clone()),
                last,
            }),
            ..kept.record.clone()
        };
        let key = names::job_key(&id);
        if self
            .jobs
            .update(&key, record.encoded(), kept.revision)
            .await?
            .is_some()
        {
            return Ok(progress);
        }
        let now = record::of(&self.jobs, &id).await?;
        Ok(now.and_then(|kept| kept.record.ended()).unwrap_or(progress))
    }

    /// Stores one result, if its item has none.
    async fn put_row(&self, bucket: &Bucket, results: &str, row: Row) -> Result<(), Fault> {
        let index = row.index;
        let is_error = matches!(row.outcome, Some(Outcome::Error(_)));
        let mut headers = HeaderMap::new();
        if is_error {
            self.errors.announce(results, index).await?;
            headers.insert(ERROR_HEADER, "1");
        }
        let value = Bytes::from(
            Row {
                cursor: String::new(),
                ..row
            }
            .encode_to_vec(),
        );
        let stored = bucket.write(&names::item_key(index), headers, value, 0).await?;
        if stored.is_none() && is_error {
            self.errors.reconsider(results, index).await?;
        }
        Ok(())
    }
}

/// How far a running job is.
fn progress_of(record: &Record, state: &stream::State, errors: u32) -> Progress {
    let results = state.messages.saturating_sub(record.manifest_messages());
    let results = u32::try_from(results).unwrap_or(u32::MAX);
    Progress {
        results,
        errors: errors.min(results),
        ..Progress::default()
    }
}

/// Newest first.
fn by_age(a: &Record, b: &Record) -> std::cmp::Ordering {
    order(b).cmp(&order(a))
}

/// When a job was submitted, and its name.
fn order(record: &Record) -> (i64, i32, &str) {
    let Ok(job) = record.job() else { return (0, 0, "") };
    let time = job.create_time.as_ref();
    let (seconds, nanos) = time.map_or((0, 0), |time| (time.seconds, time.nanos));
    (seconds, nanos, &job.job_id)
}

/// What a page that ends with this job hands out for the next one.
fn token(record: &Record) -> String {
    let (seconds, nanos, id) = order(record);
    format!("{seconds}.{nanos}.{id}")
}

fn read_token(token: &str) -> Option<(i64, i32, &str)> {
    let mut parts = token.splitn(3, '.');
    Some((
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?,
    ))
}

/// Names the bucket too: no other job's cursor is taken for this one's.
fn cursor(record: &Record, sequence: u64) -> String {
    format!("{}.{sequence}", record.bucket)
}

/// The sequence number behind which a reader goes on.
fn read_cursor(record: &Record, cursor: &str) -> Option<u64> {
    let start = record.manifest_messages();
    if cursor.is_empty() {
        return Some(start);
    }
    let (bucket, sequence) = cursor.rsplit_once('.')?;
    let sequence: u64 = sequence.parse().ok()?;
    (bucket == record.bucket && sequence > start).then_some(sequence)
}

#[async_trait::async_trait]
impl JobStore for Store {
    async fn create(&self, new: NewJob) -> Result<Job, Fault> {
        let id = new.job.id().map_err(|reason| Fault::Failed(reason.to_owned()))?;
        if let Some(kept) = record::of(&self.jobs, &id).await? {
            return kept.record.into_job();
        }
        entrance::look(&self.jobs, &new).await?;
        // Of several attempts at once, each with a bucket of its own, one will be named by the record.
        let bucket = Bucket::new(&self.api, &names::job_bucket(&id, names::random()));
        let created = async {
            bucket.make(self.replicas).await?;
            let parts = manifest::write(&bucket, self.api.max_payload(), &new.blocks).await?;
            entrance::enter(&self.jobs, &new, bucket.name()).await?;
            let record = Record::new(new.job, bucket.name().to_owned(), parts);
            let stored = self.jobs.create(&names::job_key(&id), record.encoded()).await?;
            Ok::<_, Fault>((stored, record))
        };
        match created.await {
            Ok((Some(_), record)) => record.into_job(),
            Ok((None, _)) => {
                self.api.delete_stream(bucket.stream()).await?;
                self.record(&id).await?.into_job()
            }
            // The record may have been stored although nobody said so: whether the bucket is somebody's shows later.
            Err(fault @ Fault::Unavailable(_)) => Err(fault),
            Err(fault) => {
                self.api.delete_stream(bucket.stream()).await?;
                Err(fault)
            }
        }
    }

    async fn get(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        let Some(kept) = record::of(&self.jobs, id).await? else {
            return Ok(None);
        };
        let Some(progress) = self.standing(&kept).await? else {
            return Ok(None);
        };
        Ok(Some((kept.record.into_job()?, progress)))
    }

    async fn list(&self, token: &str, limit: usize) -> Result<Option<Page>, Fault> {
        let mut all = record::all(&self.jobs).await?;
        all.sort_by(|a, b| by_age(&a.record, &b.record));
        if !token.is_empty() {
            let Some(after) = read_token(token) else {
                return Ok(None);
            };
            all.retain(|kept| order(&kept.record) < after);
        }
        let is_last = all.len() <= limit;
        all.truncate(limit);
        let next = match all.last() {
            Some(last) if !is_last => self::token(&last.record),
            _ => String::new(),
        };
        let mut jobs = Vec::with_capacity(all.len());
        for kept in all {
            if let Some(progress) = self.standing_of_one(&kept).await? {
                jobs.push((kept.record.into_job()?, progress));
            }
        }
        Ok(Some(Page { jobs, next }))
    }

    async fn running(&self) -> Result<Vec<(Job, Progress)>, Fault> {
        let mut all = record::all(&self.jobs).await?;
        all.retain(|kept| kept.record.end.is_none());
        all.sort_by(|a, b| by_age(&b.record, &a.record));
        let mut running = Vec::with_capacity(all.len());
        for kept in all {
            let progress = self.standing_of_one(&kept).await?;
            let job = kept.record.into_job()?;
            if let Some(progress) = progress
                && progress.is_running(job.items)
            {
                running.push((job, progress));
            }
        }
        Ok(running)
    }

    async fn unended(&self) -> Result<Vec<Job>, Fault> {
        let mut all = record::all(&self.jobs).await?;
        all.retain(|kept| kept.record.end.is_none());
        all.into_iter().map(|kept| kept.record.into_job()).collect()
    }

    async fn cancel(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        let Some(kept) = record::of(&self.jobs, id).await? else {
            return Ok(None);
        };
        let mut progress = match self.progress(&kept).await {
            // Its results are gone; that must not keep it from being cancelled.
            Err(Fault::Damaged(_)) => {
                let nothing = Progress {
                    cancelled: true,
                    end_time: Some(SystemTime::now().into()),
                    ..Progress::default()
                };
                self.end(&kept, nothing, 0).await?
            }
            progress => progress?,
        };
        if progress.is_running(kept.record.job()?.items) {
            let state = self.results_state(&kept.record).await?;
            let so_far = Progress {
                cancelled: true,
                errors: self.errors.stored(&kept.record.bucket).await?,
                end_time: Some(SystemTime::now().into()),
                ..progress_of(&kept.record, &state, u32::MAX)
            };
            progress = self.end(&kept, so_far, state.last_sequence).await?;
        }
        Ok(Some((kept.record.into_job()?, progress)))
    }

    async fn items(&self, id: &JobId, span: Span) -> Result<Vec<Item>, Fault> {
        let record = self.record(id).await?;
        manifest::read(&self.api, &record, span).await
    }

    async fn missing(&self, id: &JobId, span: Span) -> Result<Vec<u32>, Fault> {
        let record = self.record(id).await?;
        let stream = names::stream_of(&record.bucket);
        if span.count <= FEW {
            let (bucket, stream) = (&record.bucket, &stream);
            let without = |index: u32| async move {
                let subject = names::key(bucket, &names::item_key(index));
                let row = self.api.last_message(stream, &subject).await?;
                Ok::<_, Fault>(row.is_none().then_some(index))
            };
            return futures_util::stream::iter(span.places())
                .map(without)
                .buffered(AT_ONCE)
                .try_filter_map(|index| ready(Ok(index)))
                .try_collect()
                .await;
        }
        let filter = names::key(&record.bucket, "item.*");
        let subjects = self.api.subjects(&stream, &filter).await?;
        let subjects =
            subjects.ok_or_else(|| Fault::Damaged(format!("no stream {stream} for the results of a job")))?;
        let stored: std::collections::HashSet<u32> = subjects
            .iter()
            .filter_map(|subject| names::read_item(subject))
            .collect();
        Ok(span.places().filter(|index| !stored.contains(index)).collect())
    }

    async fn put(&self, id: &JobId, rows: Vec<Row>) -> Result<Option<Progress>, Fault> {
        let Some(kept) = record::of(&self.jobs, id).await? else {
            return Ok(None);
        };
        if let Some(progress) = kept.record.ended() {
            return Ok(Some(progress));
        }
        let results = &kept.record.bucket;
        let bucket = Bucket::new(&self.api, results);
        let stored = futures_util::stream::iter(rows)
            .map(|row| self.put_row(&bucket, results, row))
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await;
        match stored {
            Ok(()) => self.standing(&kept).await,
            Err(Fault::Failed(_)) if self.is_gone(&kept).await? => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn results(&self, id: &JobId, after: &str, limit: usize) -> Result<Option<Vec<Row>>, Fault> {
        let record = self.record(id).await?;
        let Some(after) = read_cursor(&record, after) else {
            return Ok(None);
        };
        let last = match &record.end {
            Some(end) => end.last,
            None => self.results_state(&record).await?.last_sequence,
        };
        let stream = names::stream_of(&record.bucket);
        let (record, stream) = (&record, &stream);
        let row = |sequence: u64| async move {
            let Some(message) = self.api.message(stream, sequence).await? else {
                return Ok(None);
            };
            let row = Row::decode(message.payload)
                .map_err(|error| Fault::Damaged(format!("result {sequence} of job {id}: {error}")))?;
            let cursor = cursor(record, sequence);
            Ok::<_, Fault>(Some(Row { cursor, ..row }))
        };
        futures_util::stream::iter(after + 1..=last)
            .map(row)
            .buffered(AT_ONCE)
            .try_filter_map(|row| ready(Ok(row)))
            .take(limit)
            .try_collect()
            .await
            .map(Some)
    }

    async fn changed(&self, id: &JobId, after: &str) -> Result<(), Fault> {
        let record = self.record(id).await?;
        let Some(after) = read_cursor(&record, after) else {
            return Ok(());
        };
        let client = self.api.context().client();
        // Listening comes first, so that nothing falls between looking and listening.
        let results = names::key(&record.bucket, ">");
        let mut results = client.subscribe(results).await.map_err(faults::away)?;
        let job = names::key(names::JOBS, &names::job_key(id));
        let mut job = client.subscribe(job).await.map_err(faults::away)?;
        client.flush().await.map_err(faults::away)?;
        let now = self.record(id).await?;
        if now.end.is_some() || self.results_state(&record).await?.last_sequence > after {
            return Ok(());
        }
        let heard = futures_util::future::select(results.next().boxed(), job.next().boxed());
        if tokio::time::timeout(WATCH, heard).await.is_ok() {
            tokio::time::sleep(GATHER).await;
        }
        Ok(())
    }

    async fn delete(&self, id: &JobId) -> Result<(), Fault> {
        let Some(kept) = record::of(&self.jobs, id).await? else {
            return Ok(());
        };
        if self.jobs.delete(&names::job_key(id), kept.revision).await? {
            self.api
                .delete_stream(&names::stream_of(&kept.record.bucket))
                .await?;
            self.errors.forget(&kept.record.bucket).await?;
            Ok(())
        } else {
            // It has just ended, or was deleted by somebody else.
            self.delete(id).await
        }
    }
}
