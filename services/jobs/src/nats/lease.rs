//! A task that is held: a message that was delivered and is not acknowledged yet.

use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message, consumer::PullConsumer};

use super::{
    api::Published,
    faults, names,
    queue::{Queue, TRIES_HEADER},
};
use crate::{Fault, Lease, LeaseLost, Span, Task};

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
            let before = headers.and_then(|headers| headers.get(TRIES_HEADER)?.as_str().parse().ok());
            let tries = u32::try_from(info.delivered)
                .unwrap_or(1)
                .saturating_add(before.unwrap_or(0));
            let task = Task { job_id, span, tries };
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

    /// Puts the same task in once more, as if this try had not been, and lets go of this one.
    async fn put_back(self) -> Result<(), Fault> {
        let Task { job_id, span, tries } = &self.task;
        let before = tries.saturating_sub(1);
        match self
            .queue
            .put_in(&self.pin, job_id, *span, before, self.sequence)
            .await
        {
            // Refused: it was put in by somebody else already.
            Ok(Published::At(_) | Published::Refused) => self.tell(AckKind::Ack).await,
            // No room for a second copy: the try counts after all.
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

    async fn done(self: Box<Self>) -> Result<(), Fault> {
        // True even if the lease has run out: every item has a result, whoever holds the task now.
        self.tell(AckKind::Ack).await
    }

    async fn retry(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        if self.has_run_out() {
            return Ok(());
        }
        self.tell(AckKind::Nak(Some(pause.max(SHORTEST_PAUSE)))).await
    }

    async fn hand_back(self: Box<Self>, pause: Duration) -> Result<(), Fault> {
        if self.has_run_out() {
            return Ok(());
        }
        if pause.is_zero() {
            return self.put_back().await;
        }
        // The broker counts every delivery, so the task is held until the pause is over and then put in anew. If this
        // process ends before, the lease runs out and the try counts.
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
            if let Err(fault) = held.put_back().await {
                tracing::debug!(%fault, "a task could not be handed back; its lease runs out");
            }
        });
        Ok(())
    }

    async fn split(self: Box<Self>, parts: &[Span]) -> Result<(), Fault> {
        if self.has_run_out() {
            return Ok(());
        }
        for &part in parts {
            // Refused: it is there already.
            self.queue
                .put_in(&self.pin, &self.task.job_id, part, 0, 0)
                .await?;
        }
        self.tell(AckKind::Ack).await
    }
}
