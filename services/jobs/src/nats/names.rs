//! What streams, consumers, subjects and keys are called.

use crate::{Job, JobId, Pins, Span, WorkerInfo};

/// The work queue.
pub(super) const QUEUE: &str = "TABIYA_JOBS";

/// What is in the queue.
pub(super) const TASKS: &str = "tabiya.jobs.>";

/// What the broker tells about tasks that it delivers no more.
pub(super) const ADVISORIES: &str = "TABIYA_ADVISORIES";

/// The subjects of those: tasks that were delivered as often as they may be, and tasks that a worker has refused.
pub(super) fn advisories() -> Vec<String> {
    ["MAX_DELIVERIES", "MSG_TERMINATED"]
        .map(|kind| format!("$JS.EVENT.ADVISORY.CONSUMER.{kind}.{QUEUE}.>"))
        .to_vec()
}

/// Key-value bucket with a record for each job.
pub(super) const JOBS: &str = "tabiya_jobs";

/// Key-value bucket with a key for each result that is an error.
pub(super) const ERRORS: &str = "tabiya_errors";

/// Key-value bucket with a key for each suspect that was begun alone.
pub(super) const TRIALS: &str = "tabiya_trials";

/// The key of a task that was begun alone.
pub(super) fn trial_key(job: &JobId, span: Span) -> String {
    format!("{job}.{}.{}", span.first, span.count)
}

/// The keys of all of a job's.
pub(super) fn trial_keys(job: &JobId) -> String {
    format!("{job}.>")
}

/// The job that a key among the trials belongs to.
pub(super) fn read_trial_key(key: &str) -> Option<JobId> {
    JobId::parse(key.split('.').next()?).ok()
}

/// Prefix of the buckets that hold a job's manifest and results, one for each job.
const JOB_BUCKET: &str = "tabiya_job_";

/// The class of work that all tasks are of, so far.
const CLASS: &str = "bulk";

/// A short name for what a job asks of a worker, fit for a subject: tasks and workers meet under it.
pub(super) fn pin_of(job: &Job) -> String {
    pin(&job.pins(), job.needs_gpu())
}

/// The same for what a worker has to offer, what few have first.
pub(super) fn pins_of(worker: &WorkerInfo) -> Vec<String> {
    let with = |gpu| worker.pins.iter().map(move |pins| pin(pins, gpu));
    let gpu = worker.has_gpu.then(|| with(true));
    gpu.into_iter().flatten().chain(with(false)).collect()
}

fn pin(pins: &Pins, gpu: bool) -> String {
    let digest = pins.digest();
    let short: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    if gpu { format!("{short}-gpu") } else { short }
}

/// The durable consumer that all workers with these pins share.
pub(super) fn consumer(pin: &str) -> String {
    format!("{CLASS}-{pin}")
}

/// All tasks for workers with these pins.
pub(super) fn tasks_of_pin(pin: &str) -> String {
    format!("tabiya.jobs.{CLASS}.{pin}.>")
}

/// All tasks of a job, whatever its pins.
pub(super) fn tasks_of_job(job: &JobId) -> String {
    format!("tabiya.jobs.*.*.{job}.>")
}

/// The subject of one task: everything that the task is, so that a list of subjects tells what is in the queue.
pub(super) fn task(pin: &str, job: &JobId, span: Span) -> String {
    format!("tabiya.jobs.{CLASS}.{pin}.{job}.{}.{}", span.first, span.count)
}

/// Reads a task's subject: pins, job, items.
pub(super) fn read_task(subject: &str) -> Option<(&str, JobId, Span)> {
    let mut parts = subject.strip_prefix("tabiya.jobs.")?.split('.').skip(1);
    let pin = parts.next()?;
    let job = JobId::parse(parts.next()?).ok()?;
    let first: u32 = parts.next()?.parse().ok()?;
    let count: u32 = parts.next()?.parse().ok()?;
    let span = Span::new(first, first.checked_add(count)?)?;
    parts.next().is_none().then_some((pin, job, span))
}

/// The stream behind a key-value bucket.
pub(super) fn stream_of(bucket: &str) -> String {
    format!("KV_{bucket}")
}

/// The subject of a key.
pub(super) fn key(bucket: &str, key: &str) -> String {
    format!("$KV.{bucket}.{key}")
}

/// The key under which a job is kept.
pub(super) fn job_key(job: &JobId) -> String {
    format!("job.{job}")
}

/// The keys of all jobs.
pub(super) const JOB_KEYS: &str = "job.*";

/// The bucket for one attempt at storing a job. Attempts differ, so that of two at once only one is ever seen.
pub(super) fn job_bucket(job: &JobId, attempt: u64) -> String {
    format!("{JOB_BUCKET}{job}_{attempt:016x}")
}

