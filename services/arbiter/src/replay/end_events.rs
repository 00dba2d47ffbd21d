//! Resignations, flags and late players.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Answer, Effect, GameResult, Reason, Replay, position};
use crate::ruleset::{BothFlags, LateLimit, Rule};

impl Replay<'_> {
    pub(super) fn on_resignation(&mut self, actor: Option<Color>) -> Answer {
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Resignation]);
        };
        let switches = &self.ruleset.switches;
        if self.rounds() < switches.resignation_rounds {
            return Answer::no(Reason::ResignedEarly, &[Rule::ResignationEarly]);
        }
        let mut rules = vec![Rule::Resignation];
        if self.suspended {
            rules.push(Rule::AdjournedResult);
        }
        match position::loss_is_draw(self.board(), !side, switches.resignation_draw) {
            Some(false) => self.decide(GameResult::Wins(!side), Reason::Resigned, &rules),
            Some(true) => {
                rules[0] = Rule::ResignationDraw;
                self.decide(GameResult::Draw, Reason::ResignedDraw, &rules)
            }
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[Rule::ResignationDraw])
            }
        }
    }

    pub(super) fn on_flag(&mut self, side: Option<Color>, last_period: Option<bool>) -> Answer {
        let switches = &self.ruleset.switches;
        let Some(side) = side else {
            return self.on_both_flags(last_period);
        };
        let view = self.clock.as_ref().map(|clock| clock.view(self.now));
        if view.is_some_and(|view| !view.sides[side.index()].run_out) {
            return Answer::no(Reason::FlagUp, &[Rule::FlagSeen]);
        }
        if switches.flag_void_rounds > 0 && self.rounds() <= switches.flag_void_rounds {
            return self.annul(Reason::FlagVoid, &[Rule::FlagVoid]);
        }
        match position::loss_is_draw(self.board(), !side, switches.flag_draw) {
            Some(false) => {
                let mut rules = vec![Rule::FlagLoss, Rule::FlagSeen];
                if self.unpressed == Some(side) {
                    // The last move was made, but not completed in time.
                    rules.extend([Rule::MoveCompleted, Rule::Press]);
                }
                self.decide(GameResult::Wins(!side), Reason::FlagLoss, &rules)
            }
            Some(true) => self.decide(GameResult::Draw, Reason::FlagDraw, &[Rule::FlagDraw]),
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[Rule::FlagDraw])
            }
        }
    }

    fn on_both_flags(&mut self, last_period: Option<bool>) -> Answer {
        let switches = &self.ruleset.switches;
        let go_on = |effects| Answer {
            accepted: false,
            reason: Reason::FlagsContinue,
            rules: vec![Rule::BothFlags],
            effects,
        };
        match switches.both_flags {
            BothFlags::Unstated => Answer::no(Reason::Unstated, &[]),
            BothFlags::Continue => go_on(vec![Effect::NextPeriod]),
            BothFlags::Announced if !switches.guideline_iii => {
                self.lacks("guideline_iii");
                Answer::no(Reason::MissingFact, &[Rule::BothFlags])
            }
            BothFlags::Announced => match last_period {
                None => {
                    self.lacks("last_period");
                    Answer::no(Reason::MissingFact, &[Rule::BothFlags])
                }
                Some(true) => self.decide(GameResult::Draw, Reason::FlagsDraw, &[Rule::BothFlags]),
                Some(false) => go_on(Vec::new()),
            },
        }
    }

    pub(super) fn on_arrival(&mut self, actor: Option<Color>, late: Duration) -> Answer {
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Late]);
        };
        let limit = Duration::from_secs(u64::from(self.ruleset.switches.late_limit_minutes) * 60);
        if self.ruleset.switches.late_limit == LateLimit::None {
            return Answer::yes(Reason::Unstated, &[]);
        }
        if late > limit {
            return self.decide(GameResult::Wins(!side), Reason::TooLate, &[Rule::Late]);
        }
        let opponent_here = self.arrived[(!side).index()];
        self.arrived[side.index()] = true;
        let seconds = late.as_secs();
        if side == Color::Black {
            // White's clock runs first: Black loses what runs after White's first move.
            return Answer::yes(Reason::InTime, &[Rule::Late]);
        }
        let lost = Effect::TimeLost { side, seconds };
        if !opponent_here && self.ruleset.has(Rule::BothAbsent) {
            return Answer::yes(Reason::WhiteWaits, &[Rule::Late, Rule::BothAbsent]).with(lost);
        }
        Answer::yes(Reason::InTime, &[Rule::Late]).with(lost)
    }
}
