//! Requests of every method, made from the contract's descriptors.

use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor, Value,
};
use tabiya_api::FILE_DESCRIPTOR_SET;
use tabiya_server::{Config, RunningServer, Server};
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    metadata::MetadataMap,
    transport::Channel,
};

use crate::common;

/// How often a message type may stand within itself: events replace events.
const MOST_NESTED: usize = 2;

/// Messages as bytes.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let length = bytes::Buf::remaining(buffer);
        Ok(Some(bytes::Buf::copy_to_bytes(buffer, length).to_vec()))
    }
}

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

/// A way from a request to a field that is of interest.
pub(crate) type Way = Vec<FieldDescriptor>;

/// The ways to every field of `message` that `wanted` accepts.
pub(crate) fn ways(
    message: &MessageDescriptor,
    wanted: &dyn Fn(&FieldDescriptor) -> bool,
    on: &mut Way,
    all: &mut Vec<Way>,
) {
    for field in message.fields() {
        on.push(field.clone());
        if wanted(&field) {
            all.push(on.clone());
        } else if let Kind::Message(inner) = field.kind() {
            let parents = on.iter().filter(|field| field.parent_message() == &inner).count();
            if parents < MOST_NESTED {
                ways(&inner, wanted, on, all);
            }
        }
        on.pop();
    }
}

/// Puts a value at the end of a way; what is missing before it is made.
pub(crate) fn put(message: &mut DynamicMessage, way: &[FieldDescriptor], value: Value) {
    let (field, rest) = way.split_first().unwrap();
    let Some(next) = rest.first() else {
        let value = if field.is_list() {
            Value::List(vec![value])
        } else {
            value
        };
        message.set_field(field, value);
        return;
    };
    let empty = || DynamicMessage::new(next.parent_message().clone());
    if !message.has_field(field) {
        let empty = Value::Message(empty());
        message.set_field(
            field,
            if field.is_list() {
                Value::List(vec![empty])
            } else {
                empty
            },
        );
    }
    match message.get_field_mut(field) {
        Value::List(list) => put(list[0].as_message_mut().unwrap(), rest, value),
        inner => put(inner.as_message_mut().unwrap(), rest, value),
    }
}

/// The way as violations name it.
pub(crate) fn path(way: &[FieldDescriptor]) -> String {
    let names = way.iter().map(|field| {
        let place = if field.is_list() { "[0]" } else { "" };
        format!("{}{place}", field.name())
    });
    names.collect::<Vec<_>>().join(".")
}

/// A request that is right but for what will be put into it.
pub(crate) fn base(request: &MessageDescriptor) -> DynamicMessage {
    let text = match request.name() {
        "StandingsRequest" => {
            r#"{"contest": {"players": [{"number": 1}, {"number": 2}],
                "teams": [{"number": 1, "members": [1]}, {"number": 2, "members": [2]}]}}"#
        }
        "CompareRulingsRequest" => r#"{"rulesets": ["fide-2023", "popular"]}"#,
        "SubmitJobRequest" => r#"{"limits": {"nodes": "1"}, "items": [{}]}"#,
        "UploadJobRequest" => r#"{"part": {"limits": {"nodes": "1"}, "items": [{}]}}"#,
        "ProveMateRequest" => r#"{"side": "COLOR_WHITE"}"#,
        "BestMoveRequest" | "AnalyzeRequest" | "BatchAnalyzeRequest" => r#"{"limits": {"nodes": "1"}}"#,
        _ => "{}",
    };
    let mut json = serde_json::Deserializer::from_str(text);
    DynamicMessage::deserialize(request.clone(), &mut json).unwrap()
}

/// Every method of the contract.
pub(crate) fn methods() -> Vec<MethodDescriptor> {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
    let ours = pool
        .services()
        .filter(|service| service.package_name() == "tabiya.v1");
    let methods: Vec<_> = ours
        .flat_map(|service| service.methods().collect::<Vec<_>>())
        .collect();
    let services: std::collections::BTreeSet<_> = methods
        .iter()
        .map(|method| method.parent_service().name().to_owned())
        .collect();
    assert_eq!(services.len(), 4, "{services:?}");
    methods
}

/// Every field of a request of any method that is `wanted`: the method, and the way to the field.
pub(crate) fn fields(wanted: &dyn Fn(&FieldDescriptor) -> bool) -> Vec<(MethodDescriptor, Way)> {
    let mut found = Vec::new();
    for method in methods() {
        let mut all = Vec::new();
        ways(&method.input(), wanted, &mut Vec::new(), &mut all);
        found.extend(all.into_iter().map(|way| (method.clone(), way)));
    }
    found
}

/// The right request of a method, with this value at the end of a way.
pub(crate) fn with(method: &MethodDescriptor, way: &[FieldDescriptor], value: Value) -> DynamicMessage {
    let mut message = base(&method.input());
    put(&mut message, way, value);
    message
}

/// A server that has a place for jobs; it goes with the folder.
pub(crate) struct Rig {
    pub(crate) channel: Channel,
    server: RunningServer,
    _folder: tempfile::TempDir,
}

impl Rig {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub(crate) async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config {
            jobs_dir: Some(folder.path().join("jobs")),
            ..common::config()
        };
        change(&mut config);
        let server = Server::start(config).unwrap();
        Self {
            channel: common::channel(server.addr()).await,
            server,
            _folder: folder,
        }
    }

    pub(crate) async fn end(self) {
        common::shutdown(self.server).await;
    }

    /// The first answer, if there is one.
    pub(crate) async fn ask(
        &self,
        method: &MethodDescriptor,
        message: &DynamicMessage,
        metadata: MetadataMap,
    ) -> Result<Option<DynamicMessage>, Status> {
        let bytes = prost::Message::encode_to_vec(message);
        let answer = ask(&self.channel, method, bytes, metadata).await?;
        Ok(answer.map(|bytes| DynamicMessage::decode(method.output(), bytes.as_slice()).unwrap()))
    }
}

/// The first answer to a message's bytes.
pub(crate) async fn ask(
    channel: &Channel,
    method: &MethodDescriptor,
    bytes: Vec<u8>,
    metadata: MetadataMap,
) -> Result<Option<Vec<u8>>, Status> {
    let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let mut request = Request::new(tokio_stream::once(bytes));
    *request.metadata_mut() = metadata;
    let answers = grpc.streaming(request, path.parse().unwrap(), Raw).await?;
    answers.into_inner().message().await
}

/// A fault of an item, as an answer carries it.
#[derive(Debug)]
pub(crate) struct ItemError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) violations: Vec<Violation>,
}

/// A field at fault.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) field: String,
    pub(crate) value: String,
    pub(crate) reason: String,
}

/// The error in an answer, if that is what it is.
pub(crate) fn item_error(answer: &DynamicMessage) -> Option<ItemError> {
    if !answer.has_field_by_name("error") {
        return None;
    }
    let error = answer.get_field_by_name("error")?;
    let error = error.as_message()?;
    let text = |message: &DynamicMessage, name: &str| -> Option<String> {
        Some(message.get_field_by_name(name)?.as_str()?.to_owned())
    };
    let violations = error.get_field_by_name("violations")?;
    let violations = violations.as_list()?.iter().map(|one| {
        let one = one.as_message()?;
        Some(Violation {
            field: text(one, "field")?,
            value: text(one, "value")?,
            reason: text(one, "reason")?,
        })
    });
    Some(ItemError {
        code: error.get_field_by_name("code")?.as_i32()?,
        message: text(error, "message")?,
        violations: violations.collect::<Option<_>>()?,
    })
}