/// The job that a stream holds manifest and results of, if it does.
pub(super) fn job_of_stream(stream: &str) -> Option<(&str, JobId)> {
    let bucket = stream.strip_prefix("KV_")?;
    let (job, _attempt) = bucket.strip_prefix(JOB_BUCKET)?.rsplit_once('_')?;
    Some((bucket, JobId::parse(job).ok()?))
}

/// A number that no other attempt has drawn.
pub(super) fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// The key of an item's result.
pub(super) fn item_key(index: u32) -> String {
    format!("item.{index}")
}

/// The item that a subject in a job's bucket is the result of.
pub(super) fn read_item(subject: &str) -> Option<u32> {
    let (rest, index) = subject.rsplit_once('.')?;
    rest.ends_with(".item").then(|| index.parse().ok())?
}

/// The key that says that an item's result is an error.
pub(super) fn error_key(results: &str, index: u32) -> String {
    format!("{results}.{index}")
}

/// The bucket with the result that a key among the errors says something about, and its item.
pub(super) fn read_error_key(key: &str) -> Option<(&str, u32)> {
    let (bucket, index) = key.rsplit_once('.')?;
    Some((bucket, index.parse().ok()?))
}

/// The keys of all errors of a job.
pub(super) fn error_keys(results: &str) -> String {
    format!("{results}.*")
}

/// The key of a part of a block of the manifest.
pub(super) fn block_key(block: usize, part: usize) -> String {
    format!("block.{block}.{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> JobId {
        JobId::parse(text).unwrap()
    }

    #[test]
    fn a_task_is_read_back_from_its_subject() {
        let span = Span { first: 32, count: 16 };
        let subject = task("0123456789abcdef", &id("games_2026-11"), span);
        assert_eq!(
            read_task(&subject),
            Some(("0123456789abcdef", id("games_2026-11"), span))
        );
        for foreign in [
            "",
            "tabiya.jobs",
            "tabiya.jobs.bulk.p.job.1",
            "tabiya.jobs.bulk.p.job.1.0",
            "tabiya.jobs.bulk.p.job.1.x",
            "tabiya.jobs.bulk.p.job.4294967295.4294967295",
            "tabiya.jobs.bulk.p.job.1.2.3",
            "tabiya.jobs.bulk.p.j b.1.2",
            "other.jobs.bulk.p.job.1.2",
        ] {
            assert_eq!(read_task(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn pins_that_differ_have_names_that_differ() {
        let pins = |engine: &str, network: &str| Pins {
            engine: engine.to_owned(),
            network: network.to_owned(),
            tables: String::new(),
        };
        let with_tables = |tables: &str| Pins {
            tables: tables.to_owned(),
            ..pins("1.0", "aa")
        };
        let name = pin(&pins("1.0", "aa"), false);
        assert_eq!(name.len(), 16);
        assert_eq!(name, pin(&pins("1.0", "aa"), false));
        assert_ne!(name, pin(&pins("1.1", "aa"), false));
        assert_ne!(name, pin(&pins("1.0", "ab"), false));
        assert_ne!(pin(&pins("1", "0aa"), false), pin(&pins("10", "aa"), false));
        assert_ne!(name, pin(&with_tables("cc"), false));
        assert_ne!(pin(&with_tables("cd"), false), pin(&with_tables("cc"), false));
        // Autoscalers go by these.
        assert_eq!(pin(&pins("1.0", "aa"), true), format!("{name}-gpu"));
        assert_eq!(consumer(&name), format!("bulk-{name}"));
    }

    #[test]
    fn buckets_tell_whose_they_are() {
        let bucket = job_bucket(&id("a_b"), 7);
        let stream = stream_of(&bucket);
        assert_eq!(job_of_stream(&stream), Some((bucket.as_str(), id("a_b"))));
        let trial = trial_key(&id("a_b"), Span { first: 3, count: 4 });
        assert_eq!(read_trial_key(&trial), Some(id("a_b")));
        assert_eq!(read_trial_key("a b.1"), None);
        let error = error_key(&bucket, 3);
        assert_eq!(read_error_key(&error), Some((bucket.as_str(), 3)));
        assert_eq!(read_error_key("a_b"), None);
        assert_eq!(read_error_key("a_b.x"), None);
        assert_eq!(job_of_stream("KV_tabiya_jobs"), None);
        assert_eq!(job_of_stream("TABIYA_JOBS"), None);
        assert_eq!(read_item(&key(&bucket, &item_key(12))), Some(12));
        assert_eq!(read_item(&key(&bucket, &block_key(1, 0))), None);
    }
}
