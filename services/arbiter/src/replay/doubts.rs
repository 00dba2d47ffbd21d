use std::sync::{Arc, atomic::AtomicBool};

use tabiya_rules::{Board, Color, Game};

use super::position::can_win;
use crate::mate::{DEFAULT_LIMIT, Prover};
use crate::ruleset::Switches;

/// Positions that proofs whether positions are dead may generate in one replay; most need a few hundred.
const BUDGET: u64 = 4 * DEFAULT_LIMIT as u64;

/// What every proof may generate, even when that is spent.
pub(super) const LEAST: u32 = 2_000;

/// Which positions of a game are dead, with the proofs put off.
///
/// A side that can mate could do so before: whatever led here may be played again. So a game whose last position is
/// alive has no dead one, and one proof does for all its plies. A trusting replay counts positions as alive and keeps
/// the last of each stretch of play; should one of these not be proved alive, the replay is done again, strictly.
#[derive(Debug)]
pub(super) struct Doubts {
    strict: bool,
    /// Positions that one proof may generate.
    limit: u32,
    /// The last position that was asked about is neither proved dead nor proved alive.
    undecided: bool,
    put_off: Vec<Board>,
    prover: Prover,
}

impl Default for Doubts {
    fn default() -> Self {
        Self {
            strict: false,
            limit: DEFAULT_LIMIT,
            undecided: false,
            put_off: Vec::new(),
            prover: Prover::default(),
        }
    }
}

impl Doubts {
    /// Every position is looked at when it arises.
    pub(super) fn strict() -> Self {
        Self {
            strict: true,
            ..Self::default()
        }
    }

    /// The same, given up once the flag is raised: what is then said of a position means nothing.
    pub(super) fn stopped_by(self, stop: &Arc<AtomicBool>) -> Self {
        Self {
            prover: Prover::stopped_by(stop.clone()),
            ..self
        }
    }

    /// Whether it was told to give up.
    pub(super) fn is_stopped(&self) -> bool {
        self.prover.is_stopped()
    }

    /// Asks a question that does not count against the budget of those whether positions are dead.
    pub(super) fn apart<T>(&mut self, ask: impl FnOnce(&mut Prover) -> T) -> T {
        self.prover.apart(ask)
    }

    /// Whether the game's last position is dead, as far as that is proved or not put off.
    pub(super) fn is_dead(&mut self, game: &Game, switches: &Switches) -> bool {
        let board = game.board();
        self.undecided = false;
        if board.is_dead_by_material() {
            return true;
        }
        if self.strict || !board.has_legal_move() {
            let mut unwinnable = 0;
            for side in Color::ALL {
                match asked(&mut self.prover, board, side, self.limit, switches) {
                    Some(true) => {
                        self.undecided = false;
                        return false;
                    }
                    Some(false) => unwinnable += 1,
                    None => self.undecided = true,
                }
            }
            return unwinnable == Color::ALL.len();
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

    /// Whether it stayed open if the last position is dead: the proof's limit did not suffice.
    pub(super) fn undecided(&self) -> bool {
        self.undecided
    }

    /// The same attitude to another replay.
    pub(super) fn anew(&mut self) -> Self {
        Self {
            strict: self.strict,
            limit: self.limit,
            prover: std::mem::take(&mut self.prover),
            ..Self::default()
        }
    }

    /// Takes over what another replay of the same game put off.
    pub(super) fn take_over(&mut self, other: &mut Self) {
        self.put_off.append(&mut other.put_off);
    }

    /// Whether all that was put off is proved alive.
    pub(super) fn dispelled(&mut self, switches: &Switches) -> bool {
        let Self {
            put_off,
            prover,
            limit,
            ..
        } = self;
        put_off.iter().all(|board| {
            Color::ALL
                .into_iter()
                .any(|side| asked(prover, board, side, *limit, switches) == Some(true))
        })
    }
}

/// Whether a side can win, within a proof's limit and what is left of the budget.
fn asked(prover: &mut Prover, board: &Board, side: Color, limit: u32, switches: &Switches) -> Option<bool> {
    let left = u32::try_from(BUDGET.saturating_sub(prover.spent())).unwrap_or(u32::MAX);
    can_win(prover, board, side, limit.min(left.max(LEAST)), switches)
}

/// Whether the boards are one position with one count of quiet moves.
fn same(a: &Board, b: &Board) -> bool {
    a == b && a.halfmove_clock() == b.halfmove_clock()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Library;

    #[test]
    fn what_the_limit_leaves_open_is_said_to_be_open() {
        let switches = &Library::built_in().unwrap().find("fide-2023").unwrap().switches;
        // A lone king never mates; that the rook can takes a search.
        let game = Game::new(Board::from_fen("8/8/8/3k4/8/8/8/R3K3 w - - 0 1").unwrap());
        let mut hurried = Doubts {
            limit: 1,
            ..Doubts::strict()
        };
        assert!(!hurried.is_dead(&game, switches));
        assert!(hurried.undecided());
        let mut patient = Doubts::strict();
        assert!(!patient.is_dead(&game, switches));
        assert!(!patient.undecided());
        // Two kings: the material says it, before any search.
        let bare = Game::new(Board::from_fen("8/8/8/3k4/8/8/8/4K3 w - - 0 1").unwrap());
        assert!(hurried.is_dead(&bare, switches));
        assert!(!hurried.undecided());
    }
}
