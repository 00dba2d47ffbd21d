//! Share of a game clock for one move.

use std::time::Duration;

/// What the clock of the side to move shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockState {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
    /// Kept in reserve on each move, for what lies between the search and the clock.
    pub overhead: Duration,
}

/// Two points in time, from the start of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// No new iteration begins after about this; scaled by how settled the best move is.
    pub soft: Duration,
    /// The search stops at this point, whatever it is doing.
    pub hard: Duration,
}

/// Moves that a game is taken to last still, in a control without a number of moves.
const HORIZON: u32 = 24;

impl ClockState {
    /// The budget for one move. `hard` never exceeds the time left less the overhead, except that it is at least a millisecond.
    pub fn budget(&self) -> TimeBudget {
        let usable = self
            .remaining
            .saturating_sub(self.overhead)
            .max(Duration::from_millis(1));
        let moves = self
            .moves_to_go
            .filter(|&moves| moves > 0)
            .map_or(HORIZON, |moves| moves.min(HORIZON));
        let overheads = self.overhead * (moves - 1);
        let pool = (usable + self.increment * (moves - 1))
            .saturating_sub(overheads)
            .max(usable / 8);
        let share = pool / moves;
        let ceiling = if moves == 1 {
            usable * 9 / 10
        } else {
            usable * 6 / 10
        };
        let hard = (share * 4).min(ceiling).max(Duration::from_millis(1));
        TimeBudget {
            soft: (share * 7 / 10).min(hard),
            hard,
        }
    }
}

/// How far to stretch the soft limit, in permille.
///
/// * `stable`: iterations in a row with the same best move.
/// * `drop`: fall of the score since the iteration before, in centipawns.
/// * `effort`: share of the nodes spent on the best move, in permille.
pub(crate) fn stretch_permille(stable: u32, drop: i32, effort: u64) -> u64 {
    let stability = [1_500, 1_200, 1_050, 950, 880, 820][stable.min(5) as usize];
    let score = 1_000 + 8 * u64::from(drop.clamp(-15, 60).unsigned_abs()) * u64::from(drop > 0);
    let spread = 1_450 - effort.min(1_000) * 7 / 10;
    stability * score / 1_000 * spread / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> ClockState {
        ClockState {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
            overhead: Duration::from_millis(20),
        }
    }

    #[test]
    fn never_more_than_the_clock_shows() {
        for remaining in [0, 1, 5, 20, 21, 50, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = clock(remaining, increment, moves).budget();
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard <= Duration::from_millis(remaining.saturating_sub(20).max(1)));
                    assert!(budget.hard >= Duration::from_millis(1));
                }
            }
        }
    }

    #[test]
    fn a_settled_move_takes_less_time() {
        assert!(stretch_permille(6, 0, 900) < stretch_permille(0, 0, 900));
        assert!(stretch_permille(2, 50, 500) > stretch_permille(2, 0, 500));
        assert!(stretch_permille(2, -50, 500) == stretch_permille(2, 0, 500));
        assert!(stretch_permille(2, 0, 200) > stretch_permille(2, 0, 950));
    }
}
