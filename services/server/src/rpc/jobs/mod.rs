//! Durable bulk work.

mod compute;
mod results;
mod submit;

pub(crate) use compute::OwnEngine;
#[cfg(test)]
pub(crate) use submit::MEMORY_PATIENCE;

use std::time::SystemTime;

use tabiya_api::{
    error::ServiceError,
    v1::{self, job_service_server::JobService},
};
use tabiya_jobs::{Job, JobId, Progress};
use tonic::{Request, Response, Status, Streaming};

use super::{Context, bulk::Answers};
use crate::{
    engine::Engine,
    jobs::{Jobs, of_fault},
};
use submit::Submission;

/// Jobs of a page, where the caller names no number, and at most.
const PAGE: usize = 50;
const GREATEST_PAGE: usize = 1000;

/// Durable bulk work as a service.
#[derive(Clone)]
pub(crate) struct JobCalls {
    engine: Engine,
    jobs: Option<Jobs>,
    submission: Option<Submission>,
}

impl JobCalls {
    pub(crate) fn new(engine: Engine, jobs: Option<Jobs>) -> Self {
        let submission = jobs.clone().map(|jobs| Submission::new(engine.clone(), jobs));
        Self {
            engine,
            jobs,
            submission,
        }
    }

    fn jobs(&self) -> Result<&Jobs, ServiceError> {
        self.jobs.as_ref().ok_or_else(no_place)
    }

    fn submission(&self) -> Result<&Submission, ServiceError> {
        self.submission.as_ref().ok_or_else(no_place)
    }
}

fn no_place() -> ServiceError {
    ServiceError::FailedPrecondition(
        "this server keeps no jobs; it does when it is started with --jobs-dir FOLDER".to_owned(),
    )
}

/// Reads a job's name.
pub(super) fn job_id(text: &str) -> Result<JobId, ServiceError> {
    JobId::parse(text).map_err(|reason| ServiceError::invalid("job_id", text, reason))
}

pub(super) fn no_job(id: &JobId) -> ServiceError {
    ServiceError::NotFound(format!("there is no job `{id}`, or none any more"))
}

/// The job of this name, if the caller may know of it.
///
/// # Errors
/// NOT_FOUND if there is none, or it is another caller's: whoever may not see it does not learn that it is there.
pub(super) async fn find(
    jobs: &Jobs,
    context: &Context,
    id: &JobId,
) -> Result<(Job, Progress), ServiceError> {
    let found = jobs.store.get(id).await.map_err(of_fault)?;
    found
        .filter(|(job, _)| context.may_touch(&job.owner))
        .ok_or_else(|| no_job(id))
}

/// A job in the words of the contract.
pub(super) async fn job_message(jobs: &Jobs, job: &Job, progress: &Progress) -> v1::Job {
    let state = progress.state(job.items);
    let waiting_reason = if state == v1::JobState::Running {
        match jobs.queue.why_waiting(job).await {
            Ok(reason) => reason.unwrap_or_default(),
            Err(fault) => fault.to_string(),
        }
    } else {
        String::new()
    };
    v1::Job {
        job_id: job.job_id.clone(),
        state: state.into(),
        items: job.items,
        results: progress.results,
        errors: progress.errors,
        waiting_reason,
        limits: job.limits,
        multipv: job.multipv,
        backend: job.backend,
        bulk_mode: job.bulk_mode,
        engine_version: job.engine_version.clone(),
        network_hash: job.network_hash.clone(),
        tables_hash: job.tables_hash.clone(),
        digest: job.digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        create_time: job.create_time,
        end_time: progress.end_time,
        expire_time: jobs.coordinator().expires(progress).map(SystemTime::into),
    }
}

#[tonic::async_trait]
impl JobService for JobCalls {
    async fn submit_job(
        &self,
        request: Request<v1::SubmitJobRequest>,
    ) -> Result<Response<v1::SubmitJobResponse>, Status> {
        let (context, request) = Context::of(request);
        let submission = self.submission()?;
        context.check_rate()?;
        let mut upload = submission.begin(&context, &request).await?;
        upload.add(&context, request).await?;
        let (job, existed) = upload.store().await?;
        Ok(Response::new(v1::SubmitJobResponse {
            job: Some(job),
            existed,
        }))
    }

