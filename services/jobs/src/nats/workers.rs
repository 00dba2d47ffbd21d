//! The durable consumer that all workers with the same pins share.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, Info, PullConsumer, pull};

use super::{Settings, api::Api, names};
use crate::Fault;

/// How often a task is delivered at most. Workers cut a task in two, or give it up, well before; the limit ends what they
/// do not end, and the broker tells when it was reached.
const MAX_DELIVERIES: i64 = 10;

/// Workers that may wait for a task at once, each for every task that it can run.
const MAX_WAITING: i64 = 4096;

/// Tasks under a lease at once.
const MAX_LEASED: i64 = 20_000;

/// A consumer that nobody has asked for so long is dropped: engines come and go, and with them their pins.
const IDLE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Finds the consumer for these pins, or makes it.
///
/// # Errors
/// If the one that is there would deliver something else than the tasks for these pins.
pub(super) async fn make(api: &Api, settings: &Settings, pin: &str) -> Result<PullConsumer, Fault> {
    let wanted = pull::Config {
        durable_name: Some(names::consumer(pin)),
        filter_subject: names::tasks_of_pin(pin),
        ack_policy: AckPolicy::Explicit,
        ack_wait: settings.lease,
        max_deliver: MAX_DELIVERIES,
        max_waiting: MAX_WAITING,
        max_ack_pending: MAX_LEASED,
        inactive_threshold: IDLE,
        ..pull::Config::default()
    };
    let found = match api.consumer(names::QUEUE, &names::consumer(pin)).await? {
        Some(info) => info,
        None => api.create_consumer(names::QUEUE, wanted.clone()).await?,
    };
    check(&wanted, &found)?;
    let actual = pull::Config {
        ack_wait: found.config.ack_wait,
        ..wanted
    };
    Ok(Consumer::new(actual, found, api.context().clone()))
}

/// Holds what the server has against what was asked for: what it does not know it leaves aside without a word.
fn check(wanted: &pull::Config, found: &Info) -> Result<(), Fault> {
    let config = &found.config;
    let checks = [
        ("filter", config.filter_subject == wanted.filter_subject),
        ("kind", config.deliver_subject.is_none()),
        ("acknowledgement", config.ack_policy == wanted.ack_policy),
        ("most deliveries", config.max_deliver == wanted.max_deliver),
    ];
    if let Some((what, _)) = checks.iter().find(|(_, same)| !same) {
        let name = &found.name;
        return Err(Fault::Failed(format!(
            "consumer {name} is not as it has to be: its {what} differs"
        )));
    }
    if config.ack_wait != wanted.ack_wait {
        tracing::warn!(
            consumer = found.name,
            seconds = config.ack_wait.as_secs_f32(),
            "the consumer is there with another lease than configured; its own holds"
        );
    }
    Ok(())
}
