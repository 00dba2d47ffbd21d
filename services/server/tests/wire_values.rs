//! Numbers that name no value of an enumeration, and durations that are none, in every field of every request that has one.

mod common;

use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor, Value,
};
use tabiya_api::FILE_DESCRIPTOR_SET;
use tonic::{
    Code, Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};
use tonic_types::StatusExt;

const SERVICES: [&str; 3] = [
    "tabiya.v1.RulesService",
    "tabiya.v1.ArbiterService",
    "tabiya.v1.SearchService",
];

/// How often a message type may stand within itself: events replace events.
const MOST_NESTED: usize = 2;

const DURATION: &str = "google.protobuf.Duration";

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
type Way = Vec<FieldDescriptor>;

/// The ways to every field of `message` that `wanted` accepts.
fn ways(
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
fn put(message: &mut DynamicMessage, way: &[FieldDescriptor], value: Value) {
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
fn path(way: &[FieldDescriptor]) -> String {
    let names = way.iter().map(|field| {
        let place = if field.is_list() { "[0]" } else { "" };
        format!("{}{place}", field.name())
    });
    names.collect::<Vec<_>>().join(".")
}

/// A request that is right but for what will be put into it.
fn base(request: &MessageDescriptor) -> DynamicMessage {
    let text = match request.name() {
        "StandingsRequest" => {
            r#"{"contest": {"players": [{"number": 1}, {"number": 2}],
                "teams": [{"number": 1, "members": [1]}, {"number": 2, "members": [2]}]}}"#
        }
        "CompareRulingsRequest" => r#"{"rulesets": ["fide-2023", "popular"]}"#,
        "ProveMateRequest" => r#"{"side": "COLOR_WHITE"}"#,
        "BestMoveRequest" | "AnalyzeRequest" | "BatchAnalyzeRequest" => r#"{"limits": {"nodes": "1"}}"#,
        _ => "{}",
    };
    let mut json = serde_json::Deserializer::from_str(text);
    DynamicMessage::deserialize(request.clone(), &mut json).unwrap()
}

/// Field and description of each violation that a request is refused for.
async fn refused(
    channel: &Channel,
    method: &MethodDescriptor,
    message: &DynamicMessage,
) -> Vec<(String, String)> {
    let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let request = Request::new(tokio_stream::once(prost::Message::encode_to_vec(message)));
    let answered = match grpc.streaming(request, path.parse().unwrap(), Raw).await {
        Ok(answers) => answers.into_inner().message().await,
        Err(status) => Err(status),
    };
    match answered {
        Err(status) => {
            assert_eq!(status.code(), Code::InvalidArgument, "{path}: {status:?}");
            let details = status.get_details_bad_request();
            let violations = details.into_iter().flat_map(|details| details.field_violations);
            violations.map(|one| (one.field, one.description)).collect()
        }
        Ok(None) => Vec::new(),
        Ok(Some(bytes)) => {
            let answer = DynamicMessage::decode(method.output(), bytes.as_slice()).unwrap();
            if !answer.has_field_by_name("error") {
                return Vec::new();
            }
            let error = answer.get_field_by_name("error");
            let violations = error.as_deref().and_then(Value::as_message).and_then(|error| {
                assert_eq!(
                    error.get_field_by_name("code")?.as_i32(),
                    Some(Code::InvalidArgument as i32)
                );
                Some(error.get_field_by_name("violations")?.into_owned())
            });
            let violations = violations.as_ref().and_then(Value::as_list).unwrap_or_default();
            let text = |one: &Value, name: &str| -> Option<String> {
                Some(one.as_message()?.get_field_by_name(name)?.as_str()?.to_owned())
            };
            let read = |one: &Value| {
                Some((
                    text(one, "field")?,
                    format!("`{}`: {}", text(one, "value")?, text(one, "reason")?),
                ))
            };
            violations.iter().filter_map(read).collect()
        }
    }
}

