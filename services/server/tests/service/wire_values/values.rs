//! Numbers that name no value of an enumeration, and durations that are none, in every field of every request that has one.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MethodDescriptor, Value};
use tonic::{Code, metadata::MetadataMap};
use tonic_types::StatusExt;

use super::requests::{Rig, ask, fields, item_error, methods, path, with};

const DURATION: &str = "google.protobuf.Duration";

/// Field and description of each violation that a request is refused for.
async fn refused(rig: &Rig, method: &MethodDescriptor, message: &DynamicMessage) -> Vec<(String, String)> {
    match rig.ask(method, message, MetadataMap::default()).await {
        Err(status) => {
            assert_eq!(status.code(), Code::InvalidArgument, "{method:?}: {status:?}");
            let details = status.get_details_bad_request();
            let violations = details.into_iter().flat_map(|details| details.field_violations);
            violations.map(|one| (one.field, one.description)).collect()
        }
        Ok(answer) => {
            let Some(error) = answer.as_ref().and_then(item_error) else {
                return Vec::new();
            };
            assert_eq!(error.code, Code::InvalidArgument as i32, "{method:?}: {error:?}");
            let violations = error.violations.into_iter();
            violations
                .map(|one| (one.field, format!("`{}`: {}", one.value, one.reason)))
                .collect()
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
    let rig = Rig::start().await;
    let (mut tried, mut wrong) = (0, Vec::new());
    for (method, way) in fields(wanted) {
        let message = with(&method, &way, value(way.last().unwrap()));
        let violations = refused(&rig, &method, &message).await;
        // Which part of a stream it is, is told.
        let field = path(&way).replace("part.", "part[0].");
        let expected = (field, description.to_owned());
        tried += 1;
        if !violations.contains(&expected) {
            wrong.push(format!("{} {}: {violations:?}", method.name(), expected.0));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried >= least, "{tried}");
    rig.end().await;
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
    let rig = Rig::start().await;
    for method in methods() {
        let Some(events) = method.input().get_field_by_name("events") else {
            continue;
        };
        let Kind::Message(event) = events.kind() else {
            panic!("events are messages")
        };
        let field = event.get_field_by_name("correction").unwrap();
        let Kind::Message(correction) = field.kind() else {
            panic!("a correction is a message")
        };
        let mut nested = DynamicMessage::new(event.clone());
        for _ in 0..80 {
            let mut outer = DynamicMessage::new(correction.clone());
            outer.set_field_by_name("replacement", Value::Message(nested));
            nested = DynamicMessage::new(event.clone());
            nested.set_field_by_name("correction", Value::Message(outer));
        }
        let deep = with(&method, &[events], Value::Message(nested));
        let deep = prost::Message::encode_to_vec(&deep);
        for (bytes, reason) in [
            (deep, "recursion limit reached"),
            (vec![0xff; 20], "invalid varint"),
        ] {
            let answered = ask(&rig.channel, &method, bytes, MetadataMap::default()).await;
            let status = answered.unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{method:?}: {status:?}");
            let first = &status.get_details_bad_request().unwrap().field_violations[0];
            let is_stream = method.is_client_streaming();
            assert_eq!(first.field, if is_stream { "item[0].message" } else { "message" });
            assert!(first.description.ends_with(reason), "{}", first.description);
        }
    }
    rig.end().await;
}
