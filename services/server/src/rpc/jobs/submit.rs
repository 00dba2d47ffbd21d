//! From a submission to a stored job.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use tabiya_api::{
    convert::{check_network, parse_backend},
    error::ServiceError,
    v1,
};
use tabiya_jobs::{Fault, Intake, Job, JobId, NewJob, difference};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{compute::pins, job_message};
use crate::{
    engine::Engine,
    jobs::{Jobs, of_fault},
    rpc::Context,
};

/// Jobs that are read at once; further ones wait. What is read stays in memory until it is stored.
const AT_ONCE: usize = 8;

/// When a used-up quota is worth another try.
const QUOTA_PATIENCE: Duration = Duration::from_secs(30);

/// Takes jobs in.
#[derive(Clone)]
pub(super) struct Submission {
    engine: Engine,
    jobs: Jobs,
    places: Arc<Semaphore>,
}

/// A job that is being read.
pub(super) struct Upload<'a> {
    of: &'a Submission,
    /// `None` only while a thread works with it, or after that thread failed.
    intake: Option<Intake>,
    _place: OwnedSemaphorePermit,
}

impl Submission {
    pub(super) fn new(engine: Engine, jobs: Jobs) -> Self {
        Self {
            engine,
            jobs,
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Begins with the first message.
    pub(super) async fn begin(
        &self,
        context: &Context,
        head: &v1::SubmitJobRequest,
    ) -> Result<Upload<'_>, ServiceError> {
        let engine = &self.engine;
        let intake = Intake::begin(head, pins(engine), self.jobs.quotas)?.owned_by(context.owner());
        check_network(&head.network, engine.network.name(), &engine.network_hash())?;
        if self.jobs.works {
            // Nobody else will have the device that this process lacks.
            engine.seat(parse_backend(head.backend)?).await?;
        }
        let place = self.places.clone().acquire_owned().await;
        Ok(Upload {
            of: self,
            intake: Some(intake),
            // Nobody closes the semaphore.
            _place: place.map_err(|_| ServiceError::ShuttingDown)?,
        })
    }

    /// Refuses a job that there is no room for.
    async fn check_quotas(&self, new: &NewJob) -> Result<(), ServiceError> {
        let quotas = self.jobs.quotas;
        let mut running = self.jobs.store.running().await.map_err(of_fault)?;
        // Nobody else's jobs count.
        running.retain(|(job, _)| job.owner == new.job.owner);
        let bytes: u64 = running.iter().map(|(job, _)| job.bytes).sum();
        let reason = if running.len() >= quotas.running_jobs {
            format!(
                "{} jobs of this caller are running, as many as may at once",
                running.len()
            )
        } else if bytes + new.job.bytes > quotas.bytes {
            format!(
                "this caller's running jobs take {bytes} bytes and this one {}, more than {} together",
                new.job.bytes, quotas.bytes
            )
        } else {
            return Ok(());
        };
        Err(ServiceError::Exhausted {
            reason,
            retry_after: QUOTA_PATIENCE,
        })
    }

    /// Whether a stored job is the new one; an error that says how they differ if not.
    async fn is_same(&self, stored: &Job, new: &NewJob) -> Result<(), ServiceError> {
        if stored.owner != new.job.owner {
            // Names are everybody's, and what is behind this one is not for this caller to know.
            return Err(ServiceError::AlreadyExists(format!(
                "the name `{}` is taken by another caller's job",
                stored.job_id
            )));
        }
        if stored.digest == new.job.digest {
            return Ok(());
        }
        let difference = difference(self.jobs.store.as_ref(), stored, new)
            .await
            .map_err(of_fault)?;
        Err(ServiceError::AlreadyExists(format!(
            "there is a job `{}` already, with other content: {difference}",
            stored.job_id
        )))
    }
}

impl Upload<'_> {
    /// Takes the items of a message.
    pub(super) async fn add(
        &mut self,
        context: &Context,
        part: v1::SubmitJobRequest,
    ) -> Result<(), ServiceError> {
        let lost = || ServiceError::Internal("the job was lost while it was read".into());
        let mut intake = self.intake.take().ok_or_else(lost)?;
        context.stats.add_positions(part.items.len());
        let work = move || {
            let added = intake.add(part.items, &part.pgn);
            (intake, added)
        };
        let timed = self.of.engine.rules_bulk.submit_when_free(1, work).await?.await?;
        context.stats.add_times(timed.queue_time, timed.compute_time);
        let (intake, added) = timed.value;
        self.intake = Some(intake);
        added
    }

    /// Stores the job and has it begun; tells whether it was there already.
    pub(super) async fn store(mut self) -> Result<(v1::Job, bool), ServiceError> {
        let Submission { jobs, .. } = self.of;
        let lost = || ServiceError::Internal("the job was lost while it was read".into());
        let new = self.intake.take().ok_or_else(lost)?.finish(SystemTime::now())?;
        let damaged = |reason: &str| ServiceError::Internal(format!("a job's name: {reason}"));
        let id = JobId::parse(&new.job.job_id).map_err(damaged)?;
        if let Some((stored, progress)) = jobs.store.get(&id).await.map_err(of_fault)? {
            self.of.is_same(&stored, &new).await?;
            return Ok((job_message(jobs, &stored, &progress).await, true));
        }
        self.of.check_quotas(&new).await?;
        let submitted = new.job.create_time;
        let stored = jobs.store.create(new.clone()).await.map_err(of_fault)?;
        self.of.is_same(&stored, &new).await?;
        if let Err(fault) = jobs.coordinator().send(&stored).await {
            if matches!(fault, Fault::Full { .. }) && stored.create_time == submitted {
                // Nobody was promised anything yet: a job that would wait for room is refused, with all that was sent of it.
                if let Err(fault) = jobs.queue.forget(&id).await {
                    tracing::warn!(job = %id, %fault, "what was sent of a refused job stays until it is tidied up");
                }
                jobs.store.delete(&id).await.map_err(of_fault)?;
                return Err(of_fault(fault));
            }
            // The job is safe; the next round of looking after jobs sends it.
            tracing::warn!(job = %id, %fault, "a new job waits to be sent");
        }
        let found = jobs.store.get(&id).await.map_err(of_fault)?;
        let progress = found.map(|(_, progress)| progress).unwrap_or_default();
        let existed = stored.create_time != submitted;
        Ok((job_message(jobs, &stored, &progress).await, existed))
    }
}
