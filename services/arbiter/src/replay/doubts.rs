use tabiya_rules::{Board, Color, Game};

use super::position::can_win;
use crate::mate::{DEFAULT_LIMIT, Prover};
use crate::ruleset::Switches;

/// Positions that proofs whether positions are dead may generate in one replay; most need a few hundred.
const BUDGET: u64 = 4 * DEFAULT_LIMIT as u64;

/// What every proof may generate, even when that is spent.
const LEAST: u32 = 2_000;

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
        if board.is_dead_by_material() {
            return true;
        }
        if self.strict || !board.has_legal_move() {
            return Color::ALL
                .into_iter()
                .all(|side| asked(&mut self.prover, board, side, switches) == Some(false));
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
                .any(|side| asked(prover, board, side, switches) == Some(true))
        })
    }
}

/// Whether a side can win, within what is left of the budget.
fn asked(prover: &mut Prover, board: &Board, side: Color, switches: &Switches) -> Option<bool> {
    let left = u32::try_from(BUDGET.saturating_sub(prover.spent())).unwrap_or(u32::MAX);
    let limit = left.clamp(LEAST, DEFAULT_LIMIT);
    can_win(prover, board, side, limit, switches)
}

/// Whether the boards are one position with one count of quiet moves.
fn same(a: &Board, b: &Board) -> bool {
    a == b && a.halfmove_clock() == b.halfmove_clock()
}
