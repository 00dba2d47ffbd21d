use tabiya_api::v1;

use crate::{Fault, Item, Job, JobId, NewJob, Progress, Span};

/// A result as it is stored, and as readers get it; `cursor` is filled in by the store when it is read.
pub type Row = v1::StreamResultsResponse;

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The jobs, the newest first.
    pub jobs: Vec<(Job, Progress)>,
    /// What to ask the next page with; empty after the last.
    pub next: String,
}

/// Keeps jobs, manifests and results. What a method says was stored survives the death of every process.
#[async_trait::async_trait]
pub trait JobStore: Send + Sync + 'static {
    /// Stores a job, unless there is one of that name: then that one is given back and nothing is changed. Manifest and
    /// job appear together. However many are stored at once, no quota is exceeded.
    ///
    /// # Errors
    /// [`Fault::Full`] if there is no room, or a quota is used up; nothing is kept then.
    async fn create(&self, new: NewJob) -> Result<Job, Fault>;

    /// A job and how far it is.
    ///
    /// # Errors
    /// If the store cannot be read.
    async fn get(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault>;

    /// At most `limit` jobs, the newest first, after the page that ended with `token`; from the start if it is empty.
    ///
    /// # Errors
    /// If the store cannot be read. `Ok(None)` if the token is none of this store's.
    async fn list(&self, token: &str, limit: usize) -> Result<Option<Page>, Fault>;

    /// The jobs that have not ended, the oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    async fn running(&self) -> Result<Vec<(Job, Progress)>, Fault>;

    /// The jobs whose end nobody has recorded, in no order: [`JobStore::running`] without a look at each.
    ///
    /// # Errors
    /// If the store cannot be read.
    async fn unended(&self) -> Result<Vec<Job>, Fault>;

    /// Cancels a job unless it has ended, and tells how far it is. `None` if there is no such job.
    ///
    /// # Errors
    /// If the store cannot be written.
    async fn cancel(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault>;

    /// The items of a span that lies inside the manifest.
    ///
    /// # Errors
    /// If there is no such job or span, or the store cannot be read.
    async fn items(&self, id: &JobId, span: Span) -> Result<Vec<Item>, Fault>;

    /// The places in a span that have no result yet, rising.
    ///
    /// # Errors
    /// If the store cannot be read.
    async fn missing(&self, id: &JobId, span: Span) -> Result<Vec<u32>, Fault>;

    /// Stores results, each by its `index`; an item that has one keeps it. Results of a job that was cancelled, or is
    /// gone, are dropped. Tells how far the job is then; `None` if it is gone.
    ///
    /// # Errors
    /// If the store cannot be written; some of the results may be stored then.
    async fn put(&self, id: &JobId, rows: Vec<Row>) -> Result<Option<Progress>, Fault>;

    /// At most `limit` results that were stored after the one with this cursor, in the order in which they were stored,
    /// each with its own cursor; from the start if it is empty.
    ///
    /// # Errors
    /// If the store cannot be read. `Ok(None)` if the cursor is none of this job's.
    async fn results(&self, id: &JobId, after: &str, limit: usize) -> Result<Option<Vec<Row>>, Fault>;

    /// Waits until there may be more results after the cursor, or the job may have ended. It may return early, and
    /// returns within about a second in any case.
    ///
    /// # Errors
    /// If the store cannot be read.
    async fn changed(&self, id: &JobId, after: &str) -> Result<(), Fault>;

    /// Removes a job with all that belongs to it; nothing happens if there is none.
    ///
    /// # Errors
    /// If the store cannot be written.
    async fn delete(&self, id: &JobId) -> Result<(), Fault>;
}
