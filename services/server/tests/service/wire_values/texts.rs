//! Texts of thirty kilobytes in every field of every request that has text (grpc/grpc-rust#2216): what comes back is short.

use prost_reflect::{FieldDescriptor, Kind, Value};
use tonic::{Code, Status, metadata::MetadataMap};
use tonic_types::StatusExt;

use super::requests::{Rig, base, fields, item_error, methods, path, with};

/// Most bytes of a caller's that an error shows.
const ECHO: usize = 64;

/// What is repeated: plain, what percent-encoding triples, what has to be escaped, and all together.
const UNITS: [&str; 4] = ["x", "马", "\u{7f}\n\t\"%", "%马\u{202e}é\\ "];

fn text(unit: &str) -> String {
    unit.repeat(30_000 / unit.len())
}

/// No more than 64 bytes of the text, wherever they are from, plain or escaped.
fn echoes_little(told: &str, unit: &str) -> bool {
    let many = unit.repeat(3 * ECHO);
    unit.char_indices().all(|(from, _)| {
        let piece = &many[from..many.ceil_char_boundary(from + ECHO + 1)];
        let escaped = [
            piece.escape_default().to_string(),
            piece.escape_debug().to_string(),
        ];
        !told.contains(piece) && escaped.iter().all(|piece| !told.contains(piece))
    })
}

/// What is wrong with a status that should be one of these, if anything is.
fn faults(status: &Status, codes: &[Code], unit: &str) -> Option<String> {
    let details = status.get_details_bad_request();
    let violations = details.map_or_else(Vec::new, |details| details.field_violations);
    let mut told = violations.iter().flat_map(|one| [&one.field, &one.description]);
    let is_short = status.message().len() <= 1024
        && !status.message().is_empty()
        && status.details().len() <= 4096
        && violations.len() <= 17;
    let is_fine = is_short
        && codes.contains(&status.code())
        && echoes_little(status.message(), unit)
        && told.all(|told| echoes_little(told, unit));
    (!is_fine).then(|| format!("{status:?}"))
}

#[test]
fn an_echo_is_noticed() {
    for unit in UNITS {
        let text = text(unit);
        let cut = |bytes| text[..text.floor_char_boundary(bytes)].to_owned();
        assert!(
            echoes_little(&format!("value `{}`: no", cut(ECHO)), unit),
            "{unit:?}"
        );
        assert!(
            !echoes_little(&format!("value `{}`: no", cut(ECHO + 8)), unit),
            "{unit:?}"
        );
    }
}

#[tokio::test]
async fn long_texts_come_back_short_from_every_field() {
    let rig = Rig::start().await;
    let wanted = |field: &FieldDescriptor| matches!(field.kind(), Kind::String);
    let (mut taken, mut wrong, mut refused) = (Vec::new(), Vec::new(), 0);
    for (method, way) in fields(&wanted) {
        let place = format!("{} {}", method.name(), path(&way));
        for unit in UNITS {
            let message = with(&method, &way, Value::String(text(unit)));
            match rig.ask(&method, &message, MetadataMap::default()).await {
                Err(status) => {
                    refused += 1;
                    wrong.extend(
                        faults(&status, &[Code::InvalidArgument], unit)
                            .map(|fault| format!("{place}: {fault}")),
                    );
                }
                Ok(answer) => match answer.as_ref().and_then(item_error) {
                    Some(error) => {
                        refused += 1;
                        let is_fine = error.code == Code::InvalidArgument as i32
                            && error.message.len() <= 1024
                            && echoes_little(&error.message, unit)
                            && error.violations.iter().all(|one| {
                                one.value.len() <= ECHO
                                    && echoes_little(&one.field, unit)
                                    && echoes_little(&one.reason, unit)
                            });
                        if !is_fine {
                            wrong.push(format!("{place}: {error:?}"));
                        }
                    }
                    None => taken.push(place.clone()),
                },
            }
        }
    }
    taken.dedup();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(taken, Vec::<String>::new());
    assert!(refused >= 4 * 50, "{refused}");
    rig.end().await;
}

#[tokio::test]
async fn long_metadata_comes_back_short() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens.toml");
    std::fs::write(&tokens, "").unwrap();
    let open = Rig::start().await;
    let guarded = Rig::start_with(|config| config.tokens = Some(tokens)).await;
    for (rig, key, code) in [
        (&guarded, "authorization", Some(Code::Unauthenticated)),
        (&open, "grpc-timeout", Some(Code::InvalidArgument)),
        (&open, "accept-language", None),
        (&open, "traceparent", None),
        (&open, "tracestate", None),
        (&open, "x-request-id", None),
    ] {
        for unit in ["x", "%\\\"; "] {
            // What is longer than all metadata may be never gets so far.
            let long = unit.repeat(10_000 / unit.len());
            for method in methods() {
                let mut metadata = MetadataMap::new();
                metadata.insert(key, long.trim().parse().unwrap());
                let answered = rig.ask(&method, &base(&method.input()), metadata).await;
                let what = format!("{key} {unit:?} {}", method.name());
                match (answered, code) {
                    (Err(status), Some(code)) => assert_eq!(faults(&status, &[code], unit), None, "{what}"),
                    // Some requests lack something, and jobs are not there.
                    (Err(status), None) => {
                        let codes = [Code::InvalidArgument, Code::NotFound];
                        assert_eq!(faults(&status, &codes, unit), None, "{what}");
                    }
                    (Ok(_), None) => {}
                    (Ok(answer), Some(_)) => panic!("{what}: {answer:?}"),
                }
            }
        }
    }
    guarded.end().await;
    open.end().await;
}
