//! Results of a job as a stream.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};
use tabiya_api::{error::ServiceError, v1};
use tabiya_jobs::{JobId, Row};

use super::{find, job_id, no_job};
use crate::{
    compute::Class,
    engine::Engine,
    jobs::{Jobs, Reading, of_fault},
    metrics::Shed,
    phase::Phase,
    rpc::{
        Context,
        bulk::{self, Answers},
    },
};

/// Results that are read at once.
const PAGE: usize = 256;

/// A reader and how far it is.
struct Reader {
    jobs: Jobs,
    id: JobId,
    after: String,
    follow: bool,
    page: VecDeque<Row>,
    _reading: Reading,
}

/// Hands out results after a cursor.
pub(super) async fn stream(
    engine: &Engine,
    jobs: &Jobs,
    context: &Context,
    request: v1::StreamResultsRequest,
) -> Result<Answers<v1::StreamResultsResponse>, ServiceError> {
    // Before the store is asked anything.
    let reading = jobs.readers.open().inspect_err(|_| {
        engine.metrics.class(Class::Bulk).shed(Shed::ResultStreams);
    })?;
    let mut reader = Reader {
        jobs: jobs.clone(),
        id: job_id(&request.job_id)?,
        after: request.after,
        follow: request.follow,
        page: VecDeque::new(),
        _reading: reading,
    };
    find(jobs, context, &reader.id).await?;
    // Before the stream begins, so that a wrong cursor is the call's own error.
    reader.read().await?;
    let ended = std::sync::Arc::default();
    let draining = bulk::until(&engine.lifecycle, Phase::Draining, &ended);
    let answers = stream::unfold(Some(reader), async |reader| {
        let mut reader = reader?;
        match reader.next().await {
            Ok(Some(row)) => Some((Ok(row), Some(reader))),
            Ok(None) => None,
            Err(error) => Some((Err(error.into()), None)),
        }
    });
    // The cursor lets the caller go on elsewhere.
    Ok(bulk::with_ending(answers.take_until(draining).boxed(), ended))
}

impl Reader {
    async fn next(&mut self) -> Result<Option<Row>, ServiceError> {
        loop {
            if let Some(row) = self.page.pop_front() {
                self.after.clone_from(&row.cursor);
                return Ok(Some(row));
            }
            // Asked before the results: what was stored by the end of the job is seen then.
            let found = self.jobs.store.get(&self.id).await.map_err(of_fault)?;
            let (job, progress) = found.ok_or_else(|| no_job(&self.id))?;
            self.read().await?;
            if !self.page.is_empty() {
                continue;
            }
            if !self.follow || !progress.is_running(job.items) {
                return Ok(None);
            }
            self.jobs
                .store
                .changed(&self.id, &self.after)
                .await
                .map_err(of_fault)?;
        }
    }

    async fn read(&mut self) -> Result<(), ServiceError> {
        let rows = self
            .jobs
            .store
            .results(&self.id, &self.after, PAGE)
            .await
            .map_err(of_fault)?;
        let wrong = || ServiceError::invalid("after", &self.after, "not a cursor of this job");
        self.page = rows.ok_or_else(wrong)?.into();
        Ok(())
    }
}