/// Sends `value` in every field that is `wanted`, one at a time, and expects the field to be named with this description.
async fn everywhere(
    wanted: &dyn Fn(&FieldDescriptor) -> bool,
    value: &dyn Fn(&FieldDescriptor) -> Value,
    description: &str,
    least: usize,
) {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
    let (mut tried, mut wrong) = (0, Vec::new());
    for service in SERVICES {
        for method in pool.get_service_by_name(service).unwrap().methods() {
            let mut all = Vec::new();
            ways(&method.input(), wanted, &mut Vec::new(), &mut all);
            for way in all {
                let mut message = base(&method.input());
                put(&mut message, &way, value(way.last().unwrap()));
                let violations = refused(&channel, &method, &message).await;
                let expected = (path(&way), description.to_owned());
                tried += 1;
                if !violations.contains(&expected) {
                    wrong.push(format!("{} {}: {violations:?}", method.name(), expected.0));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried >= least, "{tried}");
    common::shutdown(server).await;
}

#[tokio::test]
async fn an_unknown_number_is_refused_in_every_enumeration() {
    let wanted = |field: &FieldDescriptor| matches!(field.kind(), Kind::Enum(_));
    let value = |_: &FieldDescriptor| Value::EnumNumber(77);
    let description = "`77`: no value of the enumeration has this number";
    everywhere(&wanted, &value, description, 50).await;
}

#[tokio::test]
async fn a_duration_of_two_signs_is_refused_everywhere() {
    let wanted = |field: &FieldDescriptor| matches!(field.kind(), Kind::Message(inner) if inner.full_name() == DURATION);
    let value = |field: &FieldDescriptor| {
        let Kind::Message(duration) = field.kind() else {
            unreachable!("only durations are wanted")
        };
        let mut mixed = DynamicMessage::new(duration);
        mixed.set_field_by_name("seconds", Value::I64(1));
        mixed.set_field_by_name("nanos", Value::I32(-5));
        Value::Message(mixed)
    };
    let description = "`seconds 1, nanos -5`: seconds and nanos have different signs";
    everywhere(&wanted, &value, description, 20).await;
}

/// What is nested more deeply than a message may be is the caller's mistake, and so are bytes that are no message.
#[tokio::test]
async fn bytes_that_are_no_message_are_the_callers_mistake() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
    let event = pool.get_message_by_name("tabiya.v1.Event").unwrap();
    let correction = pool.get_message_by_name("tabiya.v1.CorrectionEvent").unwrap();
    let mut nested = DynamicMessage::new(event.clone());
    for _ in 0..80 {
        let mut outer = DynamicMessage::new(correction.clone());
        outer.set_field_by_name("replacement", Value::Message(nested));
        nested = DynamicMessage::new(event.clone());
        nested.set_field_by_name("correction", Value::Message(outer));
    }
    for method in ["Adjudicate", "BatchAdjudicate"] {
        let request = format!("tabiya.v1.{method}Request");
        let mut deep = DynamicMessage::new(pool.get_message_by_name(&request).unwrap());
        deep.set_field_by_name("events", Value::List(vec![Value::Message(nested.clone())]));
        for (bytes, reason) in [
            (prost::Message::encode_to_vec(&deep), "recursion limit reached"),
            (vec![0xff; 20], "invalid varint"),
        ] {
            let mut grpc = Grpc::new(channel.clone());
            grpc.ready().await.unwrap();
            let path = format!("/tabiya.v1.ArbiterService/{method}").parse().unwrap();
            let request = Request::new(tokio_stream::once(bytes));
            let answered = match grpc.streaming(request, path, Raw).await {
                Ok(answers) => answers.into_inner().message().await,
                Err(status) => Err(status),
            };
            let status = answered.unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status:?}");
            let first = &status.get_details_bad_request().unwrap().field_violations[0];
            assert_eq!(first.field, "message");
            assert!(first.description.ends_with(reason), "{}", first.description);
        }
    }
    common::shutdown(server).await;
}
