//! The loop of a worker, the same for every queue, store and engine.

mod chunk;
#[cfg(test)]
mod tests;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::sync::watch;

use crate::{
    Company, Compute, Fault, Job, JobStore, Lease, Verdict, WorkQueue, WorkerInfo,
    company::{Asking, Place},
};
use chunk::{Chunk, End};

/// Pause after trouble that is nobody's fault: a queue or an engine that is away. It doubles with each time in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Pause before a chunk that failed is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// How long an engine with other pins leaves a chunk alone.
const OTHER_PINS_PAUSE: Duration = Duration::from_secs(30);

/// Takes chunks and has them answered, one at a time. Run several for work that is done side by side.
#[derive(Clone)]
pub struct Worker {
    /// Its name, unique among all workers.
    pub name: String,
    /// Where items come from and results go.
    pub store: Arc<dyn JobStore>,
    /// Where chunks come from.
    pub queue: Arc<dyn WorkQueue>,
    /// What answers them.
    pub compute: Arc<dyn Compute>,
    /// The other workers of its process: all of them have clones of the same.
    pub company: Company,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Worker {
    /// Works until `stop` says true. A chunk that is under way then is handed back, with what was found stored.
    pub async fn run(&self, mut stop: watch::Receiver<bool>) {
        let mut troubles = 0;
        loop {
            let turn = tokio::select! {
                biased;
                () = stopped(&mut stop) => return,
                turn = self.next_lease() => turn,
            };
            let done = match turn {
                Ok((asking, lease)) => AssertUnwindSafe(self.work_at(asking, lease, &mut stop))
                    .catch_unwind()
                    .await
                    .unwrap_or_else(|_| {
                        // Its lease is dropped, and somebody else has the task.
                        tracing::error!(worker = self.name, "a worker's turn ended in a panic");
                        Ok(())
                    }),
                Err(fault) => Err(fault),
            };
            match done {
                Ok(()) => troubles = 0,
                Err(fault) => {
                    // Once for each time that it begins; what is behind it says more by itself.
                    if troubles == 0 {
                        tracing::warn!(worker = self.name, %fault, "no work can be done for now");
                    }
                    troubles += 1;
                    let pause = FIRST_PAUSE
                        .saturating_mul(1 << troubles.min(10))
                        .min(LONGEST_PAUSE);
                    tokio::select! {
                        () = stopped(&mut stop) => return,
                        () = tokio::time::sleep(pause) => {}
                    }
                }
            }
        }
    }

    async fn next_lease(&self) -> Result<(Asking, Box<dyn Lease>), Fault> {
        let asking = self.company.ask().await;
        let worker = WorkerInfo {
            name: self.name.clone(),
            pins: self.compute.pins().await?,
            has_gpu: self.compute.has_gpu().await?,
        };
        let lease = self.queue.lease(&worker).await?;
        Ok((asking, lease))
    }

    /// Brings a task to one of its ends.
    async fn work_at(
        &self,
        asking: Asking,
        mut lease: Box<dyn Lease>,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), Fault> {
        let _place = if lease.task().past.suspect {
            match self.alone(asking, &mut lease, stop).await {
                Some(place) => place,
                None => return lease.hand_back(Duration::ZERO).await,
            }
        } else {
            self.company.among(asking).await
        };
        let task = lease.task().clone();
        let found = self.store.get(&task.job_id).await;
        let (job, progress) = match found {
            Ok(Some(found)) => found,
            Ok(None) => return lease.done().await,
            Err(fault) => return self.postpone(lease, FIRST_PAUSE, fault).await,
        };
        if !progress.is_running(job.items) {
            lease.done().await?;
            return self.queue.forget(&task.job_id).await;
        }
        match self.compute.pins().await {
            Ok(pins) if pins.contains(&job.pins()) => {}
            Ok(_) => return lease.hand_back(OTHER_PINS_PAUSE).await,
            Err(fault) => return self.postpone(lease, FIRST_PAUSE, fault).await,
        }
        let (mut tries, mut verdict) = (task.tries(), Verdict::Try);
        if task.past.suspect {
            match lease.begin_alone().await {
                Ok(deaths) => {
                    verdict = Verdict::after_deaths(task.span, deaths);
                    tries = tries.max(deaths);
                }
                Err(fault) => return self.postpone(lease, FIRST_PAUSE, fault).await,
            }
        }
        if verdict != Verdict::Try {
            let reason = "each ended its worker, which did nothing else".to_owned();
            return self
                .conclude(lease, &job, End::Failed(verdict, reason), tries)
                .await;
        }
        let mut chunk = Chunk::new(self, &job, task.clone(), lease);
        let end = AssertUnwindSafe(chunk.attempt(stop))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| {
                End::Failed(
                    Verdict::after_failure(&task),
                    "the worker's code panicked".to_owned(),
                )
            });
        self.conclude(chunk.into_lease(), &job, end, tries).await
    }

    /// Waits until nothing else is at work in the process, holding on to the task; `None` if that came to nothing.
    async fn alone(
        &self,
        asking: Asking,
        lease: &mut Box<dyn Lease>,
        stop: &mut watch::Receiver<bool>,
    ) -> Option<Place> {
        let mut beat = tokio::time::interval(lease.period() / 5);
        let mut place = std::pin::pin!(self.company.alone(asking));
        loop {
            tokio::select! {
                biased;
                () = stopped(stop) => return None,
                place = &mut place => return Some(place),
                _ = beat.tick() => lease.renew().await.ok()?,
            }
        }
    }

    /// Tells the queue how a try ended.
    async fn conclude(&self, lease: Box<dyn Lease>, job: &Job, end: End, tries: u32) -> Result<(), Fault> {
        let task = lease.task().clone();
        match end {
            End::Done => lease.done().await,
            End::JobEnded => {
                lease.done().await?;
                self.queue.forget(&task.job_id).await
            }
            End::Lost => {
                tracing::warn!(worker = self.name, job = %task.job_id, span = ?task.span, "lost a lease");
                Ok(())
            }
            End::Stopped => lease.hand_back(Duration::ZERO).await,
            End::Postponed(fault) => self.postpone(lease, FIRST_PAUSE, fault).await,
            End::OtherPins => lease.hand_back(OTHER_PINS_PAUSE).await,
            End::Failed(verdict, reason) => {
                tracing::warn!(
                    worker = self.name, job = %task.job_id, span = ?task.span, tries, ?verdict, reason,
                    "a chunk failed"
                );
                match verdict {
                    Verdict::Try => lease.retry(RETRY_PAUSE).await,
                    Verdict::Split(first, second) => lease.split(&[first, second]).await,
                    Verdict::GiveUp => match chunk::give_up(
                        self,
                        job,
                        &task,
                        &format!("given up after {tries} tries: {reason}"),
                    )
                    .await
                    {
                        Ok(()) => lease.done().await,
                        Err(fault) => self.postpone(lease, FIRST_PAUSE, fault).await,
                    },
                }
            }
        }
    }

    /// Hands a task back because of trouble that is not its own, and passes the trouble on.
    async fn postpone(&self, lease: Box<dyn Lease>, pause: Duration, fault: Fault) -> Result<(), Fault> {
        lease.hand_back(pause).await?;
        Err(fault)
    }
}

/// Completes once `stop` says true. A sender that is gone has nothing more to say.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
