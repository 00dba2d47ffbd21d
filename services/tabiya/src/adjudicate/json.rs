//! Games of events from JSON.

use std::{
    io::{self, Read},
    sync::Arc,
};

use serde_json::value::RawValue;
use tabiya_client::v1::BatchAdjudicateRequest;

use super::{
    games::Found,
    item::{Item, Place},
    mapping,
};
use crate::{failure::Failure, input::Lines};

/// Longest file that holds one value, in bytes; JSON Lines may be of any length.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Longest line, in bytes: what a message can hold, in the longest spelling that is likely.
const MAX_LINE_BYTES: u64 = 16 << 20;

type Take<'a> = &'a mut dyn FnMut(Found) -> bool;

/// Reads an object a line; false if `take` wants no more.
///
/// # Errors
/// If the text cannot be read on.
pub(super) fn read_lines(
    file: &Arc<str>,
    text: Box<dyn Read + Send>,
    number: &mut u64,
    take: Take<'_>,
) -> Result<bool, Failure> {
    let mut lines = Lines::with_limit(text, MAX_LINE_BYTES);
    while let Some(line) = lines.next_line().map_err(|error| Failure::input(file, error))? {
        *number += 1;
        let place = Place {
            file: Arc::clone(file),
            number: *number,
            line: line.number,
        };
        let found = match line.text {
            Ok(text) => game(place, &text, line.number),
            Err(reason) => Found::Broken(format!("{place}: {reason}")),
        };
        if !take(found) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads one object, or a list of them; false if `take` wants no more.
///
/// # Errors
/// If the text cannot be read, or is not JSON.
pub(super) fn read_value(
    file: &Arc<str>,
    text: Box<dyn Read + Send>,
    number: &mut u64,
    take: Take<'_>,
) -> Result<bool, Failure> {
    let failure = |error: io::Error| Failure::input(file, error);
    let mut bytes = Vec::new();
    text.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failure)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let reason = format!("longer than {MAX_FILE_BYTES} bytes; JSON Lines (.jsonl) may be");
        return Err(Failure::input(file, reason));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::input(file, "not UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    let is_list = text.trim_start().starts_with('[');
    let values: Vec<&RawValue> = if is_list {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).map(|value| vec![value])
    }
    .map_err(|error| Failure::input(file, error))?;

    // Values stand in the text in order, so that its lines are counted once.
    let (mut counted, mut line) = (0, 1);
    for value in values {
        let at = (value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let between = text.as_bytes().get(counted..at).unwrap_or_default();
        line += between.iter().filter(|&&byte| byte == b'\n').count() as u64;
        counted = at;
        *number += 1;
        let place = Place {
            file: Arc::clone(file),
            number: *number,
            line,
        };
        if !take(game(place, value.get(), line)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A game from the text of an object that begins on `line`.
fn game(place: Place, text: &str, line: u64) -> Found {
    match mapping::read::<BatchAdjudicateRequest>("BatchAdjudicateRequest", text) {
        Ok(request) => Found::Game(Box::new(Item::events(place, request))),
        Err(error) => {
            let line = line + (error.line as u64).saturating_sub(1);
            let Place { file, number, .. } = place;
            Found::Broken(format!("{file}: game {number}, line {line}: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str, whole: bool) -> (Vec<String>, Result<bool, Failure>) {
        let mut found = Vec::new();
        let mut take = |one: Found| {
            found.push(match one {
                Found::Game(item) => format!("{} {}", item.place, item.request.id),
                Found::Broken(reason) => reason,
            });
            true
        };
        let (file, text, number) = ("x".into(), Box::new(text.as_bytes()), &mut 0);
        let result = if whole {
            read_value(&file, text, number, &mut take)
        } else {
            read_lines(&file, text, number, &mut take)
        };
        (found, result)
    }

    #[test]
    fn a_wrong_line_costs_only_itself() {
        let (found, result) = read("{\"id\": \"a\"}\n\nnonsense\n{\"di\": 1}\n{\"id\": \"b\"}", false);
        assert!(result.is_ok());
        assert_eq!(found[0], "x: game 1, line 1 a");
        assert!(
            found[1].starts_with("x: game 2, line 3: expected "),
            "{}",
            found[1]
        );
        assert_eq!(found[2], "x: game 3, line 4: unrecognized field name 'di'");
        assert_eq!(found[3], "x: game 4, line 5 b");
    }

    #[test]
    fn a_list_is_read_game_by_game() {
        let (found, result) = read("\n[{\"id\": \"a\"},\n\n{\"id\": \"b\",\n\"di\": 1}, {}]\n", true);
        assert!(result.is_ok());
        assert_eq!(
            found,
            [
                "x: game 1, line 2 a",
                "x: game 2, line 5: unrecognized field name 'di'",
                "x: game 3, line 5 "
            ]
        );
    }

    #[test]
    fn what_is_not_json_is_not_begun() {
        for text in ["{} {}", "{\"id\": \"a\"", "[{}", "", "{,}"] {
            let (found, result) = read(text, true);
            assert!(found.is_empty(), "{text}: {found:?}");
            let failure = result.unwrap_err().to_string();
            assert!(
                failure.starts_with("x: ") && failure.contains(" at line 1 column "),
                "{failure}"
            );
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = "[".repeat(1 << 20);
        let text: &'static str = Box::leak(format!("{{\"events\": {deep}").into_boxed_str());
        assert!(read(text, true).1.is_err());
        let (found, _) = read(text, false);
        assert!(found[0].starts_with("x: game 1, line 1: "), "{}", found[0]);
    }
}
