//! Conduct, assistants, appeals.

use tabiya_rules::Color;

use super::{Answer, Breach, Choice, Effect, GameResult, Reason, Replay};
use crate::ruleset::Rule;

impl Replay<'_> {
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
        let switches = &self.ruleset.switches;
        match breach {
            Breach::DeviceOnPlayer if switches.device_loses => {
                self.guilty[side.index()] = true;
                return self.decide(GameResult::Wins(!side), Reason::Device, &[Rule::Device]);
            }
            Breach::Refusal if self.ruleset.has(Rule::Refusal) => {
                self.guilty[side.index()] = true;
                return self.decide(GameResult::Wins(!side), Reason::Refusal, &[Rule::Refusal]);
            }
            Breach::Captain if switches.captain_consult => {
                if !self.ruleset.has(Rule::Captain) {
                    return Answer::no(Reason::Unstated, &[]);
                }
                return Answer::yes(Reason::CaptainAllowed, &[Rule::Captain]);
            }
            _ => {}
        }
        self.sanctioned(side, breach)
    }

    /// A breach that the arbiter answers with what he may choose.
    fn sanctioned(&self, side: Color, breach: Breach) -> Answer {
        let rule = match breach {
            Breach::Disrepute => Rule::Disrepute,
            Breach::LeftArea => Rule::LeftArea,
            Breach::Help => Rule::Help,
            Breach::DeviceOnPlayer => Rule::Device,
            Breach::DeviceInVenue => Rule::DeviceInVenue,
            Breach::InspectionRefused => Rule::Inspection,
            Breach::Smoking => Rule::Smoking,
            Breach::Disturbing => Rule::Disturbing,
            Breach::NotesOnSheet => Rule::NotesOnSheet,
            Breach::AnalysisInRoom => Rule::AnalysisInRoom,
            Breach::ClockHandling => Rule::ClockHandling,
            Breach::Captain => Rule::Captain,
            Breach::Refusal => Rule::Refusal,
            Breach::BothRefuse => Rule::BothRefuse,
            Breach::Other => Rule::Breach,
        };
        if self.ruleset.switches.sanctions.is_empty() {
            // A ban without a list of sanctions: what it names is a breach, and nothing else is.
            if rule == Rule::Breach || !self.ruleset.has(rule) {
                return Answer::no(Reason::Unstated, &[]);
            }
            return self.may_penalise(side, Answer::yes(Reason::Breach, &[rule]));
        }
        // The articles on these lead to the sanctions themselves, the others by way of the one on breaches.
        let direct = matches!(
            rule,
            Rule::ClockHandling | Rule::Inspection | Rule::Refusal | Rule::BothRefuse
        );
        let mut answer = Answer::yes(Reason::Breach, &[rule]);
        if !direct || !self.ruleset.has(rule) {
            answer.rules.push(Rule::Breach);
        }
        answer.rules.push(Rule::Sanctions);
        answer.effects = self.sanctions();
        answer
    }

    /// A breach after the end, or found then: the result stands, and what outlasts the game is the arbiter's to choose.
    pub(super) fn on_breach_after_end(&mut self, actor: Option<Color>, breach: Breach) -> Answer {
        let allowed = breach == Breach::Captain && self.ruleset.switches.captain_consult;
        if allowed || self.ruleset.switches.sanctions.is_empty() {
            return Answer::no(Reason::GameOver, &[]);
        }
        // Where both refuse, it is about both.
        let both = (breach == Breach::BothRefuse).then_some(Color::White);
        let Some(side) = actor.or(both) else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Breach]);
        };
        let mut answer = self.sanctioned(side, breach);
        answer.effects.retain(|effect| match effect {
            Effect::Option(choice) => self.outlasts_the_game(*choice),
            _ => true,
        });
        answer
    }

    pub(super) fn on_assistance(&mut self, disability: bool) -> Answer {
        if !self.ruleset.has(Rule::Assistant) {
            return Answer::no(Reason::Unstated, &[]);
        }
        let answer = Answer::yes(Reason::AssistantAccepted, &[Rule::Assistant]);
        if disability {
            return answer;
        }
        answer.with(Effect::Option(Choice::AdjustForAssistant))
    }

    pub(super) fn on_slip(&mut self, clock_started: bool) -> Answer {
        if !self.ruleset.has(Rule::SlipOfTongue) {
            return Answer::no(Reason::Unstated, &[]);
        }
        if clock_started {
            return Answer::no(Reason::SlipTooLate, &[Rule::SlipOfTongue]);
        }
        Answer::yes(Reason::SlipCorrected, &[Rule::SlipOfTongue])
    }

    pub(super) fn on_boards_differ(
        &mut self,
        sheets_agree: Option<bool>,
        moves_before: Option<u32>,
    ) -> Answer {
        let rules = [Rule::BoardsDiffer];
        if !self.ruleset.has(Rule::BoardsDiffer) {
            return Answer::no(Reason::Unstated, &[]);
        }
        match sheets_agree {
            None => {
                self.lacks("sheets_agree");
                Answer::no(Reason::MissingFact, &rules)
            }
            Some(true) => Answer::yes(Reason::BoardBySheets, &rules),
            Some(false) => {
                let mut answer = Answer::yes(Reason::BoardsRetraced, &rules).with(Effect::LastIdentifiable);
                // How far the sheets agree nobody else can say.
                match self.go_back_to(moves_before) {
                    Some(gone) => answer.effects.extend(self.taken_back(gone)),
                    None => self.lacks("moves_before"),
                }
                answer.with(Effect::Option(Choice::SetClocks))
            }
        }
    }

    pub(super) fn on_appeal(&self, actor: Option<Color>) -> Answer {
        match (actor, self.ruleset.has(Rule::Appeal)) {
            (Some(_), true) => Answer::yes(Reason::AppealNoted, &[Rule::Appeal]),
            _ => Answer::no(Reason::Unstated, &[]),
        }
    }
}
