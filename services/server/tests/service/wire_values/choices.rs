//! Fields of which one has to be set, and none is.

use std::collections::BTreeSet;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};
use tonic::{Code, metadata::MetadataMap};
use tonic_types::StatusExt;

use super::requests::{Rig, base, fields, item_error, methods, path, with};

/// What may be left unset, by the contract: a game is then one without moves.
const OPTIONAL: [&str; 3] = [
    "tabiya.v1.AdjudicateRequest.game",
    "tabiya.v1.BatchAdjudicateRequest.game",
    "tabiya.v1.CompareRulingsRequest.game",
];

/// The names of a message's choices.
fn choices(message: &MessageDescriptor) -> Vec<String> {
    let real = message.oneofs().filter(|choice| !choice.is_synthetic());
    real.map(|choice| choice.full_name().to_owned()).collect()
}

#[tokio::test]
async fn what_has_to_be_chosen_is_asked_for() {
    let rig = Rig::start().await;
    let mut asked = BTreeSet::new();
    let mut tried: Vec<(_, DynamicMessage, String, _)> = Vec::new();
    for method in methods() {
        let mut message = base(&method.input());
        for choice in method.input().oneofs().filter(|choice| !choice.is_synthetic()) {
            choice.fields().for_each(|field| message.clear_field(&field));
            tried.push((
                method.clone(),
                message.clone(),
                choice.name().to_owned(),
                choice.full_name().to_owned(),
            ));
        }
    }
    let has_choice = |field: &FieldDescriptor| match field.kind() {
        Kind::Message(inner) => !choices(&inner).is_empty(),
        _ => false,
    };
    for (method, way) in fields(&has_choice) {
        let Kind::Message(inner) = way.last().unwrap().kind() else {
            unreachable!("only messages are wanted")
        };
        let message = with(&method, &way, Value::Message(DynamicMessage::new(inner.clone())));
        for choice in inner.oneofs().filter(|choice| !choice.is_synthetic()) {
            let field = format!("{}.{}", path(&way), choice.name());
            tried.push((
                method.clone(),
                message.clone(),
                field,
                choice.full_name().to_owned(),
            ));
        }
    }
    for (method, message, field, choice) in tried {
        let what = format!("{} {field}", method.name());
        let answered = rig.ask(&method, &message, MetadataMap::default()).await;
        if OPTIONAL.contains(&choice.as_str()) {
            let answer = answered.unwrap().unwrap();
            assert!(item_error(&answer).is_none(), "{what}: {answer:?}");
            continue;
        }
        let named: Vec<String> = match answered {
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument, "{what}: {status:?}");
                let details = status.get_details_bad_request().unwrap();
                details
                    .field_violations
                    .into_iter()
                    .map(|one| one.field)
                    .collect()
            }
            Ok(answer) => {
                let error = answer.as_ref().and_then(item_error);
                let error = error.unwrap_or_else(|| panic!("{what}: {answer:?}"));
                assert_eq!(error.code, Code::InvalidArgument as i32, "{what}: {error:?}");
                error.violations.into_iter().map(|one| one.field).collect()
            }
        };
        assert!(named.contains(&field), "{what}: {named:?}");
        asked.insert(choice);
    }
    assert_eq!(
        asked.into_iter().collect::<Vec<_>>(),
        ["tabiya.v1.Event.kind", "tabiya.v1.StandingsRequest.event"]
    );
    rig.end().await;
}
