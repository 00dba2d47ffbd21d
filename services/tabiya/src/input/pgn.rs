//! Games from PGN.

use std::{io::Read, sync::Arc};

use tabiya_rules::pgn::{DefectKind, GameTree, Games, Mode, PgnError};

use super::{Feed, InputGame, Source};
use crate::failure::Failure;

/// Reads all games of a text; false if `take` wants no more.
///
/// # Errors
/// If the text cannot be read on.
pub(super) fn read(
    name: &str,
    text: Box<dyn Read + Send>,
    number: &mut u64,
    take: &mut dyn FnMut(Feed) -> bool,
) -> Result<bool, Failure> {
    let file: Arc<str> = name.into();
    for game in Games::new(text, Mode::Lenient) {
        *number += 1;
        let feed = match game {
            Ok(tree) => match fault(&tree) {
                None => Feed::Game(Box::new(game_of(&file, *number, tree))),
                Some(reason) => Feed::Broken(format!("{name}: {reason}; game left out")),
            },
            Err(PgnError::Io(error)) => return Err(Failure::input(name, error)),
            Err(error) => Feed::Broken(format!("{name}: {error}")),
        };
        if !take(feed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Why the moves played are not known to their end.
fn fault(tree: &GameTree) -> Option<String> {
    tree.errors()
        .find(|defect| ends_line(&defect.kind))
        .map(ToString::to_string)
}

/// Whether a line of moves ends at such a defect, so that what followed it is not known.
fn ends_line(kind: &DefectKind) -> bool {
    matches!(
        kind,
        DefectKind::BadMove { .. }
            | DefectKind::MoveAfterEnd(_)
            | DefectKind::NullMove
            | DefectKind::UnexpectedText(_)
            | DefectKind::GameTooLarge
    )
}

fn game_of(file: &Arc<str>, number: u64, tree: GameTree) -> InputGame {
    let start = *tree.start();
    let moves: Vec<_> = tree.main_line().map(|node| tree.mv(node)).collect();
    InputGame::new(
        file,
        number,
        tree.variant(),
        start,
        moves.into_iter(),
        Source::Pgn(Box::new(tree)),
    )
}
