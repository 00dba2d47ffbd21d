//! JSON Lines: an object a game.

use std::{collections::BTreeMap, io};

use serde::Serialize;
use tabiya_client::v1::{AdjudicateResponse, CompareRulingsResponse};

use super::{item::Item, mapping::AsJson};
use crate::failure::Failure;

/// An answer about one game.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer<'a> {
    /// By one ruleset.
    One(&'a AdjudicateResponse),
    /// By several.
    Several(&'a CompareRulingsResponse),
}

#[derive(Serialize)]
struct Row<'a> {
    game: u64,
    file: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ruling: Option<AsJson<'a, AdjudicateResponse>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<AsJson<'a, CompareRulingsResponse>>,
}

/// Writes the line of a game.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(item: &Item, answer: Answer<'_>, text: &mut Vec<u8>) -> Result<(), Failure> {
    let row = Row {
        game: item.place.number,
        file: &item.place.file,
        line: item.place.line,
        id: &item.request.id,
        tags: item.tags.iter().collect(),
        ruling: match answer {
            Answer::One(message) => Some(AsJson {
                name: "AdjudicateResponse",
                message,
            }),
            Answer::Several(_) => None,
        },
        comparison: match answer {
            Answer::One(_) => None,
            Answer::Several(message) => Some(AsJson {
                name: "CompareRulingsResponse",
                message,
            }),
        },
    };
    serde_json::to_writer(&mut *text, &row).map_err(|error| Failure::stdout(io::Error::from(error)))?;
    text.push(b'\n');
    Ok(())
}
