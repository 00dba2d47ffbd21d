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
        let to_go = match self.control.filter(|_| clock.is_read_only()) {
            // What was read tells no period; the moves that the side has completed do.
            Some(control) => clock::Clock::new(control, side, self.completed()).moves_to_go(side),
            None => clock.moves_to_go(side),
        };
        Some(is_above_floor(left, to_go))
    }

    /// Shares out the times of an irregularity whose times are not known, before which the sides had completed so many moves;
    /// `None` if that is not on record.
    pub(super) fn share_times(&mut self, completed: Option<[u32; 2]>) -> Answer {
        if !self.ruleset.has(Rule::ShareTimes) {
            let answer = Answer::yes(Reason::TimesByArbiter, &[]);
            if !self.ruleset.has(Rule::SetClocks) {
                return answer;
            }
            return Answer::yes(Reason::TimesByArbiter, &[Rule::SetClocks])
                .with(Effect::Option(Choice::SetClocks));
        }
        let made = self.made_by_each();
        let beyond = |completed: [u32; 2]| completed[0] > made[0] || completed[1] > made[1];
        if completed.is_some_and(beyond) {
            // Nobody has made so many.
            self.lacks("moves_before");
            return Answer::yes(Reason::TimesByArbiter, &[Rule::ShareTimes]);
        }
        let answer = Answer::yes(Reason::TimesByArbiter, &[Rule::ShareTimes]).with(Effect::ShareTimes);
        let (Some(clock), Some(completed)) = (&self.clock, completed) else {
            return answer;
        };
        let shared = Color::ALL.map(|side| clock.shared(side, completed[side.index()], self.now));
        let [Some(white), Some(black)] = shared else {
            return answer;
        };
        // The moves since then are still to be made.
        let fits =
            |side: Color, left| is_above_floor(left, clock.moves_to_go_from(side, completed[side.index()]));
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

    /// A position is restored whose times are known: by his best judgement the arbiter may set the clocks all the same (FIDE
    /// 7.1). Where times that are not known are shared out, he sets none that are.
    pub(super) fn may_set_clocks(&self, answer: &mut Answer) {
        if self.ruleset.has(Rule::SetClocks) && !self.ruleset.has(Rule::ShareTimes) {
            answer.rules.push(Rule::SetClocks);
            answer.effects.push(Effect::Option(Choice::SetClocks));
        }
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
            let stated = self.ruleset.has(Rule::Interruption);
            answer.rules.extend(stated.then_some(Rule::Interruption));
            answer.effects.push(Effect::ClocksPaused);
        }
        if gives_time {
            answer.effects.push(Effect::Option(Choice::AddTime));
        }
        answer
    }
}

/// Whether so much suffices, with the moves that a side has to make until the time limit.
fn is_above_floor(left: Duration, to_go: Option<u32>) -> bool {
    let floor = FLOOR.max(FLOOR_A_MOVE * u64::from(to_go.unwrap_or_default()));
    left >= Duration::from_secs(floor)
}
