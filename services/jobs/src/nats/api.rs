//! The requests to the broker that everything else is made of, each with one meaning for each outcome.
//!
//! They go out by the client library's own transport and types. Its wrappers around them have an error type for each
//! call, and some of them refuse to work with a 2.9 server.

use std::{
    collections::{HashMap, HashSet},
    time::Instant,
};

use async_nats::{
    HeaderMap, StatusCode,
    jetstream::{
        self, Context, ErrorCode, consumer,
        context::PublishErrorKind,
        message::{PublishMessage, StreamMessage},
        response::Response,
        stream::{self, DirectGetErrorKind, RawMessageErrorKind},
    },
};
use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{faults, link::Link};
use crate::Fault;

/// The broker, as we use it. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Api {
    context: Context,
    link: Link,
    /// Whether it is used to make what everybody else takes for granted.
    prepares: bool,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    /// It was stored under this sequence number.
    At(u64),
    /// It was not: its subject has a message already, or another one than was expected.
    Refused,
}

/// A stream's answer about its subjects.
#[derive(Deserialize)]
struct SubjectsPage {
    #[serde(default)]
    total: usize,
    state: SubjectsState,
}

#[derive(Deserialize)]
struct SubjectsState {
    #[serde(default)]
    subjects: Option<HashMap<String, u64>>,
}

/// The broker's list of streams, a page of it.
#[derive(Deserialize)]
struct NamesPage {
    #[serde(default)]
    total: usize,
    #[serde(default)]
    streams: Option<Vec<String>>,
}

/// The broker's list of a stream's consumers, a page of it.
#[derive(Deserialize)]
struct ConsumersPage {
    #[serde(default)]
    total: usize,
    #[serde(default)]
    consumers: Option<Vec<consumer::Info>>,
}

/// An answer of which only that it came matters.
#[derive(Deserialize)]
struct Done {}

impl Api {
    pub(super) fn new(context: Context, link: Link) -> Self {
        Self {
            context,
            link,
            prepares: false,
        }
    }

    /// The same for one who makes what is not there yet.
    pub(super) fn preparing(&self) -> Self {
        Self {
            prepares: true,
            ..self.clone()
        }
    }

    fn check(&self) -> Result<(), Fault> {
        if self.prepares {
            Ok(())
        } else {
            self.link.check_prepared()
        }
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// Most bytes of a message.
    pub(super) fn max_payload(&self) -> usize {
        self.context.client().max_payload()
    }

    /// Asks. `Ok(Err(_))` is the broker's refusal.
    async fn ask<T: DeserializeOwned>(
        &self,
        subject: String,
        payload: &impl Serialize,
    ) -> Result<Result<T, jetstream::Error>, Fault> {
        self.check()?;
        let sent = Instant::now();
        let answer = self.context.request(subject, payload).await.map_err(faults::away);
        Ok(match self.link.heed(sent, answer)? {
            Response::Ok(value) => Ok(value),
            Response::Err { error } => Err(error),
        })
    }

    /// Asks about something that may not be there.
    async fn look<T: DeserializeOwned>(
        &self,
        subject: String,
        payload: &impl Serialize,
    ) -> Result<Option<T>, Fault> {
        match self.ask(subject, payload).await? {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code() == 404 => Ok(None),
            Err(error) => Err(faults::refusal(&error)),
        }
    }

    /// Asks for something to be done.
    async fn tell<T: DeserializeOwned>(&self, subject: String, payload: &impl Serialize) -> Result<T, Fault> {
        self.ask(subject, payload)
            .await?
            .map_err(|error| faults::refusal(&error))
    }

    // Streams.

    /// Makes a stream, or finds the one of the same name and the same settings.
    ///
    /// # Errors
    /// [`Fault::Failed`] if there is one with other settings.
    pub(super) async fn create_stream(&self, config: &stream::Config) -> Result<stream::Info, Fault> {
        self.tell(format!("STREAM.CREATE.{}", config.name), config).await
    }

    /// A stream's settings and state; `None` if there is no such stream.
    pub(super) async fn stream(&self, name: &str) -> Result<Option<stream::Info>, Fault> {
        self.look(format!("STREAM.INFO.{name}"), &json!({})).await
    }

    /// The subjects that a stream has messages of, as far as they match; `None` if there is no such stream.
    pub(super) async fn subjects(&self, name: &str, filter: &str) -> Result<Option<HashSet<String>>, Fault> {
        let mut found = HashSet::new();
        loop {
            let ask = json!({ "subjects_filter": filter, "offset": found.len() });
            let page: Option<SubjectsPage> = self.look(format!("STREAM.INFO.{name}"), &ask).await?;
            let Some(page) = page else { return Ok(None) };
            let before = found.len();
            found.extend(page.state.subjects.unwrap_or_default().into_keys());
            if found.len() >= page.total || found.len() == before {
                return Ok(Some(found));
            }
        }
    }

    /// Removes a stream with all that is in it; nothing happens if there is none.
    pub(super) async fn delete_stream(&self, name: &str) -> Result<(), Fault> {
        self.look::<Done>(format!("STREAM.DELETE.{name}"), &json!({}))
            .await
            .map(drop)
    }

    /// The names of all streams.
    pub(super) async fn stream_names(&self) -> Result<Vec<String>, Fault> {
        let mut names = Vec::new();
        loop {
            let page: NamesPage = self
                .tell("STREAM.NAMES".to_owned(), &json!({ "offset": names.len() }))
                .await?;
            let before = names.len();
            names.extend(page.streams.unwrap_or_default());
            if names.len() >= page.total || names.len() == before {
                return Ok(names);
            }
        }
    }

    // Messages.

    /// Stores a message if the last one of its subject has this sequence number; 0: if there is none.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] if nobody knows whether it was stored.
    pub(super) async fn publish(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Bytes,
        expected: u64,
    ) -> Result<Published, Fault> {
        self.check()?;
        let message = PublishMessage::build()
            .headers(headers)
            .payload(payload)
            .expected_last_subject_sequence(expected);
        let sent = Instant::now();
        let stored = async { self.context.send_publish(subject, message).await?.await };
        let outcome = match stored.await {
            Ok(ack) => Ok(Published::At(ack.sequence)),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(Published::Refused),
            Err(error) => Err(faults::unpublished(&error)),
        };
        self.link.heed(sent, outcome)
    }

    /// The message with this sequence number, from the stream's leader.
    pub(super) async fn message(&self, stream: &str, sequence: u64) -> Result<Option<StreamMessage>, Fault> {
        self.raw(stream, |builder| builder.sequence(sequence)).await
    }

    /// The last message of a subject, from the stream's leader.
    pub(super) async fn last_message(
        &self,
        stream: &str,
        subject: &str,
    ) -> Result<Option<StreamMessage>, Fault> {
        self.raw(stream, |builder| builder.last_by_subject(subject)).await
    }

    async fn raw(
        &self,
        stream: &str,
        which: impl FnOnce(
            stream::RawMessageBuilder<stream::WithHeaders>,
        ) -> stream::RawMessageBuilder<stream::WithHeaders>,
    ) -> Result<Option<StreamMessage>, Fault> {
        self.check()?;
        // A handle: nothing is asked for it.
        let handle = self
            .context
            .get_stream_no_info(stream)
            .await
            .map_err(faults::away)?;
        let sent = Instant::now();
        let outcome = match which(handle.raw_message_builder()).send().await {
            Ok(message) => Ok(Some(message)),
            Err(error) => match error.kind() {
                RawMessageErrorKind::NoMessageFound => Ok(None),
                RawMessageErrorKind::JetStream(answer) if answer.code() == 404 => Ok(None),
                RawMessageErrorKind::JetStream(answer) => Err(faults::refusal(&answer)),
                _ => Err(faults::away(error)),
            },
        };
        self.link.heed(sent, outcome)
    }

    /// The last message of a subject, from whichever copy of the stream is nearest; `None` if there is no such message.
    pub(super) async fn nearest(&self, stream: &str, subject: &str) -> Result<Option<StreamMessage>, Fault> {
        self.check()?;
        let handle = self
            .context
            .get_stream_no_info(stream)
            .await
            .map_err(faults::away)?;
        let sent = Instant::now();
        let outcome = match handle.direct_get_last_for_subject(subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) => match error.kind() {
                // Nobody answers for a stream that does not exist.
                DirectGetErrorKind::NotFound
                | DirectGetErrorKind::ErrorResponse(StatusCode::NO_RESPONDERS, _) => Ok(None),
                _ => Err(faults::away(error)),
            },
        };
        self.link.heed(sent, outcome)
    }

