//! Score sheets.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Answer, Effect, GameResult, Reason, RecordingLapse, Replay};
use crate::ruleset::Rule;

impl Replay<'_> {
    pub(super) fn on_recording(
        &mut self,
        actor: Option<Color>,
        lapse: RecordingLapse,
        remaining: Option<Duration>,
        increment: Option<Duration>,
    ) -> Answer {
        if let Some(answer) = self.without_sheets(lapse) {
            return answer;
        }
        match lapse {
            RecordingLapse::Unclear => return self.on_unclear_sheets(),
            RecordingLapse::BothStopped => {
                let records = Effect::ArbiterRecords;
                let answer = self.stated(Reason::ArbiterRecords, Rule::ArbiterRecords, records);
                if answer.accepted {
                    self.sheets.unrecorded = [true, true];
                }
                return answer;
            }
            RecordingLapse::BothIncomplete => {
                let answer = self.stated(Reason::CompleteBoth, Rule::CompleteBoth, Effect::ClocksPaused);
                return self.on_second_board(answer);
            }
            RecordingLapse::Insufficient => {
                // The clocks stand while the game is reconstructed.
                let answer = self.stated(Reason::SecondBoard, Rule::SecondBoard, Effect::SecondBoard);
                return match answer.accepted {
                    true => answer.with(Effect::ClocksPaused),
                    false => answer,
                };
            }
            _ => {}
        }
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Recording]);
        };
        match lapse {
            RecordingLapse::Borrows => return self.borrow(side),
            RecordingLapse::OneIncomplete => {
                let due = Effect::CompleteSheet { side };
                let answer = self.stated(Reason::CompleteOne, Rule::CompleteOne, due);
                return self.on_own_time(side, answer);
            }
            _ => {}
        }
        if !self.ruleset.switches.recording {
            // Nobody has to, whatever time is left; a ruleset that says nothing of records has no answer.
            return match self.ruleset.has(Rule::Recording) {
                true => self.nobody_records().with(Effect::NeedNotRecord { side }),
                false => Answer::no(Reason::Unstated, &[]),
            };
        }
        match lapse {
            RecordingLapse::InAdvance if self.ruleset.has(Rule::RecordingAdvance) => {
                return self.lapse(side, Reason::Recorded, Rule::RecordingAdvance);
            }
            RecordingLapse::InAdvance if self.ruleset.has(Rule::RecordingEither) => {
                return Answer::yes(Reason::RecordedEither, &[Rule::RecordingEither]);
            }
            RecordingLapse::OfferUnmarked if self.ruleset.has(Rule::OfferMarked) => {
                return self.lapse(side, Reason::OfferUnmarked, Rule::OfferMarked);
            }
            RecordingLapse::InAdvance | RecordingLapse::OfferUnmarked => {
                return Answer::no(Reason::Unstated, &[]);
            }
            _ => {}
        }
        match self.is_exempt(side, remaining, increment) {
            Some(true) => self.exempt(side),
            None if lapse != RecordingLapse::Refused || self.ruleset.switches.recording_refusal_loses => {
                Answer::no(Reason::MissingFact, &[Rule::RecordingExempt])
            }
            _ => match lapse {
                RecordingLapse::Behind if self.ruleset.has(Rule::RecordingBehind) => {
                    self.lapse(side, Reason::RecordedLate, Rule::RecordingBehind)
                }
                RecordingLapse::Refused if self.ruleset.switches.recording_refusal_loses => self.decide(
                    GameResult::Wins(!side),
                    Reason::RecordingRefused,
                    &[Rule::RecordingRefused],
                ),
                RecordingLapse::Refused => self.lapse(side, Reason::RecordingRefused, Rule::RecordingRefused),
                _ => self.lapse(side, Reason::MustRecord, Rule::Recording),
            },
        }
    }

    /// Where nobody has to record, no sheet is completed, and no game is played over for want of one (A.2).
    fn without_sheets(&self, lapse: RecordingLapse) -> Option<Answer> {
        use RecordingLapse::{BothIncomplete, BothStopped, Insufficient, OneIncomplete};

        let sheets = matches!(lapse, BothStopped | OneIncomplete | BothIncomplete | Insufficient);
        let nobody = !self.ruleset.switches.recording && self.ruleset.has(Rule::Recording);
        (sheets && nobody).then(|| self.nobody_records())
    }

    /// Nobody has to record, by an article or because the event has it so.
    fn nobody_records(&self) -> Answer {
        let stated = self.ruleset.has(Rule::NobodyRecords);
        let rules: Vec<Rule> = stated.then_some(Rule::NobodyRecords).into_iter().collect();
        Answer::yes(Reason::NobodyRecords, &rules)
    }

    /// How many moves were made cannot be shown: the next is the first of the next period, where one follows.
    fn on_unclear_sheets(&self) -> Answer {
        let answer = self.stated(Reason::SheetsUnclear, Rule::SheetsUnclear, Effect::NextPeriod);
        let last = self.control.is_some() && self.both_in_last_period() == Some(true);
        match answer.accepted && last {
            true => Answer::no(Reason::NoNextPeriod, &[Rule::SheetsUnclear]),
            false => answer,
        }
    }

    /// Both sheets are completed with a second board where one article is on both (11.7).
    fn on_second_board(&self, mut answer: Answer) -> Answer {
        let (both, board) = (Rule::CompleteBoth, Rule::SecondBoard);
        let states = |article: &String| self.ruleset.articles_of(board).contains(article);
        if answer.rules.contains(&both) && self.ruleset.articles_of(both).iter().any(states) {
            answer.effects.push(Effect::SecondBoard);
        }
        answer
    }

    /// A procedure, where the ruleset states it.
    fn stated(&self, reason: Reason, rule: Rule, effect: Effect) -> Answer {
        if self.ruleset.articles_of(rule).is_empty() {
            return Answer::no(Reason::Unstated, &[]);
        }
        Answer::yes(reason, &[rule]).with(effect)
    }

    /// What is done with a sheet takes the player's own time: where he may do it off his move, his clock is started.
    fn on_own_time(&self, side: Color, answer: Answer) -> Answer {
        let off_move = side != self.to_move();
        if !answer.accepted || (off_move && self.ruleset.switches.sheet_on_own_move) {
            return answer;
        }
        answer.with(Effect::ClockRuns { side })
    }

    fn borrow(&self, side: Color) -> Answer {
        let lent = Effect::LendSheet { side: !side };
        let answer = self.stated(Reason::SheetLent, Rule::BorrowSheet, lent);
        let off_move = side != self.to_move();
        if answer.accepted && off_move && self.ruleset.switches.sheet_on_own_move {
            return Answer::no(Reason::SheetKept, &[Rule::BorrowSheet]);
        }
        self.on_own_time(side, answer)
    }

    fn lapse(&self, side: Color, reason: Reason, rule: Rule) -> Answer {
        self.may_penalise(side, Answer::no(reason, &[rule]))
    }

    /// A player who need not record completes his sheet after the flag, alone or with the opponent.
    fn exempt(&mut self, side: Color) -> Answer {
        self.sheets.unrecorded[side.index()] = true;
        let mut answer = Answer::yes(Reason::NeedNotRecord, &[Rule::RecordingExempt])
            .with(Effect::NeedNotRecord { side })
            .with(Effect::CompleteSheet { side });
        let both = self.sheets.unrecorded == [true, true];
        let later = [Rule::CompleteOne, Rule::CompleteBoth][usize::from(both)];
        answer
            .rules
            .extend(Some(later).filter(|&rule| self.ruleset.has(rule)));
        answer
    }

    /// What has to be completed once a flag has fallen and the game goes on.
    pub(super) fn complete_after_flag(&self, answer: Answer) -> Answer {
        let unrecorded = self.sheets.unrecorded;
        let both = unrecorded == [true, true];
        let rule = [Rule::CompleteOne, Rule::CompleteBoth][usize::from(both)];
        if unrecorded == [false, false] || !self.ruleset.has(rule) {
            return answer;
        }
        let mut answer = answer;
        answer.rules.push(rule);
        for side in Color::ALL.into_iter().filter(|side| unrecorded[side.index()]) {
            answer.effects.push(Effect::CompleteSheet { side });
            let own_time = !both && !self.ruleset.switches.sheet_on_own_move;
            answer
                .effects
                .extend(own_time.then_some(Effect::ClockRuns { side }));
        }
        answer.effects.extend(both.then_some(Effect::ClocksPaused));
        self.on_second_board(answer)
    }

    /// Remembers who has little time left: for the rest of the period, whatever time is added, he need not record.
    pub(super) fn note_little_time(&mut self) {
        for side in Color::ALL {
            if let Some(left) = self.remaining(side)
                && self.is_little(left)
            {
                self.sheets.little[side.index()] = Some(self.period(side));
            }
        }
    }

    fn is_little(&self, left: Duration) -> bool {
        left < Duration::from_secs(self.ruleset.switches.recording_exempt_seconds.into())
    }

    /// The period that a side is in, if it is known.
    pub(super) fn period(&self, side: Color) -> Option<usize> {
        let control = self.control?;
        if control.periods().len() == 1 {
            return Some(0);
        }
        self.clock.as_ref()?.period_of(side)
    }

    /// Whether a player with little time need not record; `None` if that is not known.
    fn is_exempt(
        &mut self,
        side: Color,
        remaining: Option<Duration>,
        increment: Option<Duration>,
    ) -> Option<bool> {
        let limit = self.ruleset.switches.recording_increment_seconds;
        let increment = increment.or_else(|| self.clock.as_ref()?.increment(side));
        if limit > 0 && increment.is_some_and(|time| time >= Duration::from_secs(limit.into())) {
            return Some(false);
        }
        let period = self.period(side);
        let remaining = remaining.or_else(|| self.remaining(side));
        if remaining.is_some_and(|left| self.is_little(left)) {
            self.sheets.little[side.index()] = Some(period);
        } else {
            match self.sheets.little[side.index()] {
                Some(Some(then)) if Some(then) == period => {}
                Some(then) if then.is_none() || period.is_none() => {
                    self.lacks("time_control");
                    return None;
                }
                _ if remaining.is_none() => {
                    self.lacks("remaining");
                    return None;
                }
                _ => return Some(false),
            }
        }
        if limit > 0 && increment.is_none() {
            self.lacks("increment");
            return None;
        }
        Some(true)
    }
}

/// What is known of the score sheets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sheets {
    /// The period, if it is known, in which a side last had little time left.
    little: [Option<Option<usize>>; 2],
    /// Who has stopped recording because he need not.
    unrecorded: [bool; 2],
}
