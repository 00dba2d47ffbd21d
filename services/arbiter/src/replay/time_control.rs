//! Time controls: periods, increments, delays.

use std::time::Duration;

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
    /// The period at this place takes all remaining moves and is not the last, or it is the last and does not take them.
    #[error("only the last period takes all remaining moves, and it does")]
    Moves(usize),
    /// The first period gives no time.
    #[error("the first period gives no time")]
    NoTime,
    /// The period at this place gives more than a year, by its `time`, its `increment` or its `delay`.
    #[error("more than a year")]
    Time(usize, &'static str),
}

/// A time control: at least one period, each but the last with a number of moves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimeControl {
    pub(super) periods: Vec<Period>,
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
        let last = periods.len() - 1;
        let misplaced = |(place, period): (usize, &Period)| (period.moves == 0) != (place == last);
        if let Some(place) = periods.iter().enumerate().position(misplaced) {
            return Err(TimeControlError::Moves(place));
        }
        if periods[0].time.is_zero() {
            return Err(TimeControlError::NoTime);
        }
        let year = Duration::from_secs(366 * 24 * 3600);
        for (place, period) in periods.iter().enumerate() {
            let times = [
                ("time", period.time),
                ("increment", period.increment),
                ("delay", period.delay),
            ];
            if let Some((field, _)) = times.into_iter().find(|(_, time)| *time > year) {
                return Err(TimeControlError::Time(place, field));
            }
        }
        Ok(Self { periods })
    }

    /// The periods; the last takes all remaining moves.
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// How fast the game is: by the time for 60 moves, with increments and delays (FIDE A.1, B.1).
    pub fn category(&self) -> TimeCategory {
        const MOVES: u32 = 60;
        let mut total = Duration::ZERO;
        let mut moves = 0;
        for period in &self.periods {
            if moves >= MOVES {
                break;
            }
            let here = match period.moves {
                0 => MOVES - moves,
                some => some.min(MOVES - moves),
            };
            total += period.time + (period.increment + period.delay) * here;
            moves += here;
        }
        match total.as_secs() {
            3600.. => TimeCategory::Standard,
            _ if total > Duration::from_secs(600) => TimeCategory::Rapid,
            _ => TimeCategory::Blitz,
        }
    }

    /// Whether no period adds time for its moves.
    pub fn is_without_increment(&self) -> bool {
        self.periods
            .iter()
            .all(|period| period.increment.is_zero() && period.delay.is_zero())
    }
}

/// How fast a game is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeCategory {
    /// An hour or more.
    Standard,
    /// More than ten minutes and less than an hour.
    Rapid,
    /// Ten minutes or less.
    Blitz,
}
