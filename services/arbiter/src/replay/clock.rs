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

/// Nanoseconds, so that no time is cut: a part of a millisecond left is time left. The sum of many years fits as well.
type Nanos = i128;

#[derive(Clone, Copy, Debug)]
struct Side {
    /// Time left at the start of the turn; negative once the time was overstepped.
    left: Nanos,
    /// Time given so far: of the periods reached, of increments and by the arbiter.
    given: Nanos,
    period: usize,
    in_period: u32,
    moves: u32,
    run_out: bool,
    /// How long the clock has run in the turn, up to the start of its current run: the delay is the turn's, however
    /// often the clock was read or stopped in it.
    spent: Nanos,
}

impl Side {
    /// The clock of a side that has made so many moves, as if they had taken no time: nobody has told what they took.
    fn having_made(moves: u32, periods: &[Period]) -> Self {
        let (mut period, mut in_period) = (0, moves);
        while (1..=in_period).contains(&periods[period].moves) {
            in_period -= periods[period].moves;
            period += 1;
        }
        let given = periods[..=period].iter().map(|period| nanos(period.time));
        let given = given.sum();
        Self {
            left: given,
            given,
            period,
            in_period,
            moves,
            run_out: false,
            spent: 0,
        }
    }
}

/// The clocks of a game between two events. Times are counted from the start of the game.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: TimeControl,
    /// Whether the clocks were only read: which periods there are, and which it is, is not known.
    read_only: bool,
    /// What the arbiter has added to every period's increment.
    extra_increment: Nanos,
    sides: [Side; 2],
    running: Option<Color>,
    /// `None` after a reading whose time is not known.
    turn_start: Option<Nanos>,
}

fn nanos(time: Duration) -> Nanos {
    // A duration has less than 2^94 of them.
    time.as_nanos() as Nanos
}

/// No time at all where it is overstepped.
fn duration(time: Nanos) -> Duration {
    Duration::from_nanos_u128(time.max(0) as u128)
}

