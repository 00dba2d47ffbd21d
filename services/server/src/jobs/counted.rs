//! A worker's store and queue, with what goes through them counted.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tabiya_api::v1::stream_results_response::Outcome;
use tabiya_jobs::{
    Depth, Fault, Item, Job, JobId, JobStore, Lease, LeaseLost, NewJob, Page, Progress, Room, Row, Span,
    Task, WorkQueue, WorkerInfo,
};

use crate::metrics::Metrics;

/// Counts the results that are handed in.
pub(super) struct CountedStore {
    pub(super) store: Arc<dyn JobStore>,
    pub(super) metrics: Arc<Metrics>,
}

#[async_trait]
impl JobStore for CountedStore {
    async fn create(&self, new: NewJob) -> Result<Job, Fault> {
        self.store.create(new).await
    }

    async fn get(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        self.store.get(id).await
    }

    async fn list(&self, token: &str, limit: usize) -> Result<Option<Page>, Fault> {
        self.store.list(token, limit).await
    }

    async fn running(&self) -> Result<Vec<(Job, Progress)>, Fault> {
        self.store.running().await
    }

    async fn unended(&self) -> Result<Vec<Job>, Fault> {
        self.store.unended().await
    }

    async fn cancel(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        self.store.cancel(id).await
    }

    async fn items(&self, id: &JobId, span: Span) -> Result<Vec<Item>, Fault> {
        self.store.items(id, span).await
    }

    async fn missing(&self, id: &JobId, span: Span) -> Result<Vec<u32>, Fault> {
        self.store.missing(id, span).await
    }

    async fn put(&self, id: &JobId, rows: Vec<Row>) -> Result<Option<Progress>, Fault> {
        let is_error = |row: &&Row| matches!(row.outcome, Some(Outcome::Error(_)));
        let failed = rows.iter().filter(is_error).count() as u64;
        let done = rows.len() as u64 - failed;
        let progress = self.store.put(id, rows).await?;
        self.metrics.jobs.results_done.add(done);
        self.metrics.jobs.results_failed.add(failed);
        Ok(progress)
    }

    async fn results(&self, id: &JobId, after: &str, limit: usize) -> Result<Option<Vec<Row>>, Fault> {
        self.store.results(id, after, limit).await
    }

    async fn changed(&self, id: &JobId, after: &str) -> Result<(), Fault> {
        self.store.changed(id, after).await
    }

    async fn delete(&self, id: &JobId) -> Result<(), Fault> {
        self.store.delete(id).await
    }
}

/// Counts the tasks that are done again.
pub(super) struct CountedQueue {
    pub(super) queue: Arc<dyn WorkQueue>,
    pub(super) metrics: Arc<Metrics>,
}

#[async_trait]
impl WorkQueue for CountedQueue {
    async fn room(&self, job: &Job) -> Result<Option<Room>, Fault> {
        self.queue.room(job).await
    }

    async fn ensure(&self, job: &Job, spans: &[Span]) -> Result<(), Fault> {
        self.queue.ensure(job, spans).await
    }

    async fn lease(&self, worker: &WorkerInfo) -> Result<Box<dyn Lease>, Fault> {
        let lease = self.queue.lease(worker).await?;
        let metrics = self.metrics.clone();
        Ok(Box::new(CountedLease { lease, metrics }))
    }

    async fn forget(&self, job: &JobId) -> Result<(), Fault> {
        self.queue.forget(job).await
    }

    async fn why_waiting(&self, job: &Job) -> Result<Option<String>, Fault> {
        self.queue.why_waiting(job).await
    }

    async fn depth(&self) -> Result<Depth, Fault> {
        self.queue.depth().await
    }
}

struct CountedLease {
    lease: Box<dyn Lease>,
    metrics: Arc<Metrics>,
}

#[async_trait]
impl Lease for CountedLease {
    fn task(&self) -> &Task {
        self.lease.task()
    }

    fn period(&self) -> Duration {
        self.lease.period()
    }

    async fn renew(&mut self) -> Result<(), LeaseLost> {
        let renewed = self.lease.renew().await;
        if renewed.is_err() {
            self.metrics.jobs.retries_lease_lost.inc();
        }
        renewed
    }

    async fn begin_alone(&mut self) -> Result<u32, Fault> {
        self.lease.begin_alone().await
    }

    async fn done(self: Box<Self>) -> Result<(), Fault> {
        self.lease.done().await
    }

    async fn retry(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        self.metrics.jobs.retries_failed.inc();
        self.lease.retry(pause).await
    }

    async fn hand_back(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        self.lease.hand_back(pause).await
    }

    async fn split(self: Box<Self>, parts: &[Span]) -> Result<(), Fault> {
        self.metrics.jobs.retries_bisected.inc();
        self.lease.split(parts).await
    }
}
