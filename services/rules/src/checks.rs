//! Checks given in the course of a game, which some rulesets count.

use crate::{Color, Game};

/// The checks that one side has given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// All of them.
    pub total: u32,
    /// With the side's latest moves, one after the other.
    pub current_run: u32,
    /// The longest series of moves of the side that each gave check.
    pub longest_run: u32,
}

impl Checks {
    /// Counts a move of the side.
    pub(crate) fn count(&mut self, gives_check: bool) {
        if gives_check {
            self.total += 1;
            self.current_run += 1;
            self.longest_run = self.longest_run.max(self.current_run);
        } else {
            self.current_run = 0;
        }
    }
}

impl Game {
    /// The checks that a side has given with the moves of the game. A check that stood at the start has been given
    /// by no move.
    pub fn checks(&self, by: Color) -> Checks {
        let mut checks = self.earlier_checks(by);
        let mut board = *self.start();
        for &mv in self.moves() {
            let mover = board.side_to_move();
            board.play(mv);
            if mover == by {
                checks.count(board.in_check());
            }
        }
        checks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Board, san};

    #[test]
    fn runs_and_totals() {
        let mut game = Game::new(Board::from_fen("7k/8/8/8/8/8/8/K5R1 w - - 0 1").unwrap());
        for text in ["Rh1+", "Kg7", "Rg1+", "Kh7", "Rb1", "Kg7", "Rg1+", "Kh8"] {
            game.play(san::parse(game.board(), text, san::SanMode::Strict).unwrap());
        }
        assert_eq!(
            game.checks(Color::White),
            Checks {
                total: 3,
                current_run: 1,
                longest_run: 2
            }
        );
        assert_eq!(game.checks(Color::Black), Checks::default());
    }
}
