//! The proto3 JSON mapping, by the descriptors of the contract itself: a field that the contract gains is read and
//! written here without a line of code.

use std::{fmt, sync::OnceLock};

use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, SerializeOptions,
};
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use serde_json::Value;
use tabiya_client::FILE_DESCRIPTOR_SET;

use super::unique::Unique;

/// JSON text that is read with an eye on the path.
type Tracked<'t, 'j> =
    serde_path_to_error::Deserializer<'t, 't, &'t mut serde_json::Deserializer<serde_json::de::StrRead<'j>>>;

/// Longest reason of a refusal that is shown, in bytes: it may quote what was refused.
const MAX_REASON_BYTES: usize = 256;

/// Longest value that is quoted, in bytes.
const MAX_VALUE_BYTES: usize = 64;

/// Why a text is not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappingError {
    /// Line in the text, from 1; 0 if it is not known.
    pub(super) line: usize,
    /// Path of the field; empty for the whole.
    path: String,
    reason: String,
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.reason)
    }
}

impl MappingError {
    /// Says which value cannot be, and what can, where the mapping itself only says that one cannot: of an enum or a
    /// duration.
    fn with_value(mut self, message: &MessageDescriptor, text: &str) -> Self {
        let Ok(whole) = serde_json::from_str::<Value>(text) else {
            return self;
        };
        let found = value_at(&whole, &self.path).filter(|value| value.is_string() || value.is_number());
        let Some((value, field)) = found.zip(field_at(message, &self.path)) else {
            return self;
        };
        let value = cut(&value.to_string(), MAX_VALUE_BYTES);
        match field.kind() {
            Kind::Enum(kind) => {
                let names: Vec<_> = kind.values().filter(|one| one.number() != 0).collect();
                let names: Vec<_> = names.iter().map(|one| one.name()).collect();
                self.reason = format!("{value} is none of {}", names.join(", "));
            }
            Kind::Message(inner) if inner.full_name() == "google.protobuf.Duration" => {
                self.reason = format!("{value} is no duration: seconds, with an s, such as \"3.5s\"");
            }
            _ => {}
        }
        self
    }
}

/// The steps of a path such as `events[3].at`: each a name and the places in lists behind it.
fn steps(path: &str) -> impl Iterator<Item = (&str, impl Iterator<Item = usize>)> {
    path.split('.').map(|step| {
        let (name, places) = step.split_once('[').unwrap_or((step, ""));
        let places = places.split(['[', ']']).filter_map(|place| place.parse().ok());
        (name, places)
    })
}

/// The value at a path.
fn value_at<'v>(whole: &'v Value, path: &str) -> Option<&'v Value> {
    steps(path).try_fold(whole, |value, (name, mut places)| {
        places.try_fold(value.get(name)?, |value, place| value.get(place))
    })
}

/// The field at a path, by either of its names.
fn field_at(message: &MessageDescriptor, path: &str) -> Option<FieldDescriptor> {
    let mut field: Option<FieldDescriptor> = None;
    for (name, _) in steps(path) {
        let message = match &field {
            None => message.clone(),
            Some(field) => field.kind().as_message()?.clone(),
        };
        let by_json = message.get_field_by_json_name(name);
        field = Some(by_json.or_else(|| message.get_field_by_name(name))?);
    }
    field
}

/// A message of the contract, by its name without the package.
fn descriptor(name: &str) -> Option<MessageDescriptor> {
    static POOL: OnceLock<Option<DescriptorPool>> = OnceLock::new();
    POOL.get_or_init(|| DescriptorPool::decode(FILE_DESCRIPTOR_SET).ok())
        .as_ref()?
        .get_message_by_name(&format!("tabiya.v1.{name}"))
}

/// Reads a message from JSON text. Unknown keys are refused.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn read<T: Message + Default>(name: &str, text: &str) -> Result<T, MappingError> {
    let unknown = |reason: String| MappingError {
        line: 0,
        path: String::new(),
        reason,
    };
    let descriptor = descriptor(name).ok_or_else(|| unknown(format!("no message {name}")))?;
    tracked(text, |json| Unique::deserialize(json))?;
    let message = tracked(text, |json| DynamicMessage::deserialize(descriptor.clone(), json))
        .map_err(|error| error.with_value(&descriptor, text))?;
    message.transcode_to().map_err(|error| unknown(error.to_string()))
}

/// Reads JSON text and keeps the path to what is wrong in it.
fn tracked<T>(
    text: &str,
    read: impl FnOnce(Tracked<'_, '_>) -> serde_json::Result<T>,
) -> Result<T, MappingError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut track = serde_path_to_error::Track::new();
    let read = read(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    // What follows the value would otherwise be dropped without a word.
    let read = read.and_then(|value| json.end().map(|()| value));
    read.map_err(|error| {
        let path = track.path().to_string();
        let (whole, place) = (error.to_string(), format!(" at line {} column ", error.line()));
        let reason = whole
            .split_once(&place)
            .map_or(whole.as_str(), |(reason, _)| reason);
        MappingError {
            line: error.line(),
            path: path.trim_matches(['.', '?']).to_owned(),
            reason: cut(reason, MAX_REASON_BYTES),
        }
    })
}

