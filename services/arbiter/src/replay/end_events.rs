//! Resignations and flags.

use tabiya_rules::Color;

use super::{Answer, Choice, Effect, GameResult, Reason, Replay, TimeControl, Witness};
use crate::ruleset::{BothFlags, LossDraw, Rule};

/// What is reported of a flag.
pub(super) struct FlagReport {
    pub(super) side: Option<Color>,
    pub(super) last_period: Option<bool>,
    pub(super) witness: Witness,
    pub(super) confirmed: Option<bool>,
    /// Whether the event says when it was, and what the side's clock showed.
    pub(super) timed: bool,
    pub(super) read: [bool; 2],
}

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
        match self.loss_is_draw(!side, switches.resignation_draw) {
            Some(false) => {
                rules.extend(self.wins_unable(!side));
                self.decide(GameResult::Wins(!side), Reason::Resigned, &rules)
            }
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

    pub(super) fn on_flag(&mut self, actor: Option<Color>, flag: &FlagReport) -> Answer {
        let switches = &self.ruleset.switches;
        let by_player = match flag.witness {
            Witness::Bystander => return Answer::no(Reason::FlagBystander, &[Rule::FlagSeen]),
            Witness::Actor => actor.is_some(),
            Witness::Arbiter | Witness::Record => false,
            Witness::Player => true,
        };
        if by_player && switches.flag_needs_confirmation && flag.confirmed != Some(true) {
            if flag.confirmed.is_none() {
                self.lacks("confirmed");
            }
            return Answer::no(Reason::FlagUnconfirmed, &[Rule::FlagConfirmed]);
        }
        let Some(side) = flag.side else {
            let up = |side: Color| {
                self.clock.as_ref().is_some_and(|clock| {
                    let known = flag.read[side.index()] || (flag.timed && clock.is_known(side, flag.timed));
                    known && !clock.view(self.now).sides[side.index()].run_out
                })
            };
            if Color::ALL.into_iter().any(up) {
                return Answer::no(Reason::FlagUp, &[Rule::FlagSeen]);
            }
            // Where times are known, the time control says which period it is; so it does where there is one.
            let told = |control: &&TimeControl| flag.timed || control.periods().len() == 1;
            let last = self.control.filter(told).and_then(|_| self.both_in_last_period());
            return self.on_both_flags(last.or(flag.last_period));
        };
        if let Some(clock) = &self.clock
            && !clock.view(self.now).sides[side.index()].run_out
        {
            if flag.read[side.index()] || clock.is_known(side, flag.timed) {
                return Answer::no(Reason::FlagUp, &[Rule::FlagSeen]);
            }
            // The clock has run for a time that nobody knows: what the arbiter sees on it counts.
            if by_player && flag.confirmed != Some(true) {
                self.lacks("at");
                return Answer::no(Reason::MissingFact, &[Rule::FlagSeen]);
            }
        }
        if switches.flag_void_rounds > 0 && self.rounds() <= switches.flag_void_rounds {
            return self.annul(Reason::FlagVoid, &[Rule::FlagVoid]);
        }
        let draw = self.loss_is_draw(!side, self.ruleset.switches.flag_draw);
        if self.postponed == Some(side) && draw != Some(true) {
            // The arbiter had put off whether this player's claim of a draw is right.
            self.lacks("decision");
            return Answer::no(Reason::LeftToArbiter, &[Rule::QuickplayNormalMeans])
                .with(Effect::Option(Choice::DeclareDraw))
                .with(Effect::Option(Choice::Loss))
                .about(side);
        }
        match draw {
            Some(false) => {
                let mut rules = vec![Rule::FlagLoss, Rule::FlagSeen];
                if self.unpressed == Some(side) || (self.late == Some(side) && self.on_clock() == side) {
                    // The last move was made, but not completed in time.
                    rules.extend([Rule::MoveCompleted, Rule::Press]);
                }
                if self.absent == Some(!side) {
                    rules.push(Rule::PresentOversteps);
                }
                rules.extend(self.wins_unable(!side));
                self.decide(GameResult::Wins(!side), Reason::FlagLoss, &rules)
            }
            Some(true) => self.decide(GameResult::Draw, Reason::FlagDraw, &[Rule::FlagDraw]),
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[Rule::FlagDraw])
            }
        }
    }

    /// The rule by which a side wins that could not mate: that nothing is said of what it lacks. The FIDE laws would rule a
    /// draw.
    fn wins_unable(&mut self, winner: Color) -> Option<Rule> {
        let silent = self.ruleset.has(Rule::NotMentioned);
        let unable = silent && self.loss_is_draw(winner, LossDraw::Unwinnable) == Some(true);
        unable.then_some(Rule::NotMentioned)
    }

    /// Whether both sides are in their last period; `None` if that is not known.
    pub(super) fn both_in_last_period(&self) -> Option<bool> {
        let [white, black] = Color::ALL.map(|side| self.in_last_period(side));
        Some(white? && black?)
    }

    fn on_both_flags(&mut self, last_period: Option<bool>) -> Answer {
        let go_on = |effects| Answer {
            effects,
            ..Answer::no(Reason::FlagsContinue, &[Rule::BothFlags])
        };
        match self.ruleset.switches.both_flags {
            BothFlags::Unstated => Answer::no(Reason::Unstated, &[]),
            BothFlags::Continue => {
                // No period follows the last.
                let next = (last_period != Some(true)).then_some(Effect::NextPeriod);
                self.complete_after_flag(go_on(next.into_iter().collect()))
            }
            BothFlags::Announced => match (self.guideline_holds(), last_period) {
                (None, _) => {
                    self.lacks("guideline_iii");
                    Answer::no(Reason::MissingFact, &[Rule::BothFlags])
                }
                (Some(false), _) => {
                    // Blitz, or a game with increment: who fell first has to be found out.
                    self.lacks("side");
                    Answer::no(
                        Reason::QuickplayElsewhere,
                        &[Rule::BothFlags, Rule::QuickplayScope],
                    )
                }
                (Some(true), None) => {
                    self.lacks("last_period");
                    Answer::no(Reason::MissingFact, &[Rule::BothFlags])
                }
                (Some(true), Some(true)) => {
                    self.decide(GameResult::Draw, Reason::FlagsDraw, &[Rule::BothFlags])
                }
                (Some(true), Some(false)) => {
                    // Nobody can show an overstep: the next move is the first of the next period.
                    let mut answer = go_on(vec![Effect::NextPeriod]);
                    answer.rules.push(Rule::SheetsUnclear);
                    self.complete_after_flag(answer)
                }
            },
        }
    }
}
