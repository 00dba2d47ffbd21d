//! What the broker tells about tasks that it delivers no more.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, PullConsumer, pull};
use futures_util::StreamExt as _;
use serde::Deserialize;

use super::{api::Api, faults, link::PATIENCE, names, queue::Queue};
use crate::Fault;

/// The consumer that all keepers share.
const CONSUMER: &str = "keeper";

/// Advisories that are heeded at once.
const PAGE: usize = 1_000;

/// What an advisory says, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Advisory {
    stream_seq: u64,
    #[serde(default)]
    deliveries: u64,
}

/// Heeds what the broker tells.
pub(super) struct Advisories {
    api: Api,
    queue: Queue,
    consumer: PullConsumer,
}

impl Advisories {
    pub(super) async fn make(api: &Api, queue: &Queue) -> Result<Self, Fault> {
        let config = pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(60),
            ..pull::Config::default()
        };
        let info = api.create_consumer(names::ADVISORIES, config.clone()).await?;
        Ok(Self {
            api: api.clone(),
            queue: queue.clone(),
            consumer: Consumer::new(config, info, api.context().clone()),
        })
    }

    /// Puts those tasks in again that were delivered as often as they may be.
    ///
    /// # Errors
    /// If the broker cannot be reached; what was not heeded is told again.
    pub(super) async fn heed(&self) -> Result<(), Fault> {
        let page = tokio::time::timeout(PATIENCE * 4, self.heed_page());
        page.await.unwrap_or_else(|late| Err(faults::away(late)))
    }

    async fn heed_page(&self) -> Result<(), Fault> {
        let fetch = self.consumer.fetch().max_messages(PAGE).messages();
        let mut page = fetch.await.map_err(faults::away)?;
        while let Some(message) = page.next().await {
            let message = message.map_err(faults::away)?;
            match serde_json::from_slice(&message.payload) {
                Ok(advisory) => self.heed_one(&advisory).await?,
                Err(error) => tracing::error!(%error, "an advisory cannot be read"),
            }
            message.ack().await.map_err(faults::away)?;
        }
        Ok(())
    }

    async fn heed_one(&self, advisory: &Advisory) -> Result<(), Fault> {
        let Some(task) = self.api.message(names::QUEUE, advisory.stream_seq).await? else {
            // Refused, and so taken off; or done at last.
            return Ok(());
        };
        let Some((pin, job, span)) = names::read_task(&task.subject) else {
            return self.api.delete_message(names::QUEUE, advisory.stream_seq).await;
        };
        let (first, count, deliveries) = (span.first, span.count, advisory.deliveries);
        tracing::warn!(%job, first, count, deliveries, "a task ended with every worker that began it");
        self.queue.revive(pin, &job, span, advisory.stream_seq).await
    }
}
