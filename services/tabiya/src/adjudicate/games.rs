//! Games from files: PGN or JSON.

use std::{io::Read, path::PathBuf, sync::Arc};

use tabiya_client::MAX_MESSAGE_BYTES;
use tabiya_rules::pgn::GameTexts;

use super::{
    item::{Item, Place},
    json,
};
use crate::{
    failure::Failure,
    input::{Kind, open, sniff},
};

/// What a reader hands on.
#[derive(Debug)]
pub(super) enum Found {
    /// A game to rule on.
    Game(Box<Item>),
    /// A game that cannot be read, and why, with its place.
    Broken(String),
}

/// Reads all files and hands their games to `take`, until that says false.
///
/// # Errors
/// If a file cannot be read on, or is of no use; a game that cannot be read is no error.
pub(super) fn read(files: &[PathBuf], take: &mut dyn FnMut(Found) -> bool) -> Result<(), Failure> {
    let mut number = 0;
    for path in files {
        let name: Arc<str> = path.display().to_string().into();
        let (kind, text) = sniff(path, open(path)?).map_err(|error| Failure::input(&name, error))?;
        let wants_more = match kind {
            Kind::Pgn => read_pgn(&name, text, &mut number, take)?,
            Kind::Json => json::read_value(&name, text, &mut number, take)?,
            Kind::JsonLines => json::read_lines(&name, text, &mut number, take)?,
            Kind::Lines => {
                let reason = "is a list of positions; games in PGN, or events in JSON, can be ruled on";
                return Err(Failure::input(&name, reason));
            }
        };
        if !wants_more {
            break;
        }
    }
    Ok(())
}

fn read_pgn(
    file: &Arc<str>,
    text: Box<dyn Read + Send>,
    number: &mut u64,
    take: &mut dyn FnMut(Found) -> bool,
) -> Result<bool, Failure> {
    for game in GameTexts::new(text, MAX_MESSAGE_BYTES) {
        let game = game.map_err(|error| Failure::input(file, error))?;
        *number += 1;
        let place = Place {
            file: Arc::clone(file),
            number: *number,
            line: game.location.line,
        };
        let found = match game.text {
            Some(text) => Found::Game(Box::new(Item::pgn(place, game.tags, text))),
            None => Found::Broken(format!(
                "{place}: longer than {MAX_MESSAGE_BYTES} bytes; left out"
            )),
        };
        if !take(found) {
            return Ok(false);
        }
    }
    Ok(true)
}
