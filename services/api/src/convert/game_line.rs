//! Which items of a bulk stream are of one game.

use crate::v1;

/// Most items of a game that are searched with one table, and the number of moves at whose multiples games are cut.
pub const STRETCH: usize = 256;

/// What says which game an item is of.
#[derive(Clone, Copy, Debug)]
pub struct OfGame<'a> {
    /// The caller's name for the game; may be empty.
    pub game: &'a str,
    /// The item's position.
    pub position: Option<&'a v1::Position>,
}

impl<'a> OfGame<'a> {
    fn moves(self) -> &'a [String] {
        self.position.map_or(&[], |position| &position.moves)
    }
}

/// Whether `next` is of the same game as `last`, which stands before it, and is searched together with it. `before` is
/// the item of that game before `last`, if there is one.
pub fn game_goes_on(before: Option<OfGame<'_>>, last: OfGame<'_>, next: OfGame<'_>) -> bool {
    if next.game != last.game || next.moves().len() / STRETCH != last.moves().len() / STRETCH {
        return false;
    }
    if !next.game.is_empty() {
        return true;
    }
    match before {
        // The first two items say which way the game is sent.
        Some(before) if before.moves().len() > last.moves().len() => continues(next, last),
        Some(_) => continues(last, next),
        None => continues(next, last) || continues(last, next),
    }
}

/// Whether the later item's line is the earlier one's and more.
fn continues(earlier: OfGame<'_>, later: OfGame<'_>) -> bool {
    let standard = v1::Position::default();
    let start = |item: OfGame<'_>| {
        let position = item.position.unwrap_or(&standard);
        (position.fen.clone(), position.variant, position.fen_mode)
    };
    later.moves().len() > earlier.moves().len()
        && later.moves().starts_with(earlier.moves())
        && start(later) == start(earlier)
}
