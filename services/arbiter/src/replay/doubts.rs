use tabiya_rules::{Board, Color, Game};

use super::position::can_win;
use crate::is_dead_by_material;
use crate::mate::Prover;
use crate::ruleset::Switches;

/// Positions that a proof whether a position is dead may generate: it is asked ply by ply.
const LIMIT: u32 = 20_000;

/// Which positions of a game are dead, with the proofs put off.
///
/// A side that can mate could do so before: whatever led here may be played again. So a game whose last position is
/// alive has no dead one, and one proof does for all its plies. A trusting replay counts positions as alive and keeps
/// the last of each stretch of play; should one of these not be proved alive, the replay is done again, strictly.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    strict: bool,
    put_off: Vec<Board>,
    prover: Prover,
}

impl Doubts {
    /// Every position is looked at when it arises.
    pub(super) fn strict() -> Self {
        Self {
            strict: true,
            ..Self::default()
        }
    }

    /// Whether the game's last position is dead, as far as that is proved or not put off.
    pub(super) fn is_dead(&mut self, game: &Game, switches: &Switches) -> bool {
        let board = game.board();
        if is_dead_by_material(board) {
            return true;
        }
        if self.strict || !board.has_legal_move() {
            return Color::ALL
                .into_iter()
                .all(|side| can_win(&mut self.prover, board, side, LIMIT, switches) == Some(false));
        }
        let played = game.moves().last().copied();
        match self.put_off.last_mut() {
            Some(last) if played.is_some_and(|mv| last.is_legal(mv) && same(&last.after(mv), board)) => {
                *last = *board;
            }
            _ => self.put_off.push(*board),
        }
        false
    }

    /// The same attitude to another replay.
    pub(super) fn anew(&mut self) -> Self {
        Self {
            strict: self.strict,
            put_off: Vec::new(),
            prover: std::mem::take(&mut self.prover),
        }
    }

    /// Takes over what another replay of the same game put off.
    pub(super) fn take_over(&mut self, other: &mut Self) {
        self.put_off.append(&mut other.put_off);
    }

    /// Whether all that was put off is proved alive.
    pub(super) fn dispelled(&mut self, switches: &Switches) -> bool {
        let Self { put_off, prover, .. } = self;
        put_off.iter().all(|board| {
            Color::ALL
                .into_iter()
                .any(|side| can_win(prover, board, side, LIMIT, switches) == Some(true))
        })
    }
}

/// Whether the boards are one position with one count of quiet moves.
fn same(a: &Board, b: &Board) -> bool {
    a == b && a.halfmove_clock() == b.halfmove_clock()
}
