use std::time::{Duration, Instant};

use super::{
    Embedded,
    tables::{self, NUMBERS, TASKS, Tried},
};
use redb::ReadableTable as _;

use crate::{
    Depth, Fault, Job, JobId, Lease, LeaseId, LeaseLost, Past, Room, Span, Task, WorkQueue, WorkerInfo,
};

/// A worker that has not asked for so long is not counted on.
const RECENT: Duration = Duration::from_secs(60);

#[async_trait::async_trait]
impl WorkQueue for Embedded {
    async fn room(&self, _: &Job) -> Result<Option<Room>, Fault> {
        Ok(None)
    }

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
                                let ((_, first), tried) = (key.value(), Tried::read(value.value()));
                                // Nothing of the process that began it is left.
                                let past = Past {
                                    failures: tried.failures,
                                    suspect: tried.open,
                                };
                                let count = tried.count;
                                tasks.push((Span { first, count }, past));
                            }
                        }
                        if tasks.len() == before {
                            tasks.push((span, Past::default()));
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
            let lease = Held {
                jobs: self.clone(),
                id,
                task,
                deaths: None,
                ended: false,
            };
            // A suspect is on record as one until a word comes of it.
            lease.write(|tried| tried.open = true).await?;
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
            if pins.contains(&job.pins()) {
                fitting = true;
            } else if asked.elapsed() < RECENT {
                other = Some(pins);
            }
        }
        Ok(Some(match other {
            _ if own.waiting == 0 => "its items are being handed out".to_owned(),
            _ if fitting && all.leased > 0 => "the workers are busy with other jobs".to_owned(),
            _ if fitting => "a try failed, and the next one has not begun yet".to_owned(),
            Some(other) => {
                let here: Vec<_> = other.iter().map(ToString::to_string).collect();
                let here = here.join(", and ");
                format!("its answers have to come from {}; here is {here}", job.pins())
            }
            None => "no worker is here".to_owned(),
        }))
    }

    async fn depth(&self) -> Result<Depth, Fault> {
        Ok(self.shared.ledger().depth())
    }
}

impl Embedded {
    fn askers(
        &self,
    ) -> std::sync::MutexGuard<'_, std::collections::HashMap<String, (Vec<crate::Pins>, Instant)>> {
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
    /// If it was begun alone: how often that ended with the process before.
    deaths: Option<u32>,
    ended: bool,
}

impl Held {
    /// Changes what is kept of the task.
    async fn write(&self, change: impl FnOnce(&mut Tried) + Send + 'static) -> Result<(), Fault> {
        let (id, span) = (self.task.job_id.clone(), self.task.span);
        self.jobs
            .on_disk(move |file| {
                file.write(|transaction| {
                    let number = tables::number(&transaction.open_table(NUMBERS)?, id.as_str())?;
                    let mut table = transaction.open_table(TASKS)?;
                    if let Some(number) = number {
                        let key = (number, span.first);
                        let kept = table.get(key)?.map(|kept| Tried::read(kept.value()));
                        let mut tried = kept.filter(|kept| kept.count == span.count).unwrap_or(Tried {
                            count: span.count,
                            ..Tried::default()
                        });
                        change(&mut tried);
                        table.insert(key, tried.written())?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Keeps parts of the task in its place.
    async fn write_parts(&self, parts: &[Span]) -> Result<(), Fault> {
        let (id, parts, open) = (self.task.job_id.clone(), parts.to_vec(), self.task.past.suspect);
        self.jobs
            .on_disk(move |file| {
                file.write(|transaction| {
                    let number = tables::number(&transaction.open_table(NUMBERS)?, id.as_str())?;
                    let mut table = transaction.open_table(TASKS)?;
                    if let Some(number) = number {
                        for Span { first, count } in parts {
                            let tried = Tried {
                                count,
                                open,
                                ..Tried::default()
                            };
                            table.insert((number, first), tried.written())?;
                        }
                    }
                    Ok(())
                })
            })
            .await
    }

    fn give_back(&mut self, pause: Duration, failed: bool) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let shared = &self.jobs.shared;
        // A lease that was lost is not ours to give back.
        let _ = shared.ledger().give_back(shared.now(), self.id, pause, failed);
        shared.work.notify_waiters();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back(Duration::ZERO, false);
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

    async fn begin_alone(&mut self) -> Result<u32, Fault> {
        let (tell, told) = std::sync::mpsc::channel();
        self.write(move |tried| {
            let _ = tell.send(tried.deaths);
            tried.deaths = tried.deaths.saturating_add(1);
        })
        .await?;
        // Nothing was told if the job is gone.
        let deaths = told.recv().unwrap_or(0);
        self.deaths = Some(deaths);
        Ok(deaths)
    }

    async fn done(mut self: Box<Self>) -> Result<(), Fault> {
        self.ended = true;
        let shared = &self.jobs.shared;
        // A lease that was lost changes nothing: what is done is in the store.
        let _ = shared.ledger().done(shared.now(), self.id);
        Ok(())
    }

    async fn retry(mut self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        let (failures, deaths) = (self.task.tries(), self.deaths);
        let written = self
            .write(move |tried| {
                tried.failures = failures;
                tried.open = false;
                tried.deaths = deaths.unwrap_or(tried.deaths);
            })
            .await;
        self.give_back(pause, true);
        written
    }

    async fn hand_back(mut self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        // First on disk: afterwards the next worker writes there.
        let (open, deaths) = (self.task.past.suspect, self.deaths);
        let written = self
            .write(move |tried| {
                tried.open = open;
                tried.deaths = deaths.unwrap_or(tried.deaths);
            })
            .await;
        self.give_back(pause, false);
        written
    }

    async fn split(mut self: Box<Self>, parts: &[Span]) -> Result<(), Fault> {
        self.write_parts(parts).await?;
        self.ended = true;
        let shared = &self.jobs.shared;
        let _ = shared.ledger().split(shared.now(), self.id, parts);
        shared.work.notify_waiters();
        Ok(())
    }
}
