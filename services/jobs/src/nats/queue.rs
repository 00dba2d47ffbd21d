//! The work queue: a JetStream stream in which every task is a subject, with a consumer for each set of pins.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Instant,
};

use async_nats::{
    HeaderMap,
    jetstream::consumer::{self, PullConsumer},
};
use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, future::select_all, stream};
use tokio::sync::Mutex;

use super::{
    Settings,
    api::{Api, Published},
    bucket::AT_ONCE,
    drain::Drain,
    fate::{self, Fate},
    lease::Held,
    names,
    pull::{self, Stalled},
    trials::Trials,
    workers,
};
use crate::{Depth, Fault, Job, JobId, Lease, Past, Room, Span, WorkQueue, WorkerInfo};

/// Bytes of a task in the stream, with a job's longest name.
const TASK_BYTES: u64 = 512;

/// Header with the number of tries that failed before a task was put in.
pub(super) const FAILURES_HEADER: &str = "Tabiya-Failures";

/// Header of a task that may have ended a process before it was put in.
pub(super) const SUSPECT_HEADER: &str = "Tabiya-Suspect";

/// Hands out tasks through JetStream. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    api: Api,
    settings: Arc<Settings>,
    consumers: Arc<Mutex<HashMap<String, PullConsumer>>>,
    drain: Arc<Drain>,
    trials: Trials,
}

impl Queue {
    pub(super) fn new(api: &Api, settings: &Arc<Settings>) -> Self {
        Self {
            api: api.clone(),
            settings: Arc::clone(settings),
            consumers: Arc::default(),
            drain: Arc::default(),
            trials: Trials::new(api),
        }
    }

    pub(super) fn api(&self) -> &Api {
        &self.api
    }

    pub(super) fn trials(&self) -> &Trials {
        &self.trials
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The consumer for these pins, made or checked once.
    async fn consumer(&self, pin: &str) -> Result<PullConsumer, Fault> {
        let mut consumers = self.consumers.lock().await;
        if let Some(consumer) = consumers.get(pin) {
            return Ok(consumer.clone());
        }
        let consumer = workers::make(&self.api, &self.settings, pin).await?;
        consumers.insert(pin.to_owned(), consumer.clone());
        Ok(consumer)
    }

    /// The state of the consumer for these pins, which is made if it is not there.
    async fn consumer_state(&self, pin: &str) -> Result<consumer::Info, Fault> {
        loop {
            self.consumer(pin).await?;
            if let Some(info) = self.api.consumer(names::QUEUE, &names::consumer(pin)).await? {
                return Ok(info);
            }
            // Somebody has deleted it.
            self.consumers.lock().await.remove(pin);
        }
    }

    /// Puts a task in if its subject's last message has this sequence number; 0: if there is none.
    pub(super) async fn put_in(
        &self,
        pin: &str,
        job: &JobId,
        span: Span,
        past: Past,
        expected: u64,
    ) -> Result<Published, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert(FAILURES_HEADER, past.failures.to_string());
        if past.suspect {
            headers.insert(SUSPECT_HEADER, "1");
        }
        let subject = names::task(pin, job, span);
        self.api.publish(subject, headers, Bytes::new(), expected).await
    }

    /// Puts a task in again that will never be delivered.
    pub(super) async fn revive(&self, pin: &str, job: &JobId, span: Span, lost: u64) -> Result<(), Fault> {
        let (first, count) = (span.first, span.count);
        tracing::warn!(%job, first, count, "a task that is not delivered any more is put in again");
        // It may take up the last room, so it goes first. If we die in between, the next round finds it missing.
        self.api.delete_message(names::QUEUE, lost).await?;
        // How it was lost nobody knows.
        let past = Past {
            failures: 0,
            suspect: true,
        };
        self.put_in(pin, job, span, past, 0).await.map(drop)
    }

