//! Waiting for a task, with an eye on whether the wait makes sense.

use std::time::{Duration, Instant};

use async_nats::jetstream::{
    Message,
    consumer::{PullConsumer, pull},
};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::runtime::Handle;

use super::{lease::Held, names, queue::Queue};
use crate::Lease as _;

/// How long one request for a task waits before the library sends another.
const REQUEST: Duration = Duration::from_secs(30);

/// Heartbeats after which a silent stream of tasks is looked into.
const HEARTBEATS: u32 = 3;

/// Before a stalled stream is opened again.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// Between two looks at a wait that seems forgotten: a request may just be on its way.
const SECOND_LOOK: Duration = Duration::from_millis(500);

/// Why the wait makes no sense any more.
#[derive(Debug)]
pub(super) enum Stalled {
    /// The broker has said nothing since then.
    Silent(Instant),
    /// It answers, but will not hand out anything to us.
    Forgotten(String),
}

/// A request that is out. A task that has arrived when it is dropped goes back at once.
struct Open<'q> {
    stream: pull::Stream,
    queue: &'q Queue,
    consumer: &'q PullConsumer,
    is_out: bool,
}

/// Waits for a task.
///
/// # Errors
/// If the broker is silent, or has forgotten that we wait: async-nats may then wait for ever without an error
/// (nats-io/nats.rs#860). Another call opens a new stream.
pub(super) async fn next(queue: &Queue, consumer: &PullConsumer) -> Result<Message, Stalled> {
    let heartbeat = queue.settings().heartbeat;
    let stream = consumer
        .stream()
        .max_messages_per_batch(1)
        .expires(REQUEST.max(heartbeat * 4))
        .heartbeat(heartbeat)
        .messages()
        .await
        .map_err(|error| Stalled::Forgotten(error.to_string()))?;
    let mut open = Open {
        stream,
        queue,
        consumer,
        is_out: true,
    };
    loop {
        match tokio::time::timeout(heartbeat * HEARTBEATS, open.stream.next()).await {
            Ok(Some(Ok(message))) => {
                open.is_out = false;
                return Ok(message);
            }
            // Found out after two heartbeats.
            Ok(Some(Err(error))) if error.kind() == pull::MessagesErrorKind::MissingHeartbeat => {
                let now = Instant::now();
                return Err(Stalled::Silent(now.checked_sub(heartbeat * 2).unwrap_or(now)));
            }
            Ok(Some(Err(error))) => return Err(Stalled::Forgotten(error.to_string())),
            Ok(None) => return Err(Stalled::Forgotten("the stream of tasks has ended".to_owned())),
            Err(_) => look_into(queue, consumer).await?,
        }
    }
}

/// Whether the broker knows that somebody waits.
async fn look_into(queue: &Queue, consumer: &PullConsumer) -> Result<(), Stalled> {
    let name = &consumer.cached_info().name;
    for look in 0..2 {
        if look > 0 {
            tokio::time::sleep(SECOND_LOOK).await;
        }
        let asked = Instant::now();
        let info = queue.api().consumer(names::QUEUE, name).await;
        let info = info.map_err(|_| Stalled::Silent(asked))?;
        let info = info.ok_or_else(|| Stalled::Forgotten(format!("consumer {name} was deleted")))?;
        let has_room = (info.num_ack_pending as i64) < info.config.max_ack_pending;
        if info.num_waiting > 0 && (info.num_pending == 0 || !has_room) {
            return Ok(());
        }
    }
    Err(Stalled::Forgotten(
        "tasks wait and none is delivered, or nobody is known to wait".to_owned(),
    ))
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // Once a task has come the request is used up, and asking the stream would send another.
        if self.is_out
            && let Some(Some(Ok(message))) = self.stream.next().now_or_never()
            && let Ok(held) = Held::new(self.queue, self.consumer, message)
            && let Ok(runtime) = Handle::try_current()
        {
            // Fails if the broker is away: then the lease runs out.
            runtime.spawn(async move { Box::new(held).hand_back(Duration::ZERO).await });
        }
    }
}
