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
        match lapse {
            RecordingLapse::Unclear => {
                return self.stated(Reason::SheetsUnclear, Rule::SheetsUnclear, Effect::NextPeriod);
            }
            RecordingLapse::BothStopped => {
                return self.stated(
                    Reason::ArbiterRecords,
                    Rule::ArbiterRecords,
                    Effect::ArbiterRecords,
                );
            }
            RecordingLapse::BothIncomplete => {
                return self.stated(Reason::CompleteBoth, Rule::CompleteBoth, Effect::ClocksPaused);
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
            RecordingLapse::Borrows => {
                return self.stated(
                    Reason::SheetLent,
                    Rule::BorrowSheet,
                    Effect::LendSheet { side: !side },
                );
            }
            RecordingLapse::OneIncomplete => {
                let answer = self.stated(
                    Reason::CompleteOne,
                    Rule::CompleteOne,
                    Effect::CompleteSheet { side },
                );
                // His own clock runs, even if the opponent is on move.
                return match answer.accepted {
                    true => answer.with(Effect::ClockRuns { side }),
                    false => answer,
                };
            }
            _ => {}
        }
        if !self.ruleset.switches.recording {
            return Answer::yes(Reason::NeedNotRecord, &[Rule::RecordingExempt])
                .with(Effect::NeedNotRecord { side });
        }
        match lapse {
            RecordingLapse::InAdvance => return self.lapse(side, Reason::Recorded, Rule::RecordingAdvance),
            RecordingLapse::OfferUnmarked => {
                return self.lapse(side, Reason::OfferUnmarked, Rule::OfferMarked);
            }
            _ => {}
        }
        match self.is_exempt(side, remaining, increment) {
            Some(true) => Answer::yes(Reason::NeedNotRecord, &[Rule::RecordingExempt])
                .with(Effect::NeedNotRecord { side })
                .with(Effect::CompleteSheet { side }),
            None if lapse != RecordingLapse::Refused || self.ruleset.switches.recording_refusal_loses => {
                Answer::no(Reason::MissingFact, &[Rule::RecordingExempt])
            }
            _ => match lapse {
                RecordingLapse::Behind => self.lapse(side, Reason::RecordedLate, Rule::RecordingBehind),
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

    /// A procedure, where the ruleset states it.
    fn stated(&self, reason: Reason, rule: Rule, effect: Effect) -> Answer {
        if self.ruleset.articles_of(rule).is_empty() {
            return Answer::no(Reason::Unstated, &[]);
        }
        Answer::yes(reason, &[rule]).with(effect)
    }

    fn lapse(&self, side: Color, reason: Reason, rule: Rule) -> Answer {
        let mut answer = Answer::no(reason, &[rule]).with(Effect::MayBePenalised { side });
        answer.effects.extend(self.sanctions());
        answer
    }

    /// Whether a player with little time need not record; `None` if that is not known.
    fn is_exempt(
        &mut self,
        side: Color,
        remaining: Option<Duration>,
        increment: Option<Duration>,
    ) -> Option<bool> {
        let switches = &self.ruleset.switches;
        let Some(remaining) = remaining.or_else(|| self.remaining(side)) else {
            self.lacks("remaining");
            return None;
        };
        if remaining >= Duration::from_secs(switches.recording_exempt_seconds.into()) {
            return Some(false);
        }
        let limit = switches.recording_increment_seconds;
        let Some(increment) = increment.or_else(|| self.clock.as_ref()?.increment(side)) else {
            if limit > 0 {
                self.lacks("increment");
                return None;
            }
            return Some(true);
        };
        Some(limit == 0 || increment < Duration::from_secs(limit.into()))
    }
}