    /// The tasks in the stream for a job, by their first items.
    async fn present(&self, pin: &str, job: &JobId) -> Result<BTreeMap<u32, Span>, Fault> {
        let filter = names::tasks_of_job(job);
        let subjects = self
            .api
            .subjects(names::QUEUE, &filter)
            .await?
            .unwrap_or_default();
        let mut present = BTreeMap::new();
        for (of, _, span) in subjects.iter().filter_map(|subject| names::read_task(subject)) {
            if of == pin {
                // Of several that begin at the same item the longest covers the others.
                let longest: &mut Span = present.entry(span.first).or_insert(span);
                longest.count = longest.count.max(span.count);
            }
        }
        Ok(present)
    }

    /// Looks at a task in the stream, and puts it in again if it will never be delivered.
    async fn look_after(
        &self,
        pin: &str,
        job: &JobId,
        span: Span,
        state: &consumer::Info,
    ) -> Result<(), Fault> {
        let subject = names::task(pin, job, span);
        let Some(message) = self.api.last_message(names::QUEUE, &subject).await? else {
            return Ok(());
        };
        match fate::of(message.sequence, state) {
            Fate::Lost => self.revive(pin, job, span, message.sequence).await,
            Fate::Open | Fate::Waits => Ok(()),
        }
    }

    /// Says when there will be room, if there is none.
    fn told_when(&self, fault: Fault, tasks: usize) -> Fault {
        match fault {
            Fault::Full { reason, .. } => Fault::Full {
                reason,
                retry_after: self.drain.room_for(tasks),
            },
            other => other,
        }
    }
}

/// The tasks that lie across a span.
fn across(present: &BTreeMap<u32, Span>, span: Span) -> impl Iterator<Item = Span> + '_ {
    // Tasks of a job come from cutting its chunks, so whatever begins before the span and reaches into it begins no more
    // than a chunk before it.
    let from = span.first.saturating_sub(crate::MAX_CHUNK_ITEMS);
    let near = present.range(from..span.end()).map(|(_, &task)| task);
    near.filter(move |task| task.end() > span.first)
}

#[async_trait::async_trait]
impl WorkQueue for Queue {
    async fn room(&self, job: &Job) -> Result<Option<Room>, Fault> {
        let info = self.api.stream(names::QUEUE).await?;
        let info = info.ok_or_else(|| Fault::Damaged(format!("no stream {}", names::QUEUE)))?;
        let (limits, state) = (&info.config, &info.state);
        // There is no limit unless it is above 0.
        let tasks = u64::try_from(limits.max_messages).ok().filter(|&most| most > 0);
        let bytes = u64::try_from(limits.max_bytes).ok().filter(|&most| most > 0);
        let (tasks, bytes) = (tasks.unwrap_or(u64::MAX), bytes.unwrap_or(u64::MAX));
        let in_all = tasks.min(bytes / TASK_BYTES);
        let free = tasks
            .saturating_sub(state.messages)
            .min(bytes.saturating_sub(state.bytes) / TASK_BYTES);
        let state = self.consumer_state(&names::pin_of(job)).await?;
        self.drain.look(Instant::now(), done(&state));
        let missing = (job.chunks().count() as u64).saturating_sub(free);
        Ok(Some(Room {
            in_all,
            free,
            retry_after: self
                .drain
                .room_for(usize::try_from(missing).unwrap_or(usize::MAX)),
        }))
    }

    async fn ensure(&self, job: &Job, spans: &[Span]) -> Result<(), Fault> {
        let id = job.id().map_err(|reason| Fault::Failed(reason.to_owned()))?;
        let pin = names::pin_of(job);
        // The stream first: what leaves it after that is not taken for lost.
        let present = self.present(&pin, &id).await?;
        let state = self.consumer_state(&pin).await?;
        self.drain.look(Instant::now(), done(&state));
        let (there, absent): (Vec<Span>, Vec<Span>) = spans
            .iter()
            .copied()
            .partition(|&span| across(&present, span).next().is_some());
        let put_in = |span: Span| {
            let (pin, id) = (&pin, &id);
            async move { self.put_in(pin, id, span, Past::default(), 0).await.map(drop) }
        };
        stream::iter(absent.iter().copied())
            .map(put_in)
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await
            .map_err(|fault| self.told_when(fault, absent.len()))?;
        let look_after = |span: Span| {
            let (pin, id, state) = (&pin, &id, &state);
            async move { self.look_after(pin, id, span, state).await }
        };
        let tasks: Vec<Span> = there.iter().flat_map(|&span| across(&present, span)).collect();
        stream::iter(tasks)
            .map(look_after)
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await
            .map_err(|fault| self.told_when(fault, there.len()))
    }

