//! The loop of a worker, the same for every queue, store and engine.

mod chunk;
#[cfg(test)]
mod tests;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::sync::watch;

use crate::{Compute, Fault, JobStore, Lease, Verdict, WorkQueue, WorkerInfo};
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
                Ok(lease) => AssertUnwindSafe(self.work_at(lease, &mut stop))
                    .catch_unwind()
                    .await
                    .unwrap_or_else(|_| {
                        // It costs the task a try, as its lease is dropped, and the worker nothing.
                        tracing::error!(worker = self.name, "a chunk ended in a panic");
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

    async fn next_lease(&self) -> Result<Box<dyn Lease>, Fault> {
        let worker = WorkerInfo {
            name: self.name.clone(),
            pins: self.compute.pins().await?,
        };
        self.queue.lease(&worker).await
    }

    /// Brings a task to one of its ends.
    async fn work_at(&self, lease: Box<dyn Lease>, stop: &mut watch::Receiver<bool>) -> Result<(), Fault> {
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
            Ok(pins) if pins == job.pins() => {}
            Ok(_) => return lease.hand_back(OTHER_PINS_PAUSE).await,
            Err(fault) => return self.postpone(lease, FIRST_PAUSE, fault).await,
        }
        let mut chunk = Chunk::new(self, &job, task.clone(), lease);
        let mut tries = task.tries;
        let end = match Verdict::before(&task) {
            Verdict::Try => chunk.attempt(stop).await,
            verdict => {
                // This one is none.
                tries -= 1;
                End::Failed(verdict, "its tries ended without an answer".to_owned())
            }
        };
        let lease = chunk.into_lease();
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
                        &job,
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