impl Clock {
    /// Both clocks set, White's running from time 0 (FIDE 6.6), or that of the side on move after so many moves by each side:
    /// these count for the periods (FIDE 6.3.1).
    pub(super) fn new(control: &TimeControl, to_move: Color, made: [u32; 2]) -> Self {
        Self {
            control: control.clone(),
            read_only: false,
            extra_increment: 0,
            sides: made.map(|made| Side::having_made(made, &control.periods)),
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
        Self {
            read_only: true,
            turn_start: None,
            ..Self::new(&control, to_move, [0; 2])
        }
    }

    /// Whether the clocks were only read, and no control tells what they show in other periods.
    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether the length of the turn is known at a time.
    pub(super) fn is_timed(&self) -> bool {
        self.turn_start.is_some() || self.running.is_none()
    }

    /// Whether what a side's clock shows is known at an event whose time is known, or is not.
    pub(super) fn is_known(&self, side: Color, timed: bool) -> bool {
        self.running != Some(side) || (timed && self.is_timed())
    }

    fn used(&self, at: Nanos) -> Nanos {
        self.turn_start.map_or(0, |start| (at - start).max(0))
    }

    fn period(&self, side: Color) -> Period {
        let last = self.control.periods.len() - 1;
        self.control.periods[self.sides[side.index()].period.min(last)]
    }

    /// What a run of such length has taken from a side, after what its clock has run in the turn before.
    fn taken(&self, side: Color, used: Nanos) -> Nanos {
        let (period, spent) = (self.period(side), self.sides[side.index()].spent);
        let beyond = |run: Nanos| (run - nanos(period.delay)).max(0);
        match period.delay_mode {
            DelayMode::Simple => beyond(spent + used) - beyond(spent),
            DelayMode::Bronstein => used,
        }
    }

    /// Takes off what the running side has used until then; its turn goes on.
    fn settle(&mut self, side: Color, at: Nanos) {
        let used = self.used(at);
        let taken = self.taken(side, used);
        let clock = &mut self.sides[side.index()];
        clock.run_out |= taken >= clock.left;
        clock.left -= taken;
        clock.spent += used;
    }

    /// A side presses after a move: it is complete. Where its own clock does not run, that moves no hand.
    pub(super) fn press(&mut self, side: Color, at: Duration) {
        let at = nanos(at);
        if self.running != Some(side) {
            self.count(side);
            return;
        }
        self.settle(side, at);
        self.complete(side);
        // The opponent's turn begins.
        self.sides[(!side).index()].spent = 0;
        self.running = Some(!side);
        self.turn_start = self.turn_start.map(|_| at);
    }

    /// A side completes a move, with its increment or what a delay gives back, and no clock is started.
    pub(super) fn complete(&mut self, side: Color) {
        let period = self.period(side);
        let increment = nanos(period.increment) + self.extra_increment;
        let clock = &mut self.sides[side.index()];
        let given_back = match period.delay_mode {
            DelayMode::Simple => 0,
            DelayMode::Bronstein => clock.spent.min(nanos(period.delay)),
        };
        clock.left += given_back + increment;
        clock.given += increment;
        clock.spent = 0;
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
            let time = nanos(self.control.periods[clock.period].time);
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
        let time = nanos(self.control.periods[clock.period].time);
        clock.period = before;
        clock.in_period = self.control.periods[before].moves.saturating_sub(1);
        clock.left -= time;
        clock.given -= time;
    }

    /// Adds time to what a side has left.
    pub(super) fn add(&mut self, side: Color, time: Duration) {
        let clock = &mut self.sides[side.index()];
        clock.left = clock.left.saturating_add(nanos(time));
        clock.given = clock.given.saturating_add(nanos(time));
    }

    /// Takes time off what a side has left.
    pub(super) fn take(&mut self, side: Color, time: Duration) {
        let clock = &mut self.sides[side.index()];
        clock.left = clock.left.saturating_sub(nanos(time));
    }

    /// Adds time to the increment of every move from now on.
    pub(super) fn add_increment(&mut self, time: Duration) {
        self.extra_increment += nanos(time);
    }

    /// Sets what a side has left; the clock shows it at `at`, or at a time that is not known.
    pub(super) fn set(&mut self, side: Color, left: Duration, at: Option<Duration>) {
        let left = nanos(left);
        let runs = self.running == Some(side);
        let used = at.filter(|_| runs).map_or(0, |at| self.used(nanos(at)));
        let clock = &mut self.sides[side.index()];
        clock.spent += used;
        clock.left = left;
        clock.run_out = left <= 0;
        if runs || at.is_none() {
            self.turn_start = at.map(nanos);
        }
    }

    /// Stops both clocks.
    pub(super) fn pause(&mut self, at: Duration) {
        if let Some(side) = self.running.take() {
            self.settle(side, nanos(at));
        }
    }

    /// Starts a side's clock, after a pause or in place of the other.
    pub(super) fn start(&mut self, side: Color, at: Duration) {
        if self.running == Some(side) {
            return;
        }
        self.pause(at);
        self.running = Some(side);
        self.turn_start = self.turn_start.map(|_| nanos(at));
    }

    /// Lets the next period begin for both sides, where there is one; its time is added to what is left or was overstepped.
    pub(super) fn next_period(&mut self, at: Duration) {
        let running = self.running;
        self.pause(at);
        for clock in &mut self.sides {
            let Some(next) = self.control.periods.get(clock.period + 1) else {
                continue;
            };
            let time = nanos(next.time);
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

    /// What a side would have left if it had used its time evenly, and had made `moves` moves only; `None` if nobody knows how
    /// much it has used.
    pub(super) fn shared(&self, side: Color, moves: u32, at: Duration) -> Option<Duration> {
        let clock = self.sides[side.index()];
        let left = self.view(at).sides[side.index()].remaining;
        if self.read_only {
            return None;
        }
        if moves >= clock.moves {
            // It made no move since.
            return Some(left);
        }
        let used = (clock.given - nanos(left)).max(0);
        // What a move took is an estimate: it is told in milliseconds.
        let each = used / Nanos::from(clock.moves);
        let then = (each - each % 1_000_000) * Nanos::from(moves);
        // Without the periods that it had not reached then.
        let reached = clock.given - self.taken_back_to(side, moves).sides[side.index()].given;
        let given_back = duration(used - then);
        Some((left + given_back).saturating_sub(duration(reached)))
    }

    /// The same clocks without the moves that a side has made since it had made so many.
    fn taken_back_to(&self, side: Color, moves: u32) -> Self {
        let mut earlier = self.clone();
        (moves..self.sides[side.index()].moves).for_each(|_| earlier.take_back(side));
        earlier
    }

    /// The increment of a side's period.
    pub(super) fn increment(&self, side: Color) -> Option<Duration> {
        let extra = duration(self.extra_increment);
        (!self.read_only).then(|| self.period(side).increment + extra)
    }

    /// The period that a side is in, from 0, if that is known.
    pub(super) fn period_of(&self, side: Color) -> Option<usize> {
        (!self.read_only).then_some(self.sides[side.index()].period)
    }

    /// Moves that a side still has to make in its period, if it has a number of moves.
    pub(super) fn moves_to_go(&self, side: Color) -> Option<u32> {
        let period = self.period(side);
        (period.moves > 0).then(|| period.moves.saturating_sub(self.sides[side.index()].in_period))
    }

    /// The same once a side's moves are taken back to so many.
    pub(super) fn moves_to_go_from(&self, side: Color, moves: u32) -> Option<u32> {
        self.taken_back_to(side, moves).moves_to_go(side)
    }

    /// Both clocks at a time.
    pub(super) fn view(&self, at: Duration) -> Clocks {
        let used = self.used(nanos(at));
        let view = |side: Color| {
            let clock = self.sides[side.index()];
            let taken = if self.running == Some(side) {
                self.taken(side, used)
            } else {
                0
            };
            let left = clock.left - taken;
            ClockView {
                remaining: duration(left),
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
