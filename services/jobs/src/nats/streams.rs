//! Making streams, and holding what the server made against what was asked for.

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};

use super::{Settings, api::Api, names};
use crate::Fault;

/// Makes the streams that are there whatever jobs there are.
pub(super) async fn make_all(api: &Api, settings: &Settings) -> Result<(), Fault> {
    let queue = Config {
        name: names::QUEUE.to_owned(),
        subjects: vec![names::TASKS.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: settings.max_tasks,
        max_bytes: settings.max_bytes,
        num_replicas: settings.replicas,
        ..Config::default()
    };
    make(api, &queue).await?;
    let advisories = Config {
        name: names::ADVISORIES.to_owned(),
        subjects: names::advisories(),
        max_messages: 100_000,
        max_age: std::time::Duration::from_secs(7 * 24 * 3600),
        num_replicas: settings.replicas,
        ..Config::default()
    };
    make(api, &advisories).await
}

/// Makes a stream, or finds the one that is there.
///
/// # Errors
/// [`Fault::Failed`] if the server has another one of that name, or has left aside what it does not know.
pub(super) async fn make(api: &Api, wanted: &Config) -> Result<(), Fault> {
    let found = match api.stream(&wanted.name).await? {
        Some(info) => info.config,
        None => api.create_stream(wanted).await?.config,
    };
    let differs = differences(wanted, &found);
    if differs.is_empty() {
        let limits = |config: &Config| (at_most(config.max_messages), at_most(config.max_bytes));
        if limits(&found) != limits(wanted) {
            tracing::warn!(
                stream = found.name,
                max_messages = found.max_messages,
                max_bytes = found.max_bytes,
                "the stream is there with other limits than configured; they stay"
            );
        }
        return Ok(());
    }
    let (name, differs) = (&wanted.name, differs.join(", "));
    Err(Fault::Failed(format!(
        "stream {name} is not as it has to be: {differs} differ"
    )))
}

/// The settings that change what a stream means, where they differ.
fn differences(wanted: &Config, found: &Config) -> Vec<&'static str> {
    let checks = [
        ("subjects", wanted.subjects == found.subjects),
        ("retention", wanted.retention == found.retention),
        ("discard", wanted.discard == found.discard),
        ("storage", wanted.storage == found.storage),
        (
            "messages for each subject",
            at_most(wanted.max_messages_per_subject) == at_most(found.max_messages_per_subject),
        ),
        ("direct access", wanted.allow_direct == found.allow_direct),
        ("greatest age", wanted.max_age == found.max_age),
    ];
    checks
        .into_iter()
        .filter_map(|(what, same)| (!same).then_some(what))
        .collect()
}

/// Both 0 and -1 mean that there is no limit.
fn at_most(limit: i64) -> Option<i64> {
    (limit > 0).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_left_aside_is_noticed() {
        let wanted = Config {
            subjects: vec!["a.>".to_owned()],
            allow_direct: true,
            max_messages: 5,
            ..Config::default()
        };
        let mut found = Config {
            max_messages: -1,
            max_messages_per_subject: -1,
            ..wanted.clone()
        };
        assert_eq!(differences(&wanted, &found), Vec::<&str>::new());
        found.allow_direct = false;
        found.subjects.clear();
        assert_eq!(differences(&wanted, &found), ["subjects", "direct access"]);
    }
}
