use std::time::{Duration, Instant};

use super::{
    Embedded,
    tables::{self, NUMBERS, TASKS},
};
use crate::{Depth, Fault, Job, JobId, Lease, LeaseId, LeaseLost, Span, Task, WorkQueue, WorkerInfo};

/// A worker that has not asked for so long is not counted on.
const RECENT: Duration = Duration::from_secs(60);

#[async_trait::async_trait]
impl WorkQueue for Embedded {
    async fn ensure(&self, job: &Job, spans: &[Span]) -> Result<(), Fault> {
        let id = job
            .id()
            .map_err(|reason| Fault::Damaged(format!("a job's name: {reason}")))?;
        let (name, spans) = (id.clone(), spans.to_vec());
        let tasks = self
            .on_disk(move |file| {
                file.read(|transaction| {
                    let number = tables::number(&transaction.open_table(NUMBERS)?, name.as_str())?;
                    let table = transaction.open_table(TASKS)?;
                    let mut tasks = Vec::new();
                    for span in spans {
                        let before = tasks.len();
                        if let Some(number) = number {
                            for entry in table.range((number, span.first)..(number, span.end()))? {
                                let (key, value) = entry?;
                                let ((_, first), (count, tries)) = (key.value(), value.value());
                                tasks.push((Span { first, count }, tries));
                            }
                        }
                        if tasks.len() == before {
                            tasks.push((span, 0));
                        }
                    }
                    Ok(tasks)
                })
            })
            .await?;
        self.shared
            .ledger()
            .ensure(&id, &job.pins(), &tasks, Duration::ZERO);
        self.shared.work.notify_waiters();
        Ok(())
    }

    async fn lease(&self, worker: &WorkerInfo) -> Result<Box<dyn Lease>, Fault> {
        loop {
            let asker = (worker.pins.clone(), Instant::now());
            self.askers().insert(worker.name.clone(), asker);
            let notified = self.shared.work.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            let now = self.shared.now();
            let (found, next) = {
                let mut ledger = self.shared.ledger();
                let found = ledger.lease(now, &worker.pins);
                (found, ledger.next_change(now))
            };
            let Some((id, task)) = found else {
                let wait = next.map_or(RECENT / 2, |next| next.saturating_sub(now).min(RECENT / 2));
                // Whichever comes first, there may be something now.
                let _ = tokio::time::timeout(wait, notified).await;
                continue;
            };
            let mut lease = Held {
                jobs: self.clone(),
                id,
                task,
                begun: false,
                ended: false,
            };
            lease.write_tries(lease.task.span, lease.task.tries).await?;
            lease.begun = true;
            return Ok(Box::new(lease));
        }
    }

    async fn forget(&self, job: &JobId) -> Result<(), Fault> {
        self.shared.ledger().forget(job);
        Ok(())
    }

    async fn why_waiting(&self, job: &Job) -> Result<Option<String>, Fault> {
        let id = job
            .id()
            .map_err(|reason| Fault::Damaged(format!("a job's name: {reason}")))?;
        let (own, all) = {
            let ledger = self.shared.ledger();
            (ledger.depth_of(&id), ledger.depth())
        };
        if own.leased > 0 {
            return Ok(None);
        }
        let askers = self.askers();
        let mut fitting = false;
        let mut other = None;
        for (pins, asked) in askers.values() {
            if *pins == job.pins() {
                fitting = true;
            } else if asked.elapsed() < RECENT {
                other = Some(pins);
            }
        }
        Ok(Some(match other {
            _ if own.waiting == 0 => "its items are being handed out".to_owned(),
            _ if fitting && all.leased > 0 => "the workers are busy with other jobs".to_owned(),
            _ if fitting => "a try failed, and the next one has not begun yet".to_owned(),
            Some(other) => format!("its answers have to come from {}; here is {other}", job.pins()),
            None => "no worker is here".to_owned(),
        }))
    }

    async fn depth(&self) -> Result<Depth, Fault> {
        Ok(self.shared.ledger().depth())
    }
}

impl Embedded {
    fn askers(&self) -> std::sync::MutexGuard<'_, std::collections::HashMap<String, (crate::Pins, Instant)>> {
        self.shared
            .askers
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A task under a lease. Dropping it gives the task back: at once, as nothing else in this process will.
struct Held {
    jobs: Embedded,
    id: LeaseId,
    task: Task,
    /// Whether the try is on record and counts.
    begun: bool,
    ended: bool,
}

impl Held {
    /// Keeps on disk how often a task was begun.
    async fn write_tries(&self, span: Span, tries: u32) -> Result<(), Fault> {
        self.write_tasks(vec![(span, tries)]).await
    }

    async fn write_tasks(&self, tasks: Vec<(Span, u32)>) -> Result<(), Fault> {
        let id = self.task.job_id.clone();
        self.jobs
            .on_disk(move |file| {
                file.write(|transaction| {
                    let number = tables::number(&transaction.open_table(NUMBERS)?, id.as_str())?;
                    let mut table = transaction.open_table(TASKS)?;
                    if let Some(number) = number {
                        for (span, tries) in tasks {
                            table.insert((number, span.first), (span.count, tries))?;
                        }
                    }
                    Ok(())
                })
            })
            .await
    }

    fn give_back(&mut self, pause: Duration, counts: bool) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let shared = &self.jobs.shared;
        // A lease that was lost is not ours to give back.
        let _ = shared.ledger().give_back(shared.now(), self.id, pause, counts);
        shared.work.notify_waiters();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back(Duration::ZERO, self.begun);
    }
}

#[async_trait::async_trait]
impl Lease for Held {
    fn task(&self) -> &Task {
        &self.task
    }

    fn period(&self) -> Duration {
        self.jobs.shared.ledger().period()
    }

    async fn renew(&mut self) -> Result<(), LeaseLost> {
        let shared = &self.jobs.shared;
        shared.ledger().renew(shared.now(), self.id)
    }

    async fn done(mut self: Box<Self>) -> Result<(), Fault> {
        self.ended = true;
        let shared = &self.jobs.shared;
        // A lease that was lost changes nothing: what is done is in the store.
        let _ = shared.ledger().done(shared.now(), self.id);
        Ok(())
    }

    async fn retry(mut self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        self.give_back(pause, true);
        Ok(())
    }

    async fn hand_back(mut self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        // First on disk: afterwards the next worker writes there.
        let written = self
            .write_tries(self.task.span, self.task.tries.saturating_sub(1))
            .await;
        self.give_back(pause, false);
        written
    }

    async fn split(mut self: Box<Self>, parts: &[Span]) -> Result<(), Fault> {
        self.write_tasks(parts.iter().map(|&part| (part, 0)).collect())
            .await?;
        self.ended = true;
        let shared = &self.jobs.shared;
        let _ = shared.ledger().split(shared.now(), self.id, parts);
        shared.work.notify_waiters();
        Ok(())
    }
}
