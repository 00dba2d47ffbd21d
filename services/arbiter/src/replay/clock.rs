//! Chess clocks: periods, increments and delays.

use std::time::Duration;

use tabiya_rules::Color;

/// How a delay works.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DelayMode {
    /// The clock stands still for the length of the delay, then runs.
    Simple,
    /// The clock runs at once; at the press, what was used is given back, up to the delay.
    Bronstein,
}

/// A period of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Period {
    /// Moves to make in it; 0 for all the rest.
    pub moves: u32,
    /// Time for it; what is left of earlier periods is kept.
    pub time: Duration,
    /// Time added after each of its moves.
    pub increment: Duration,
    /// The delay of each of its moves.
    pub delay: Duration,
    /// How the delay works.
    pub delay_mode: DelayMode,
}

/// Why a time control cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum TimeControlError {
    /// There is no period, or there are too many.
    #[error("not between 1 and {} periods", TimeControl::MAX_PERIODS)]
    Periods,
    /// A period of all remaining moves is not the last, or the last has a number of moves and no time follows.
    #[error("only the last period takes all remaining moves")]
    Moves,
    /// A period gives more than a year.
    #[error("more than a year")]
    Time,
}

/// A time control: at least one period, each but the last with a number of moves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimeControl {
    periods: Vec<Period>,
}

impl TimeControl {
    /// Greatest number of periods.
    pub const MAX_PERIODS: usize = 16;

    /// Checks the periods.
    ///
    /// # Errors
    /// What cannot be.
    pub fn new(periods: Vec<Period>) -> Result<Self, TimeControlError> {
        if periods.is_empty() || periods.len() > Self::MAX_PERIODS {
            return Err(TimeControlError::Periods);
        }
        let (last, earlier) = (periods.len() - 1, &periods[..periods.len() - 1]);
        if earlier.iter().any(|period| period.moves == 0) || periods[last].moves != 0 {
            return Err(TimeControlError::Moves);
        }
        let year = Duration::from_secs(366 * 24 * 3600);
        if periods
            .iter()
            .any(|period| period.time.max(period.increment).max(period.delay) > year)
        {
            return Err(TimeControlError::Time);
        }
        Ok(Self { periods })
    }
}

/// One side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockView {
    /// Time left; zero when the flag has fallen.
    pub remaining: Duration,
    /// The period, from 0.
    pub period: usize,
    /// Moves completed.
    pub moves: u32,
    /// Whether the time has run out. It counts only once it is seen or claimed.
    pub run_out: bool,
}

/// Both clocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    /// White's and Black's.
    pub sides: [ClockView; 2],
    /// Whose runs.
    pub running: Option<Color>,
}

#[derive(Clone, Copy, Debug)]
struct Side {
    /// Milliseconds left at the start of the turn; negative once the time was overstepped.
    left: i64,
    period: usize,
    in_period: u32,
    moves: u32,
    run_out: bool,
}

/// The clocks of a game between two events. Times are milliseconds from the start of the game.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: TimeControl,
    sides: [Side; 2],
    running: Option<Color>,
    turn_start: i64,
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

impl Clock {
    /// Both clocks set, White's running from time 0 (FIDE 6.6).
    pub(super) fn new(control: &TimeControl, to_move: Color) -> Self {
        let side = Side {
            left: milliseconds(control.periods[0].time),
            period: 0,
            in_period: 0,
            moves: 0,
            run_out: false,
        };
        Self {
            control: control.clone(),
            sides: [side; 2],
            running: Some(to_move),
            turn_start: 0,
        }
    }

    fn period(&self, side: Color) -> Period {
        let last = self.control.periods.len() - 1;
        self.control.periods[self.sides[side.index()].period.min(last)]
    }

    /// What a turn of so many milliseconds has taken from a side while it lasts.
    fn taken(&self, side: Color, used: i64) -> i64 {
        let period = self.period(side);
        match period.delay_mode {
            DelayMode::Simple => (used - milliseconds(period.delay)).max(0),
            DelayMode::Bronstein => used,
        }
    }