    async fn lease(&self, worker: &WorkerInfo) -> Result<Box<dyn Lease>, Fault> {
        let pins = names::pins_of(worker);
        let mut has_stalled = false;
        loop {
            let mut consumers = Vec::with_capacity(pins.len());
            for pin in &pins {
                consumers.push(self.consumer(pin).await?);
            }
            let waits = consumers
                .iter()
                .map(|consumer| pull::next(self, consumer).boxed());
            let (next, from, others) = select_all(waits).await;
            drop(others);
            let (pin, consumer) = (&pins[from], &consumers[from]);
            match next {
                Ok(message) => match Held::new(self, consumer, message) {
                    Ok(held) => return Ok(Box::new(held)),
                    Err(foreign) => foreign.refuse().await?,
                },
                Err(stalled) => {
                    match stalled {
                        Stalled::Silent(since) => self.api.link().lost(since, "no heartbeat"),
                        Stalled::Forgotten(reason) if !has_stalled => {
                            has_stalled = true;
                            tracing::warn!(reason, "the wait for a task begins anew");
                        }
                        Stalled::Forgotten(_) => {}
                    }
                    // Looked for again, or made again; if the broker is away the caller is told.
                    self.consumers.lock().await.remove(pin);
                    tokio::time::sleep(pull::PAUSE).await;
                }
            }
        }
    }

    async fn forget(&self, job: &JobId) -> Result<(), Fault> {
        self.api.purge(names::QUEUE, &names::tasks_of_job(job)).await?;
        self.trials.forget_job(job).await
    }

    async fn why_waiting(&self, job: &Job) -> Result<Option<String>, Fault> {
        let pins = job.pins();
        let name = names::consumer(&names::pin_of(job));
        let state = self.api.consumer(names::QUEUE, &name).await?;
        let somebody = state.is_some_and(|state| state.num_waiting > 0 || state.num_ack_pending > 0);
        let gpu = if job.needs_gpu() { " and a GPU" } else { "" };
        Ok((!somebody).then(|| format!("no worker with {pins}{gpu} asks for work")))
    }

    async fn depth(&self) -> Result<Depth, Fault> {
        let consumers = self.api.consumers(names::QUEUE).await?;
        Ok(Depth {
            waiting: consumers.iter().map(|info| info.num_pending).sum(),
            leased: consumers.iter().map(|info| info.num_ack_pending as u64).sum(),
        })
    }
}

/// Tasks that a consumer has seen done, redeliveries included.
fn done(state: &consumer::Info) -> u64 {
    state
        .delivered
        .consumer_sequence
        .saturating_sub(state.num_ack_pending as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_across_a_span_are_found() {
        let span = |first, end| Span::new(first, end).unwrap();
        let present: BTreeMap<_, _> = [span(0, 16), span(16, 24), span(28, 32), span(48, 64)]
            .map(|span| (span.first, span))
            .into();
        let found = |first, end| across(&present, span(first, end)).collect::<Vec<_>>();
        assert_eq!(found(16, 32), [span(16, 24), span(28, 32)]);
        assert_eq!(found(24, 28), []);
        assert_eq!(found(32, 48), []);
        assert_eq!(found(63, 70), [span(48, 64)]);
        assert_eq!(found(8, 17), [span(0, 16), span(16, 24)]);
    }
}
