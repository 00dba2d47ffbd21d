//! Clocks that are read, wrong or set.

use std::time::Duration;

use tabiya_rules::Color;

use super::{
    Answer, Choice, ClockFault, ClockReading, Effect, Event, EventKind, Reason, Replay, Sheets, clock,
};
use crate::ruleset::Rule;

/// What a correction has to leave until the time limit, in seconds, and for each move to it (12.4).
const FLOOR: u64 = 300;
const FLOOR_A_MOVE: u64 = 60;

impl Replay<'_> {
    /// Loses the clocks if the event ends a turn whose length is not known. Where the press ends it, its move may come
    /// without a time: the press, or the next move, tells it.
    pub(super) fn keep_clock(&mut self, event: &Event) {
        let moves = matches!(event.kind, EventKind::Move { .. });
        if !moves && event.kind != EventKind::ClockPress {
            return;
        }
        let Some(clock) = &self.clock else { return };
        let timed = clock.is_timed() && event.at.is_some();
        if timed || event.reading != ClockReading::default() {
            self.time_is_told();
            return;
        }
        let goes_on = moves && self.ruleset.has(Rule::Press) && self.unpressed.or(self.late).is_none();
        if !goes_on {
            self.clock = None;
        }
        if self.untimed.is_some() {
            self.untimed = self.untimed.filter(|_| goes_on);
            return;
        }
        self.untimed = self.event.filter(|_| goes_on);
        // What the clocks need, whatever is ruled on the move.
        let rule = [Rule::Period, Rule::Press][usize::from(self.ruleset.has(Rule::Press))];
        self.lacks_for("at", &[rule]);
    }

    /// What the clocks showed at a move without a time no longer matters.
    fn time_is_told(&mut self) {
        if let Some(earlier) = self.untimed.take() {
            self.missing
                .retain(|missing| missing.event != Some(earlier) || missing.fact != "at");
        }
    }

    /// Sets the clocks to what was read. Without a time control they are known once both were read.
    pub(super) fn read_clocks(&mut self, reading: ClockReading, at: Option<Duration>) {
        let to_move = self.on_clock();
        if reading.0.iter().all(Option::is_some) {
            self.time_is_told();
        }
        if self.clock.is_none() && reading.0.iter().all(Option::is_some) {
            self.clock = Some(clock::Clock::read_only(to_move));
        }
        let Some(clock) = &mut self.clock else { return };
        for side in Color::ALL {
            if let Some(left) = reading.0[side.index()] {
                clock.set(side, left, at);
            }
        }
    }

    /// Carries out what a ruling does to the clocks.
    pub(super) fn set_clocks(&mut self, effects: &[Effect]) {
        let now = self.now;
        if effects.contains(&Effect::NextPeriod) {
            self.sheets = Sheets::default();
        }
        let Some(clock) = &mut self.clock else { return };
        for effect in effects {
            match *effect {
                Effect::TimeAdded { side, time } => clock.add(side, time),
                Effect::UsedTimeAdded { side, time } => clock.take(side, time),
                Effect::ClockSet { side, time } => {
                    let timed = clock.is_timed().then_some(now);
                    clock.set(side, time, timed);
                }
                Effect::ClocksPaused => clock.pause(now),
                Effect::ClockRuns { side } => clock.start(side, now),
                Effect::NextPeriod => clock.next_period(now),
                _ => {}
            }
        }
    }

    /// Remembers whose clock runs in the other's turn: it is his to hand the turn back.
    pub(super) fn note_own_time(&mut self, kind: &EventKind, effects: &[Effect]) {
        let puts_right = matches!(
            kind,
            EventKind::Displacement { .. } | EventKind::Recording { .. } | EventKind::FlagFall { .. }
        );
        let runs = effects.iter().find_map(|effect| match *effect {
            Effect::ClockRuns { side } => Some(side),
            _ => None,
        });
        if let Some(side) = runs.filter(|_| puts_right) {
            let off_move = side != self.to_move() && self.unpressed != Some(side);
            self.own_time = off_move.then_some(side);
        }
    }

    /// The period that each side is in by the moves that it has completed; empty if the clocks are not known.
    pub(super) fn periods(&self) -> Vec<usize> {
        let view = self.clock.as_ref().map(|clock| clock.view(self.now));
        let sides = view.iter().flat_map(|view| view.sides);
        sides.map(|side| side.period).collect()
    }

    /// Time left on a side's clock, if it is known.
    pub(super) fn remaining(&self, side: Color) -> Option<Duration> {
        let view = self.clock.as_ref()?.view(self.now);
        Some(view.sides[side.index()].remaining)
    }

    /// Whether a correction may leave a side so much; `None` if its clock is not known.
    pub(super) fn above_floor(&self, side: Color, left: Duration) -> Option<bool> {
        let clock = self.clock.as_ref()?;
        let moves = clock.moves_to_go(side).unwrap_or_default();
        let floor = FLOOR.max(FLOOR_A_MOVE * u64::from(moves));
        Some(left >= Duration::from_secs(floor))
    }

    /// Shares out the times of an irregularity whose times are not known.
    pub(super) fn share_times(&mut self, moves_before: Option<u32>) -> Answer {
        if !self.ruleset.has(Rule::ShareTimes) {
            let answer = Answer::yes(Reason::TimesByArbiter, &[]);
            if !self.ruleset.has(Rule::SetClocks) {
                return answer;
            }
            return Answer::yes(Reason::TimesByArbiter, &[Rule::SetClocks])
                .with(Effect::Option(Choice::SetClocks));
        }
        if moves_before.is_some_and(|moves| moves as usize > self.moves_made().div_ceil(2)) {
            // Nobody has made so many.
            self.lacks("moves_before");
            return Answer::yes(Reason::TimesByArbiter, &[Rule::ShareTimes]);
        }
        let answer = Answer::yes(Reason::TimesByArbiter, &[Rule::ShareTimes]).with(Effect::ShareTimes);
        let (Some(clock), Some(moves)) = (&self.clock, moves_before) else {
            return answer;
        };
        let shared = Color::ALL.map(|side| clock.shared(side, moves, self.now));
        let [Some(white), Some(black)] = shared else {
            return answer;
        };
        let fits = |side, left| self.above_floor(side, left) == Some(true);
        if !fits(Color::White, white) || !fits(Color::Black, black) {
            // The article may then not be used.
            return Answer::yes(Reason::TimesByArbiter, &[Rule::ShareTimes, Rule::TimeFloor])
                .with(Effect::Option(Choice::SetClocks));
        }
        let set = |side, time| Effect::ClockSet { side, time };
        answer
            .with(set(Color::White, white))
            .with(set(Color::Black, black))
    }

    pub(super) fn on_clock_fault(
        &mut self,
        fault: ClockFault,
        flag_fallen: bool,
        moved_since_resumption: bool,
    ) -> Answer {
        let set = Effect::Option(Choice::SetClocks);
        let switches = &self.ruleset.switches;
        match fault {
            ClockFault::ResumedWrong if !self.ruleset.has(Rule::ResumedClock) => {
                Answer::no(Reason::Unstated, &[])
            }
            ClockFault::ResumedWrong if moved_since_resumption => {
                Answer::no(Reason::ClockNotCorrected, &[Rule::ResumedClock])
                    .with(Effect::Option(Choice::CorrectClocks))
            }
            ClockFault::ResumedWrong => Answer::yes(Reason::ClockCorrected, &[Rule::ResumedClock]).with(set),
            _ if self.ruleset.articles_of(Rule::ClockDefect).is_empty() => Answer::no(Reason::Unstated, &[]),
            ClockFault::Doubted => Answer::no(Reason::ClockTrusted, &[Rule::ClockTrusted]),
            ClockFault::Defect if flag_fallen && switches.clock_fault_before_flag => {
                Answer::no(Reason::ClockTooLate, &[Rule::ClockTrusted])
            }
            ClockFault::Defect => Answer::yes(Reason::ClockReplaced, &[Rule::ClockDefect]).with(set),
            ClockFault::Setting
                if switches.setup_claim_moves > 0 && self.rounds() >= switches.setup_claim_moves =>
            {
                Answer::no(Reason::SetupTooLate, &[Rule::SetupLate])
            }
            ClockFault::Setting => Answer::yes(Reason::ClockCorrected, &[Rule::ClockSetting]).with(set),
        }
    }

    pub(super) fn on_disturbance(&mut self, interrupted: bool) -> Answer {
        let gives_time = self.ruleset.has(Rule::DisturbanceTime);
        if !self.ruleset.has(Rule::Disturbance) || (!gives_time && !interrupted) {
            return Answer::no(Reason::Unstated, &[]);
        }
        let reason = if gives_time {
            Reason::Disturbed
        } else {
            Reason::Interrupted
        };
        let mut answer = Answer::yes(reason, &[Rule::Disturbance]);
        if interrupted {
            answer.effects.push(Effect::ClocksPaused);
        }
        if gives_time {
            answer.effects.push(Effect::Option(Choice::AddTime));
        }
        answer
    }
}
