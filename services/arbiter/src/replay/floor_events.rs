//! What happens around the board: set-up, displaced pieces, recording, conduct.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Answer, Breach, Effect, GameResult, GameStatus, Reason, Replay, SetupFault};
use crate::ruleset::{Rule, WrongSetup};

impl Replay<'_> {
    pub(super) fn on_displacement(&mut self, actor: Option<Color>) -> Answer {
        if !self.ruleset.has(Rule::Displaced) {
            return Answer::no(Reason::Unstated, &[]);
        }
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Displaced]);
        };
        Answer::yes(Reason::Displaced, &[Rule::Displaced])
            .with(Effect::Restored)
            .with(Effect::ClockRuns { side })
    }

    pub(super) fn on_setup(&mut self, fault: SetupFault, first_period_permille: Option<u32>) -> Answer {
        let switches = &self.ruleset.switches;
        match fault {
            SetupFault::WrongPieces => {
                let reason = match switches.wrong_setup {
                    WrongSetup::Unstated => return Answer::no(Reason::Unstated, &[]),
                    WrongSetup::NewGame => Reason::NewGame,
                    WrongSetup::Annul => Reason::PositionAnnulled,
                };
                self.annul(reason, &[Rule::WrongSetup]).with(Effect::NewGame)
            }
            SetupFault::BoardTurned if self.ruleset.has(Rule::BoardTurned) => {
                Answer::yes(Reason::BoardTurned, &[Rule::BoardTurned]).with(Effect::CarriedOver)
            }
            SetupFault::BoardTurned => Answer::no(Reason::Unstated, &[]),
            SetupFault::ColoursReversed => self.on_reversed(first_period_permille),
        }
    }

    fn on_reversed(&mut self, first_period_permille: Option<u32>) -> Answer {
        let switches = &self.ruleset.switches;
        let rules = [Rule::ColoursReversed];
        if switches.colours_reversed_quarter {
            return match first_period_permille {
                None => {
                    self.lacks("first_period_permille");
                    Answer::no(Reason::MissingFact, &rules)
                }
                Some(passed) if passed >= 250 => Answer::no(Reason::ColoursGoOn, &rules),
                Some(_) => Answer::yes(Reason::ColoursMayRestart, &rules).with(Effect::MayRestart),
            };
        }
        if switches.colours_reversed_moves == 0 {
            return Answer::no(Reason::Unstated, &[]);
        }
        if self.rounds() >= switches.colours_reversed_moves {
            return Answer::no(Reason::ColoursGoOn, &rules);
        }
        self.conclude(GameStatus::Void, None, Reason::ColoursRestart, &rules, Vec::new());
        Answer::yes(Reason::ColoursRestart, &rules).with(Effect::NewGame)
    }

    pub(super) fn on_recording(
        &mut self,
        actor: Option<Color>,
        remaining: Option<Duration>,
        increment: Option<Duration>,
    ) -> Answer {
        let switches = &self.ruleset.switches;
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Recording]);
        };
        if !switches.recording {
            return Answer::yes(Reason::NeedNotRecord, &[]).with(Effect::NeedNotRecord { side });
        }
        let Some(remaining) = remaining.or_else(|| self.remaining(side)) else {
            self.lacks("remaining");
            return Answer::no(Reason::MissingFact, &[Rule::RecordingExempt]);
        };
        let little = remaining < Duration::from_secs(switches.recording_exempt_seconds.into());
        let limit = switches.recording_increment_seconds;
        if little && limit > 0 && increment.is_none() {
            self.lacks("increment");
            return Answer::no(Reason::MissingFact, &[Rule::RecordingExempt]);
        }
        let increment = increment.unwrap_or_default();
        if little && (limit == 0 || increment < Duration::from_secs(limit.into())) {
            return Answer::yes(Reason::NeedNotRecord, &[Rule::RecordingExempt])
                .with(Effect::NeedNotRecord { side })
                .with(Effect::CompleteSheet { side });
        }
        Answer::no(Reason::MustRecord, &[Rule::Recording]).with(Effect::MayBePenalised { side })
    }

    pub(super) fn on_breach(&mut self, actor: Option<Color>, breach: Breach) -> Answer {
        if breach == Breach::BothRefuse {
            if !self.ruleset.has(Rule::BothRefuse) {
                return Answer::no(Reason::Unstated, &[]);
            }
            return self.decide(GameResult::BothLose, Reason::BothRefuse, &[Rule::BothRefuse]);
        }
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Breach]);
        };
        match breach {
            Breach::DeviceOnPlayer if self.ruleset.switches.device_loses => {
                self.decide(GameResult::Wins(!side), Reason::Device, &[Rule::Device])
            }
            Breach::Refusal if self.ruleset.has(Rule::Refusal) => {
                self.decide(GameResult::Wins(!side), Reason::Refusal, &[Rule::Refusal])
            }
            _ if self.ruleset.switches.sanctions.is_empty() => Answer::no(Reason::Unstated, &[]),
            _ => {
                let mut answer = Answer::yes(Reason::Breach, &[Rule::Breach, Rule::Sanctions]);
                let words = &self.ruleset.switches.sanctions;
                answer.effects = words.iter().map(|&word| Effect::Sanction(word)).collect();
                answer
            }
        }
    }
}
