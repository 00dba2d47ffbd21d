//! A task that is held: a message that was delivered and is not acknowledged yet.

use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message, consumer::PullConsumer};

use super::{
    api::Published,
    faults, names,
    queue::{FAILURES_HEADER, Queue, SUSPECT_HEADER},
};
use crate::{Fault, Lease, LeaseLost, Past, Span, Task};

/// Shortest pause before a failed task is tried again: without any, a passing fault would use up all tries at once.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// A task under a lease.
pub(super) struct Held {
    queue: Queue,
    pin: String,
    task: Task,
    message: Message,
    sequence: u64,
    /// When the broker was last asked to wait for us; it counts from then on, or from a little later.
    renewed: Instant,
    period: Duration,
    /// If it was begun alone: how often that ended with the process before.
    deaths: Option<u32>,
}

/// A message that is no task of ours.
pub(super) struct Foreign(Box<Message>);

impl Foreign {
    /// Takes it off the queue.
    pub(super) async fn refuse(self) -> Result<(), Fault> {
        tracing::error!(subject = %self.0.subject, "a message in the queue is no task");
        self.0.double_ack_with(AckKind::Term).await.map_err(faults::away)
    }
}

impl Held {
    /// Reads a message that was delivered just now.
    pub(super) fn new(queue: &Queue, consumer: &PullConsumer, message: Message) -> Result<Self, Foreign> {
        let read = || {
            let (pin, job_id, span) = names::read_task(&message.subject)?;
            let info = message.info().ok()?;
            let headers = message.headers.as_ref();
            let failures = headers.and_then(|headers| headers.get(FAILURES_HEADER)?.as_str().parse().ok());
            let past = Past {
                failures: failures.unwrap_or(0),
                // Whoever had it before has said nothing: what is failed or handed back is put in anew.
                suspect: info.delivered > 1
                    || headers.is_some_and(|headers| headers.get(SUSPECT_HEADER).is_some()),
            };
            let task = Task { job_id, span, past };
            Some((pin.to_owned(), task, info.stream_sequence))
        };
        match read() {
            Some((pin, task, sequence)) => Ok(Self {
                queue: queue.clone(),
                pin,
                task,
                message,
                sequence,
                renewed: Instant::now(),
                period: consumer.cached_info().config.ack_wait,
                deaths: None,
            }),
            None => Err(Foreign(Box::new(message))),
        }
    }

    /// Whether the broker may have given the task to somebody else. The clock goes on while a process is frozen, so that
    /// one that was frozen for long knows.
    fn has_run_out(&self) -> bool {
        self.renewed.elapsed() >= self.period
    }

    /// Tells the broker and waits until it has heard.
    async fn tell(&self, kind: AckKind) -> Result<(), Fault> {
        let sent = Instant::now();
        let told = self.message.double_ack_with(kind).await.map_err(faults::away);
        self.queue.api().link().heed(sent, told)
    }

    /// Puts the same task in once more, with this past, and lets go of this one. The broker counts every delivery, so that
    /// one that is delivered again is known to have ended without a word.
    async fn put_back(self, past: Past) -> Result<(), Fault> {
        let Task { job_id, span, .. } = &self.task;
        let put_in = self.queue.put_in(&self.pin, job_id, *span, past, self.sequence);
        match put_in.await {
            // Refused: it was put in by somebody else already.
            Ok(Published::At(_) | Published::Refused) => self.tell(AckKind::Ack).await,
            // No room for a second copy: this one is delivered again, as a suspect, and nothing is lost but its company.
            Err(Fault::Full { .. }) => self.tell(AckKind::Nak(Some(SHORTEST_PAUSE))).await,
            Err(fault) => Err(fault),
        }
    }
}

#[async_trait::async_trait]
impl Lease for Held {
    fn task(&self) -> &Task {
        &self.task
    }

    fn period(&self) -> Duration {
        self.period
    }

    async fn renew(&mut self) -> Result<(), LeaseLost> {
        if self.has_run_out() {
            return Err(LeaseLost);
        }
        let asked = Instant::now();
        let left = self.period.saturating_sub(self.renewed.elapsed());
        let message = self.queue.api().message(names::QUEUE, self.sequence);
        let ask = futures_util::future::try_join(self.tell(AckKind::Progress), message);
        let told = tokio::time::timeout(left, ask).await;
        match told {
            Ok(Ok(((), Some(_)))) => {
                self.renewed = asked;
                Ok(())
            }
            // Acknowledged by somebody else, or taken off. The broker itself acknowledges whatever it is told.
            Ok(Ok(((), None))) => Err(LeaseLost),
            // Not told: there is time until the lease runs out.
            Ok(Err(_)) if !self.has_run_out() => Ok(()),
            Ok(Err(_)) | Err(_) => Err(LeaseLost),
        }
    }

    async fn begin_alone(&mut self) -> Result<u32, Fault> {
        let Task { job_id, span, .. } = &self.task;
        let deaths = self.queue.trials().begin(job_id, *span).await?;
        self.deaths = Some(deaths);
        Ok(deaths)
    }

    async fn done(self: Box<Self>) -> Result<(), Fault> {
        // True even if the lease has run out: every item has a result, whoever holds the task now.
        if self.deaths.is_some() {
            self.queue
                .trials()
                .forget(&self.task.job_id, self.task.span)
                .await?;
        }
        self.tell(AckKind::Ack).await
    }

    async fn retry(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        let past = Past {
            failures: self.task.tries(),
            // Who tells of a failure has survived the try.
            suspect: false,
        };
        self.let_go(past, pause.max(SHORTEST_PAUSE)).await
    }

    async fn hand_back(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        let past = self.task.past;
        self.let_go(past, pause).await
    }

    async fn split(self: Box<Self>, parts: &[Span]) -> Result<(), Fault> {
        if self.has_run_out() {
            return Ok(());
        }
        let Task { job_id, span, past } = &self.task;
        let past = Past { failures: 0, ..*past };
        for &part in parts {
            // Refused: it is there already.
            self.queue.put_in(&self.pin, job_id, part, past, 0).await?;
        }
        if self.deaths.is_some() {
            self.queue.trials().forget(job_id, *span).await?;
        }
        self.tell(AckKind::Ack).await
    }
}

impl Held {
    /// Has the task handed out again, with this past, after a pause.
    async fn let_go(self: Box<Self>, past: Past, pause: Duration) -> Result<(), Fault> {
        if self.has_run_out() {
            return Ok(());
        }
        if let Some(before) = self.deaths {
            let Task { job_id, span, .. } = &self.task;
            self.queue.trials().acquit(job_id, *span, before).await?;
        }
        if pause.is_zero() {
            return self.put_back(past).await;
        }
        // It is held until the pause is over. If this process ends before, the lease runs out.
        let mut held = self;
        tokio::spawn(async move {
            let until = Instant::now() + pause;
            loop {
                let left = until.saturating_duration_since(Instant::now());
                tokio::time::sleep(left.min(held.period / 3)).await;
                if Instant::now() >= until {
                    break;
                }
                if held.renew().await.is_err() {
                    return;
                }
            }
            if let Err(fault) = held.put_back(past).await {
                tracing::debug!(%fault, "a task could not be handed back; its lease runs out");
            }
        });
        Ok(())
    }
}
