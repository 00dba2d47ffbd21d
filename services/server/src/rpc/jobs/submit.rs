//! From a submission to a stored job.

use std::time::{Duration, SystemTime};

use tabiya_api::{convert::parse_backend, error::ServiceError, v1};
use tabiya_jobs::{Intake, Job, JobId, NewJob, difference};

use super::{compute::pins, job_message};
use crate::{
    compute::Class,
    engine::Engine,
    jobs::{Jobs, Share, of_fault},
    rpc::Context,
};

/// When memory that others take is worth another try.
pub(crate) const MEMORY_PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of PGN that a position takes at least, so that a message is let in as what it may turn out to be.
const PGN_BYTES: usize = 4;

/// Takes jobs in.
#[derive(Clone)]
pub(super) struct Submission {
    engine: Engine,
    jobs: Jobs,
}

/// A job that is being read.
pub(super) struct Upload<'a> {
    of: &'a Submission,
    /// `None` only while a thread works with it, or after that thread failed.
    intake: Option<Intake>,
    memory: Share,
}

impl Submission {
    pub(super) fn new(engine: Engine, jobs: Jobs) -> Self {
        Self { engine, jobs }
    }

    /// Begins with the first message.
    pub(super) async fn begin(
        &self,
        context: &Context,
        head: &v1::SubmitJobRequest,
    ) -> Result<Upload<'_>, ServiceError> {
        let engine = &self.engine;
        let network = engine.networks.find(&head.network)?;
        let pins = pins(engine, network);
        let intake = Intake::begin(head, pins, self.jobs.quotas)?.owned_by(context.owner());
        if self.jobs.works_alone() {
            // Nobody else will have the device that this process lacks.
            engine.seat(network, parse_backend(head.backend)?).await?;
        }
        Ok(Upload {
            of: self,
            intake: Some(intake),
            memory: self.jobs.submissions.share(),
        })
    }

    /// Refuses a job that the queue has no room for, now or ever, before anybody is told of it.
    async fn check_room(&self, job: &Job) -> Result<(), ServiceError> {
        let most = self.jobs.quotas.bytes;
        if job.bytes > most {
            let reason =
                format!("bytes of manifest, more than the {most} that a caller's running jobs may take");
            return Err(ServiceError::invalid("items", &job.bytes.to_string(), reason));
        }
        let Some(room) = self.jobs.queue.room(job).await.map_err(of_fault)? else {
            return Ok(());
        };
        let tasks = job.chunks().count() as u64;
        if tasks > room.in_all {
            let reason = format!(
                "they make {tasks} tasks, more than the {} that the queue holds in all; several jobs may do",
                room.in_all
            );
            return Err(ServiceError::invalid("items", &job.items.to_string(), reason));
        }
        if tasks > room.free {
            return Err(ServiceError::Exhausted {
                reason: format!(
                    "no room for jobs: {tasks} tasks, and the queue has room for {}",
                    room.free
                ),
                retry_after: room.retry_after,
            });
        }
        Ok(())
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
        let engine = &self.of.engine;
        let positions = part.items.len() + part.pgn.len() / PGN_BYTES;
        let _admitted = engine
            .admission
            .gate(Class::Bulk)
            .admit_when_free(positions)
            .await?;
        let before = intake.items();
        let work = move || {
            let added = intake.add(part.items, &part.pgn);
            (intake, added)
        };
        let timed = engine.rules_bulk.submit_when_free(1, work).await?.await?;
        context.stats.add_times(timed.queue_time, timed.compute_time);
        let (intake, added) = timed.value;
        context.pay((intake.items() - before) as usize);
        let held = intake.held_bytes();
        self.intake = Some(intake);
        added?;
        self.hold(held)
    }

    /// Has the job take so much memory.
    fn hold(&mut self, bytes: u64) -> Result<(), ServiceError> {
        let limit = self.of.jobs.submissions.limit();
        if bytes > limit as u64 {
            let reason = format!(
                "they take {bytes} bytes, more than the {limit} that a job may take while it is read"
            );
            return Err(ServiceError::invalid("items", "", reason));
        }
        if self.memory.grow_to(bytes as usize) {
            return Ok(());
        }
        Err(ServiceError::Exhausted {
            reason: "no room for jobs: others that are being submitted take the memory for it".to_owned(),
            retry_after: MEMORY_PATIENCE,
        })
    }

    /// Stores the job and has it begun; tells whether it was there already.
    pub(super) async fn store(mut self) -> Result<(v1::Job, bool), ServiceError> {
        let jobs = &self.of.jobs;
        let lost = || ServiceError::Internal("the job was lost while it was read".into());
        let new = self.intake.take().ok_or_else(lost)?.finish(SystemTime::now())?;
        let damaged = |reason: &str| ServiceError::Internal(format!("a job's name: {reason}"));
        let id = JobId::parse(&new.job.job_id).map_err(damaged)?;
        if let Some((stored, progress)) = jobs.store.get(&id).await.map_err(of_fault)? {
            self.of.is_same(&stored, &new).await?;
            return Ok((job_message(jobs, &stored, &progress).await, true));
        }
        self.of.check_room(&new.job).await?;
        let submitted = new.job.create_time;
        let stored = jobs.store.create(new.clone()).await.map_err(of_fault)?;
        self.of.is_same(&stored, &new).await?;
        // It stays from here on, whatever becomes of this: somebody may have been told of it by now.
        jobs.sending.send(jobs.coordinator(), stored.clone()).await;
        let found = jobs.store.get(&id).await.map_err(of_fault)?;
        let progress = found.map(|(_, progress)| progress).unwrap_or_default();
        let existed = stored.create_time != submitted;
        Ok((job_message(jobs, &stored, &progress).await, existed))
    }
}
