//! Chess clocks: periods, increments and delays.

use std::time::Duration;

use tabiya_rules::Color;

use super::{DelayMode, Period, TimeControl};

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
    /// Milliseconds given so far: of the periods reached, of increments and by the arbiter.
    given: i64,
    period: usize,
    in_period: u32,
    moves: u32,
    run_out: bool,
}

/// The clocks of a game between two events. Times are milliseconds from the start of the game.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: TimeControl,
    /// What the arbiter has added to every period's increment.
    extra_increment: i64,
    sides: [Side; 2],
    running: Option<Color>,
    /// `None` after a reading whose time is not known.
    turn_start: Option<i64>,
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

impl Clock {
    /// Both clocks set, White's running from time 0 (FIDE 6.6).
    pub(super) fn new(control: &TimeControl, to_move: Color) -> Self {
        let side = Side {
            left: milliseconds(control.periods[0].time),
            given: milliseconds(control.periods[0].time),
            period: 0,
            in_period: 0,
            moves: 0,
            run_out: false,
        };
        Self {
            control: control.clone(),
            extra_increment: 0,
            sides: [side; 2],
            running: Some(to_move),
            turn_start: Some(0),
        }
    }

    /// The control of a game whose clocks are only read: one period without end, increments unknown.
    pub(super) fn read_only(to_move: Color) -> Self {
        let control = TimeControl {
            periods: vec![Period {
                moves: 0,
                time: Duration::ZERO,
                increment: Duration::ZERO,
                delay: Duration::ZERO,
                delay_mode: DelayMode::Simple,
            }],
        };
        let mut clock = Self::new(&control, to_move);
        clock.turn_start = None;
        clock
    }

    /// Whether the length of the turn is known at a time.
    pub(super) fn is_timed(&self) -> bool {
        self.turn_start.is_some() || self.running.is_none()
    }

    /// Whether what a side's clock shows is known at an event whose time is known, or is not.
    pub(super) fn is_known(&self, side: Color, timed: bool) -> bool {
        self.running != Some(side) || (timed && self.is_timed())
    }