/// A message that serde writes by the mapping, with the field names of the protos. Fields at their default are written
/// too: a reader finds every field that cannot be unset.
pub(super) struct AsJson<'a, T> {
    /// Its name without the package.
    pub(super) name: &'static str,
    /// The message.
    pub(super) message: &'a T,
}

impl<T: Message> Serialize for AsJson<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let descriptor =
            descriptor(self.name).ok_or_else(|| S::Error::custom(format!("no message {}", self.name)))?;
        let mut message = DynamicMessage::new(descriptor);
        message.transcode_from(self.message).map_err(S::Error::custom)?;
        let options = SerializeOptions::new()
            .use_proto_field_name(true)
            .skip_default_fields(false)
            .stringify_64_bit_integers(false);
        message.serialize_with_options(serializer, &options)
    }
}

/// Names of the fields of a oneof.
#[cfg(test)]
pub(super) fn oneof_fields(message: &str, oneof: &str) -> Vec<String> {
    let descriptor = descriptor(message).into_iter();
    let oneofs = descriptor.flat_map(|message| message.oneofs().collect::<Vec<_>>());
    oneofs
        .filter(|one| one.name() == oneof)
        .flat_map(|one| {
            one.fields()
                .map(|field| field.name().to_owned())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The text, or as much of it as fits.
fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(bytes)])
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{BatchAdjudicateRequest, Color, event::Kind};

    use super::*;

    fn request(text: &str) -> Result<BatchAdjudicateRequest, String> {
        read("BatchAdjudicateRequest", text).map_err(|error| format!("line {}: {error}", error.line))
    }

    #[test]
    fn both_spellings_of_names_are_read() {
        for text in [
            r#"{"id": "a", "events": [{"actor": "COLOR_BLACK", "at": "3.5s", "flag_fall": {"side": "COLOR_WHITE"}}]}"#,
            r#"{"id": "a", "events": [{"actor": "COLOR_BLACK", "at": "3.500s", "flagFall": {"side": 1}}]}"#,
        ] {
            let request = request(text).unwrap();
            let event = &request.events[0];
            assert_eq!(event.actor(), Color::Black);
            let at = event.at.unwrap();
            assert_eq!((at.seconds, at.nanos), (3, 500_000_000));
            assert!(
                matches!(&event.kind, Some(Kind::FlagFall(flag)) if flag.side() == Color::White),
                "{event:?}"
            );
        }
    }

    #[test]
    fn refusals_name_line_and_path() {
        for (text, expected) in [
            ("{\n \"evnts\": []}", "line 2: unrecognized field name 'evnts'"),
            (
                "{\"events\": [{},\n{\"move\":\n{\"tekst\": \"e2e4\"}}]}",
                "line 3: events[1].move: unrecognized field name 'tekst'",
            ),
            (
                r#"{"events": [{"at": "soon"}]}"#,
                "line 1: events[0].at: \"soon\" is no duration: seconds, with an s, such as \"3.5s\"",
            ),
            (
                r#"{"events": [{}, {"at": 5}]}"#,
                "line 1: events[1].at: 5 is no duration",
            ),
            (
                r#"{"timeControl": {"periods": [{"time": "1e3s"}]}}"#,
                "line 1: timeControl.periods[0].time: \"1e3s\" is no duration",
            ),
            (
                r#"{"events": [{"actor": "WHITE"}]}"#,
                "line 1: events[0].actor: \"WHITE\" is none of COLOR_WHITE, COLOR_BLACK",
            ),
            (
                r#"{"events": [{"flag_fall": {"side": "white"}}]}"#,
                "line 1: events[0].flag_fall.side: \"white\" is none of COLOR_WHITE, COLOR_BLACK",
            ),
            (r#"{"events": [{"at": {}}]}"#, "line 1: events[0].at: "),
            (
                r#"{"events": 7}"#,
                "line 1: events: invalid type: integer `7`, expected a list",
            ),
            (
                r#"{"events": [{"move": {}, "touch": {}}]}"#,
                "line 1: events[0]: multiple fields provided for oneof 'kind'",
            ),
            ("[]", "line 1: invalid type: sequence, expected a map"),
            (
                "{\"events\": [{\"at\": \"1s\",\n\"at\": \"2s\"}]}",
                "line 2: events[0]: field 'at' stands twice",
            ),
            (
                r#"{"time_control": {}, "timeControl": {}}"#,
                "line 1: field 'timeControl' stands twice",
            ),
            ("{", "line 1: EOF while parsing an object"),
        ] {
            let refusal = request(text).unwrap_err();
            assert!(refusal.starts_with(expected), "{text}: {refusal}");
        }
    }

    #[test]
    fn what_is_quoted_is_cut() {
        let text = format!(r#"{{"events": [{{"actor": "{}"}}]}}"#, "é".repeat(10_000));
        assert!(request(&text).unwrap_err().len() < 400);
    }

    #[test]
    fn written_messages_are_read_back() {
        let text = r#"{"id":"a","events":[{"actor":"COLOR_WHITE","at":"61.250s","draw_offer":{}}]}"#;
        let message = request(text).unwrap();
        let written = serde_json::to_string(&AsJson {
            name: "BatchAdjudicateRequest",
            message: &message,
        })
        .unwrap();
        assert!(
            written.starts_with(r#"{"id":"a","ruleset":"","events":[{"actor":"COLOR_WHITE","at":"61.250s","#),
            "{written}"
        );
        assert_eq!(request(&written), Ok(message));
    }
}
