use std::{sync::Arc, time::Duration};

use tabiya_jobs::{Coordinator, Fault, Job};
use tokio::sync::Semaphore;

/// How long a submission waits until its tasks are in the queue. A broker that makes each message durable before it answers
/// takes some hundred a second, no more if 512 are under way than if 32 are: minutes for a great job, whose caller has nothing
/// to wait for, as the job itself is stored.
const PATIENCE: Duration = Duration::from_secs(1);

/// Jobs that are sent at once; further ones wait.
const AT_ONCE: usize = 4;

/// Sends what new jobs have to do, beside the calls that brought them.
#[derive(Clone, Debug)]
pub(crate) struct Sending(Arc<Semaphore>);

impl Default for Sending {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Sending {
    /// Sends a stored job, and returns when that is done, or goes on. If it fails, or the process ends, a round of looking
    /// after the jobs does it.
    pub(crate) async fn send(&self, coordinator: Coordinator, job: Job) {
        let places = self.0.clone();
        let sent = tokio::spawn(async move {
            // Nobody closes the semaphore.
            let _place = places.acquire_owned().await.ok();
            if let Err(fault) = send(&coordinator, &job).await {
                // Others may have been quicker to take the room.
                tracing::warn!(job = job.job_id, %fault, "a new job waits to be sent");
            }
        });
        let _ = tokio::time::timeout(PATIENCE, sent).await;
    }
}

async fn send(coordinator: &Coordinator, job: &Job) -> Result<(), Fault> {
    coordinator.send(job).await?;
    let id = job.id().map_err(|reason| Fault::Damaged(reason.to_owned()))?;
    let found = coordinator.store.get(&id).await?;
    // Whoever cancelled it meanwhile took off what was there by then.
    if found.is_none_or(|(job, progress)| !progress.is_running(job.items)) {
        coordinator.queue.forget(&id).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use tabiya_api::v1;
    use tabiya_jobs::{
        Depth, Embedded, Intake, JobId, JobStore as _, Lease, Pins, Quotas, Room, Span, WorkQueue, WorkerInfo,
    };

    use super::*;

    /// A queue that takes tasks in when it is told to.
    struct Slow {
        queue: Embedded,
        may_go_on: Semaphore,
    }

    #[async_trait::async_trait]
    impl WorkQueue for Slow {
        async fn room(&self, job: &Job) -> Result<Option<Room>, Fault> {
            self.queue.room(job).await
        }

        async fn ensure(&self, job: &Job, spans: &[Span]) -> Result<(), Fault> {
            let _once = self.may_go_on.acquire().await.unwrap();
            self.queue.ensure(job, spans).await
        }

        async fn lease(&self, worker: &WorkerInfo) -> Result<Box<dyn Lease>, Fault> {
            self.queue.lease(worker).await
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

    async fn stored(store: &Embedded, name: &str) -> Job {
        let head = v1::SubmitJobRequest {
            job_id: name.into(),
            limits: Some(v1::Limits {
                nodes: 1000,
                ..v1::Limits::default()
            }),
            ..v1::SubmitJobRequest::default()
        };
        let pins = Pins {
            engine: "1".into(),
            network: "ab".into(),
            tables: String::new(),
        };
        let mut intake = Intake::begin(&head, pins, Quotas::default()).unwrap();
        let item = v1::JobItem {
            item_id: "a".into(),
            ..v1::JobItem::default()
        };
        intake.add(vec![item], "").unwrap();
        let new = intake.finish(SystemTime::now()).unwrap();
        store.create(new).await.unwrap()
    }

    #[tokio::test]
    async fn a_slow_queue_keeps_nobody_waiting_and_gets_the_tasks_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let store = Embedded::open(folder.path()).unwrap();
        let slow = Arc::new(Slow {
            queue: store.clone(),
            may_go_on: Semaphore::new(0),
        });
        let coordinator = Coordinator {
            store: Arc::new(store.clone()),
            queue: slow.clone(),
            keep: Duration::from_secs(3600),
        };
        let sending = Sending::default();
        let job = stored(&store, "kept").await;
        let cancelled = stored(&store, "cancelled").await;
        // Returns, although the queue takes nothing.
        sending.send(coordinator.clone(), job).await;
        sending.send(coordinator.clone(), cancelled.clone()).await;
        assert_eq!(store.depth().await.unwrap(), Depth::default());
        store.cancel(&cancelled.id().unwrap()).await.unwrap();
        store.forget(&cancelled.id().unwrap()).await.unwrap();

        slow.may_go_on.add_permits(1);
        // Each returns its place when it is done: then all have been sent.
        let all = sending.0.acquire_many(AT_ONCE as u32);
        let _all = tokio::time::timeout(Duration::from_secs(120), all)
            .await
            .expect("an end")
            .unwrap();
        let waiting = Depth {
            waiting: 1,
            leased: 0,
        };
        assert_eq!(
            store.depth().await.unwrap(),
            waiting,
            "of the one that was not cancelled"
        );
    }
}