    /// A side completes a move and starts the other clock.
    pub(super) fn press(&mut self, side: Color, at: Duration) {
        let at = milliseconds(at);
        if self.running != Some(side) {
            return;
        }
        let used = (at - self.turn_start).max(0);
        let (period, taken) = (self.period(side), self.taken(side, used));
        let given_back = match period.delay_mode {
            DelayMode::Simple => 0,
            DelayMode::Bronstein => used.min(milliseconds(period.delay)),
        };
        let clock = &mut self.sides[side.index()];
        clock.run_out |= taken >= clock.left;
        clock.left += given_back + milliseconds(period.increment) - taken;
        clock.moves += 1;
        clock.in_period += 1;
        if period.moves > 0 && clock.in_period == period.moves {
            clock.in_period = 0;
            clock.period += 1;
            clock.left += milliseconds(self.control.periods[clock.period].time);
        }
        self.running = Some(!side);
        self.turn_start = at;
    }

    /// Adds time to what a side has left; negative for time used.
    pub(super) fn add(&mut self, side: Color, seconds: i64) {
        self.sides[side.index()].left += seconds * 1000;
    }

    /// Both clocks at a time.
    pub(super) fn view(&self, at: Duration) -> Clocks {
        let used = (milliseconds(at) - self.turn_start).max(0);
        let view = |side: Color| {
            let clock = self.sides[side.index()];
            let taken = if self.running == Some(side) {
                self.taken(side, used)
            } else {
                0
            };
            let left = clock.left - taken;
            ClockView {
                remaining: Duration::from_millis(left.max(0) as u64),
                period: clock.period,
                moves: clock.moves,
                run_out: clock.run_out || left <= 0,
            }
        };
        Clocks {
            sides: Color::ALL.map(view),
            running: self.running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Color = Color::White;
    const B: Color = Color::Black;

    fn period(moves: u32, time: u64, increment: u64, delay: u64, delay_mode: DelayMode) -> Period {
        let seconds = Duration::from_secs;
        Period {
            moves,
            time: seconds(time),
            increment: seconds(increment),
            delay: seconds(delay),
            delay_mode,
        }
    }

    fn left(clock: &Clock, at: u64) -> [u64; 2] {
        clock
            .view(Duration::from_secs(at))
            .sides
            .map(|side| side.remaining.as_secs())
    }

    #[test]
    fn periods_carry_over_and_increments_are_added() {
        let control = TimeControl::new(vec![
            period(2, 100, 10, 0, DelayMode::Simple),
            period(0, 50, 0, 0, DelayMode::Simple),
        ]);
        let mut clock = Clock::new(&control.unwrap(), W);
        assert_eq!(left(&clock, 30), [70, 100]);
        clock.press(W, Duration::from_secs(30));
        assert_eq!(left(&clock, 50), [80, 80]);
        clock.press(B, Duration::from_secs(50));
        clock.press(W, Duration::from_secs(60));
        // 80 - 10 + 10 and the next period's 50.
        assert_eq!(left(&clock, 60), [130, 90]);
        let white = clock.view(Duration::from_secs(60)).sides[0];
        assert_eq!((white.period, white.moves, white.run_out), (1, 2, false));
        clock.press(B, Duration::from_secs(61));
        // No increment in the second period.
        clock.press(W, Duration::from_secs(71));
        assert_eq!(left(&clock, 71)[0], 120);
    }

    #[test]
    fn delays_differ_in_when_the_flag_falls() {
        for (mode, run_out) in [(DelayMode::Simple, false), (DelayMode::Bronstein, true)] {
            let control = TimeControl::new(vec![period(0, 10, 0, 5, mode)]).unwrap();
            let mut clock = Clock::new(&control, W);
            clock.press(W, Duration::from_secs(4));
            assert_eq!(left(&clock, 4)[0], 10, "{mode:?}");
            clock.press(B, Duration::from_secs(4));
            // Twelve seconds: seven after a simple delay; a Bronstein clock has run out before any is given back.
            clock.press(W, Duration::from_secs(16));
            let white = clock.view(Duration::from_secs(16)).sides[0];
            assert_eq!(
                (white.remaining.as_secs(), white.run_out),
                (3, run_out),
                "{mode:?}"
            );
        }
    }

    #[test]
    fn impossible_controls_are_refused() {
        let simple = DelayMode::Simple;
        assert_eq!(TimeControl::new(vec![]), Err(TimeControlError::Periods));
        let open = vec![period(0, 9, 0, 0, simple), period(0, 9, 0, 0, simple)];
        assert_eq!(TimeControl::new(open), Err(TimeControlError::Moves));
        assert_eq!(
            TimeControl::new(vec![period(40, 9, 0, 0, simple)]),
            Err(TimeControlError::Moves)
        );
        let long = vec![period(0, u64::MAX, 0, 0, simple)];
        assert_eq!(TimeControl::new(long), Err(TimeControlError::Time));
    }
}