    /// Removes a message; nothing happens if there is none.
    pub(super) async fn delete_message(&self, stream: &str, sequence: u64) -> Result<(), Fault> {
        let subject = format!("STREAM.MSG.DELETE.{stream}");
        match self
            .ask::<Done>(subject, &json!({ "seq": sequence, "no_erase": true }))
            .await?
        {
            Ok(Done {}) => Ok(()),
            // 2.9 says 500 and this code where there is no message.
            Err(error)
                if error.code() == 404 || error.error_code() == ErrorCode::STREAM_MESSAGE_DELETE_FAILED =>
            {
                Ok(())
            }
            Err(error) => Err(faults::refusal(&error)),
        }
    }

    /// Removes all messages whose subjects match, and tells how many there were; 0 if there is no such stream.
    pub(super) async fn purge(&self, stream: &str, filter: &str) -> Result<u64, Fault> {
        let purged: Option<stream::PurgeResponse> = self
            .look(format!("STREAM.PURGE.{stream}"), &json!({ "filter": filter }))
            .await?;
        Ok(purged.map_or(0, |answer| answer.purged))
    }

    // Consumers.

    /// A consumer's settings and state; `None` if there is no such consumer.
    pub(super) async fn consumer(&self, stream: &str, name: &str) -> Result<Option<consumer::Info>, Fault> {
        self.look(format!("CONSUMER.INFO.{stream}.{name}"), &json!({}))
            .await
    }

    /// Makes a pull consumer, or finds the one of the same name and the same settings.
    pub(super) async fn create_consumer(
        &self,
        stream: &str,
        config: consumer::pull::Config,
    ) -> Result<consumer::Info, Fault> {
        use consumer::IntoConsumerConfig as _;
        let config = config.into_consumer_config();
        let name = config
            .durable_name
            .as_deref()
            .or(config.name.as_deref())
            .unwrap_or_default();
        let filter = match config.filter_subject.as_str() {
            "" => String::new(),
            filter => format!(".{filter}"),
        };
        let subject = format!("CONSUMER.CREATE.{stream}.{name}{filter}");
        self.tell(subject, &json!({ "stream_name": stream, "config": config }))
            .await
    }

    /// All consumers of a stream.
    pub(super) async fn consumers(&self, stream: &str) -> Result<Vec<consumer::Info>, Fault> {
        let mut all = Vec::new();
        loop {
            let page: ConsumersPage = self
                .tell(format!("CONSUMER.LIST.{stream}"), &json!({ "offset": all.len() }))
                .await?;
            let before = all.len();
            all.extend(page.consumers.unwrap_or_default());
            if all.len() >= page.total || all.len() == before {
                return Ok(all);
            }
        }
    }
}
