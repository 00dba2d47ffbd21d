//! Games from PGN.

use std::{io::Read, sync::Arc};

use tabiya_rules::{
    Move,
    pgn::{GameTree, Games, Mode, PgnError},
};

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

/// Why the moves played are not known to their end, or cannot have been played.
fn fault(tree: &GameTree) -> Option<String> {
    if let Some(defect) = tree.cut() {
        return Some(defect.to_string());
    }
    let ply = tree.main_line().position(|node| tree.mv(node) == Move::NULL)?;
    Some(format!("{}: null move at ply {ply}", tree.location()))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// For each game whether it can be used, or else why not.
    fn read_all(text: &'static str) -> Vec<Result<usize, String>> {
        let mut games = Vec::new();
        let read = read("x.pgn", Box::new(text.as_bytes()), &mut 0, &mut |feed| {
            games.push(match feed {
                Feed::Game(game) => Ok(game.moves.len()),
                Feed::Broken(reason) => Err(reason),
            });
            true
        });
        assert!(matches!(read, Ok(true)));
        games
    }

    #[test]
    fn only_the_moves_played_have_to_be_right() {
        let games = read_all(
            "1. e4 (1. Ke3 d5) (1. -- d5) e5 *\n\n1. e4 Ke3 *\n\n1. e4 -- 2. d4 *\n\n1. e4 ?? qq *\n",
        );
        assert_eq!(games[0], Ok(2));
        let reasons: Vec<_> = games[1..]
            .iter()
            .map(|game| game.as_ref().err().cloned().unwrap_or_default())
            .collect();
        assert!(
            reasons[0].contains("game 2") && reasons[0].contains("Ke3"),
            "{reasons:?}"
        );
        assert!(
            reasons[1].contains("game 3") && reasons[1].contains("null move at ply 1"),
            "{reasons:?}"
        );
        assert!(
            reasons[2].contains("game 4") && reasons[2].contains("qq"),
            "{reasons:?}"
        );
    }
}