    async fn upload_job(
        &self,
        request: Request<Streaming<v1::UploadJobRequest>>,
    ) -> Result<Response<v1::UploadJobResponse>, Status> {
        let (context, mut parts) = Context::of(request);
        let submission = self.submission()?;
        let mut upload = None;
        let mut number = 0_u64;
        loop {
            context.rate().await;
            let Some(message) = parts.message().await? else {
                break;
            };
            let part = message.part.unwrap_or_default();
            let upload = match &mut upload {
                None => {
                    let begun = submission.begin(&context, &part).await;
                    upload.insert(begun.map_err(|error| in_part(number, error))?)
                }
                Some(upload) => {
                    only_items(&part).map_err(|error| in_part(number, error))?;
                    upload
                }
            };
            upload
                .add(&context, part)
                .await
                .map_err(|error| in_part(number, error))?;
            number += 1;
        }
        let upload = upload.ok_or_else(|| ServiceError::invalid("part", "", "the stream holds no part"))?;
        let (job, existed) = upload.store().await?;
        Ok(Response::new(v1::UploadJobResponse {
            job: Some(job),
            existed,
        }))
    }

    async fn get_job(
        &self,
        request: Request<v1::GetJobRequest>,
    ) -> Result<Response<v1::GetJobResponse>, Status> {
        let (context, request) = Context::of(request);
        let jobs = self.jobs()?;
        let id = job_id(&request.job_id)?;
        let (job, progress) = find(jobs, &context, &id).await?;
        Ok(Response::new(v1::GetJobResponse {
            job: Some(job_message(jobs, &job, &progress).await),
        }))
    }

    async fn list_jobs(
        &self,
        request: Request<v1::ListJobsRequest>,
    ) -> Result<Response<v1::ListJobsResponse>, Status> {
        let (context, mut request) = Context::of(request);
        let jobs = self.jobs()?;
        let limit = match usize::try_from(request.page_size) {
            Ok(0) => PAGE,
            Ok(size) => size.min(GREATEST_PAGE),
            Err(_) => {
                let size = request.page_size.to_string();
                return Err(ServiceError::invalid("page_size", &size, "negative").into());
            }
        };
        loop {
            let page = jobs
                .store
                .list(&request.page_token, limit)
                .await
                .map_err(of_fault)?;
            let page = page.ok_or_else(|| {
                ServiceError::invalid(
                    "page_token",
                    &request.page_token,
                    "not from a page of this server",
                )
            })?;
            let own = page.jobs.iter().filter(|(job, _)| context.may_touch(&job.owner));
            let mut messages = Vec::new();
            for (job, progress) in own {
                messages.push(job_message(jobs, job, progress).await);
            }
            // A page of nothing but other callers' jobs is none.
            if !messages.is_empty() || page.next.is_empty() {
                return Ok(Response::new(v1::ListJobsResponse {
                    jobs: messages,
                    next_page_token: page.next,
                }));
            }
            request.page_token = page.next;
        }
    }

    async fn cancel_job(
        &self,
        request: Request<v1::CancelJobRequest>,
    ) -> Result<Response<v1::CancelJobResponse>, Status> {
        let (context, request) = Context::of(request);
        let jobs = self.jobs()?;
        let id = job_id(&request.job_id)?;
        find(jobs, &context, &id).await?;
        let found = jobs.store.cancel(&id).await.map_err(of_fault)?;
        let (job, progress) = found.ok_or_else(|| no_job(&id))?;
        jobs.queue.forget(&id).await.map_err(of_fault)?;
        Ok(Response::new(v1::CancelJobResponse {
            job: Some(job_message(jobs, &job, &progress).await),
        }))
    }

    type StreamResultsStream = Answers<v1::StreamResultsResponse>;

    async fn stream_results(
        &self,
        request: Request<v1::StreamResultsRequest>,
    ) -> Result<Response<Self::StreamResultsStream>, Status> {
        let (context, request) = Context::of(request);
        let jobs = self.jobs()?;
        let answers = results::stream(&self.engine, jobs, &context, request).await?;
        Ok(Response::new(answers))
    }
}

/// Refuses a later part of a job that sets what only the first may set.
fn only_items(part: &v1::SubmitJobRequest) -> Result<(), ServiceError> {
    let settings = [
        ("job_id", !part.job_id.is_empty()),
        ("limits", part.limits.is_some()),
        ("multipv", part.multipv != 0),
        ("backend", part.backend != 0),
        ("network", !part.network.is_empty()),
        ("bulk_mode", part.bulk_mode != 0),
    ];
    match settings.iter().find(|(_, set)| *set) {
        None => Ok(()),
        Some((field, _)) => Err(ServiceError::invalid(
            *field,
            "",
            "only the first part of a job can set it",
        )),
    }
}

/// Says which part of a job is wrong.
fn in_part(number: u64, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Invalid(violations) => violations
            .renamed(|field| format!("part[{number}].{field}"))
            .into(),
        other => other,
    }
}