    fn used(&self, at: i64) -> i64 {
        self.turn_start.map_or(0, |start| (at - start).max(0))
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

    /// A side presses after a move: it is complete. Where its own clock does not run, that moves no hand.
    pub(super) fn press(&mut self, side: Color, at: Duration) {
        let at = milliseconds(at);
        if self.running != Some(side) {
            self.count(side);
            return;
        }
        let used = self.used(at);
        let (period, taken) = (self.period(side), self.taken(side, used));
        let given_back = match period.delay_mode {
            DelayMode::Simple => 0,
            DelayMode::Bronstein => used.min(milliseconds(period.delay)),
        };
        let clock = &mut self.sides[side.index()];
        clock.run_out |= taken >= clock.left;
        clock.left += given_back - taken;
        self.complete(side);
        self.running = Some(!side);
        self.turn_start = self.turn_start.map(|_| at);
    }

    /// A side completes a move, with its increment, and no clock is started.
    pub(super) fn complete(&mut self, side: Color) {
        let increment = milliseconds(self.period(side).increment) + self.extra_increment;
        let clock = &mut self.sides[side.index()];
        clock.left += increment;
        clock.given += increment;
        self.count(side);
    }

    /// A move is complete though the clock gave nothing for it.
    pub(super) fn count(&mut self, side: Color) {
        let period = self.period(side);
        let clock = &mut self.sides[side.index()];
        clock.moves += 1;
        clock.in_period += 1;
        if period.moves > 0 && clock.in_period == period.moves {
            clock.in_period = 0;
            clock.period += 1;
            let time = milliseconds(self.control.periods[clock.period].time);
            clock.left += time;
            clock.given += time;
        }
    }

    /// A move that was pressed is taken back: it is no longer counted, nor the period that it reached.
    pub(super) fn take_back(&mut self, side: Color) {
        let clock = &mut self.sides[side.index()];
        if clock.moves == 0 {
            return;
        }
        clock.moves -= 1;
        if let Some(left) = clock.in_period.checked_sub(1) {
            clock.in_period = left;
            return;
        }
        let Some(before) = clock.period.checked_sub(1) else {
            return;
        };
        let time = milliseconds(self.control.periods[clock.period].time);
        clock.period = before;
        clock.in_period = self.control.periods[before].moves.saturating_sub(1);
        clock.left -= time;
        clock.given -= time;
    }

    /// Adds time to what a side has left.
    pub(super) fn add(&mut self, side: Color, time: Duration) {
        let clock = &mut self.sides[side.index()];
        clock.left = clock.left.saturating_add(milliseconds(time));
        clock.given = clock.given.saturating_add(milliseconds(time));
    }

    /// Takes time off what a side has left.
    pub(super) fn take(&mut self, side: Color, time: Duration) {
        let clock = &mut self.sides[side.index()];
        clock.left = clock.left.saturating_sub(milliseconds(time));
    }

    /// Adds time to the increment of every move from now on.
    pub(super) fn add_increment(&mut self, time: Duration) {
        self.extra_increment += milliseconds(time);
    }

    /// Sets what a side has left; the clock shows it at `at`, or at a time that is not known.
    pub(super) fn set(&mut self, side: Color, left: Duration, at: Option<Duration>) {
        let left = milliseconds(left);
        let clock = &mut self.sides[side.index()];
        clock.left = left;
        clock.run_out = left <= 0;
        if self.running == Some(side) || at.is_none() {
            self.turn_start = at.map(milliseconds);
        }
    }

    /// Stops both clocks.
    pub(super) fn pause(&mut self, at: Duration) {
        let Some(side) = self.running.take() else { return };
        let taken = self.taken(side, self.used(milliseconds(at)));
        let clock = &mut self.sides[side.index()];
        clock.run_out |= taken >= clock.left;
        clock.left -= taken;
    }

    /// Starts a side's clock, after a pause or in place of the other.
    pub(super) fn start(&mut self, side: Color, at: Duration) {
        if self.running == Some(side) {
            return;
        }
        self.pause(at);
        self.running = Some(side);
        self.turn_start = self.turn_start.map(|_| milliseconds(at));
    }

    /// Lets the next period begin for both sides, where there is one; its time is added to what is left or was overstepped.
    pub(super) fn next_period(&mut self, at: Duration) {
        let running = self.running;
        self.pause(at);
        for clock in &mut self.sides {
            let Some(next) = self.control.periods.get(clock.period + 1) else {
                continue;
            };
            let time = milliseconds(next.time);
            clock.period += 1;
            clock.in_period = 0;
            clock.left += time;
            clock.given += time;
            clock.run_out = clock.left <= 0;
        }
        if let Some(side) = running {
            self.start(side, at);
        }
    }

    /// What a side would have left if it had used its time evenly, and had made `moves` moves only.
    pub(super) fn shared(&self, side: Color, moves: u32, at: Duration) -> Option<Duration> {
        let clock = self.sides[side.index()];
        if clock.moves == 0 || moves > clock.moves {
            return None;
        }
        let left = self.view(at).sides[side.index()].remaining;
        let used = (clock.given - milliseconds(left)).max(0);
        let then = used / i64::from(clock.moves) * i64::from(moves);
        // Without the periods that it had not reached then.
        let mut earlier = self.clone();
        (moves..clock.moves).for_each(|_| earlier.take_back(side));
        let reached = clock.given - earlier.sides[side.index()].given;
        let given_back = Duration::from_millis((used - then).max(0) as u64);
        Some((left + given_back).saturating_sub(Duration::from_millis(reached.max(0) as u64)))
    }

    /// The increment of a side's period.
    pub(super) fn increment(&self, side: Color) -> Option<Duration> {
        let period = self.period(side);
        let read_only = period.time.is_zero() && self.control.periods.len() == 1;
        (!read_only).then(|| period.increment + Duration::from_millis(self.extra_increment.max(0) as u64))
    }

    /// Moves that a side still has to make in its period, if it has a number of moves.
    pub(super) fn moves_to_go(&self, side: Color) -> Option<u32> {
        let period = self.period(side);
        (period.moves > 0).then(|| period.moves.saturating_sub(self.sides[side.index()].in_period))
    }

    /// Both clocks at a time.
    pub(super) fn view(&self, at: Duration) -> Clocks {
        let used = self.used(milliseconds(at));
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
mod tests;
