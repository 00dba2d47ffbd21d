//! Resignations and flags.

use tabiya_rules::Color;

use super::{Answer, Choice, Effect, GameResult, Reason, Replay, Witness, sealed_events::untold};
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
            // Of a clock that shows time left no flag is down, whatever is reported of both.
            match Color::ALL.map(|side| self.flag_down(side, flag)) {
                [Some(false), Some(false)] => return self.flag_up(),
                [Some(true), Some(false)] => return self.on_flag_of(Color::White, by_player, flag),
                [Some(false), Some(true)] => return self.on_flag_of(Color::Black, by_player, flag),
                [Some(false), None] | [None, Some(false)] => {
                    self.lacks("side");
                    return Answer::no(Reason::MissingFact, &[Rule::FlagSeen]);
                }
                _ => {}
            }
            if let Some(ended) = self.ended_under_seal() {
                return ended;
            }
            // The only period is the last one. Of several, the report says which it is, or else the time control where the
            // times are known.
            let one = self.control.is_some_and(|control| control.periods().len() == 1);
            let told = flag.last_period.filter(|_| !one);
            let known = self.control.filter(|_| one || flag.timed);
            return self.on_both_flags(told.or(known.and_then(|_| self.both_in_last_period())));
        };
        self.on_flag_of(side, by_player, flag)
    }

    /// Whether a side's flag is down by its clock; `None` if what that shows is not known.
    fn flag_down(&self, side: Color, flag: &FlagReport) -> Option<bool> {
        let clock = self.clock.as_ref()?;
        if clock.view(self.now).sides[side.index()].run_out {
            return Some(true);
        }
        let known = flag.read[side.index()] || (flag.timed && clock.is_known(side, flag.timed));
        known.then_some(false)
    }

    /// One side's flag is reported.
    fn on_flag_of(&mut self, side: Color, by_player: bool, flag: &FlagReport) -> Answer {
        let switches = &self.ruleset.switches;
        if let Some(clock) = &self.clock
            && !clock.view(self.now).sides[side.index()].run_out
        {
            if flag.read[side.index()] || clock.is_known(side, flag.timed) {
                return self.flag_up();
            }
            // The clock has run for a time that nobody knows: what the arbiter sees on it counts.
            if by_player && flag.confirmed != Some(true) {
                self.lacks("at");
                return Answer::no(Reason::MissingFact, &[Rule::FlagSeen]);
            }
        }
        if let Some(ended) = self.ended_under_seal() {
            return ended;
        }
        match self.made_its_moves(side, flag.last_period) {
            Some(false) => {}
            Some(true) => return self.flag_up(),
            None => {
                self.lacks("last_period");
                let rules = [Rule::FlagSeen, Rule::FlagChecked];
                return Answer::no(Reason::MissingFact, &rules);
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

    /// No flag has fallen on a period whose moves were not made.
    fn flag_up(&self) -> Answer {
        let mut answer = Answer::no(Reason::FlagUp, &[Rule::FlagSeen]);
        let stated = self.ruleset.has(Rule::FlagChecked);
        answer.rules.extend(stated.then_some(Rule::FlagChecked));
        answer
    }

    /// Whether a side has made the moves of the period on which its flag fell (6.4, 10.14), where its clock does not show
    /// which that is; `None` if it is not known. A clock that is followed begins the next period with the last of them.
    fn made_its_moves(&self, side: Color, last_period: Option<bool>) -> Option<bool> {
        let Some(control) = self.control.filter(|_| self.period(side).is_none()) else {
            return Some(false);
        };
        let required = control.periods().iter().map(|period| period.moves);
        let (first, all) = (control.periods()[0].moves, required.fold(0, u32::saturating_add));
        let completed = self.completed()[side.index()];
        match last_period {
            Some(true) => Some(false),
            // Its first period is not over yet.
            _ if completed < first => Some(false),
            // It has made all the moves that are asked for before the last.
            Some(false) if completed >= all => Some(true),
            _ => None,
        }
    }

    /// Moves that each side has completed, by the moves and presses.
    pub(super) fn completed(&self) -> [u32; 2] {
        let mut made = self.made_by_each();
        if self.ruleset.has(Rule::Press) {
            for side in [self.unpressed, self.late].into_iter().flatten() {
                let made = &mut made[side.index()];
                *made = made.saturating_sub(1);
            }
        }
        made
    }

    /// A sealed move was made before any flag that falls while it lies in its envelope: where it has ended the game, no flag
    /// does (6.9, 6.5 of the older code).
    fn ended_under_seal(&mut self) -> Option<Answer> {
        let envelope = self.envelope.clone().filter(|envelope| envelope.stopped)?;
        if untold(&envelope.text) {
            self.lacks("text");
            return Some(Answer::no(Reason::MissingFact, &[Rule::MoveEndsGame]));
        }
        let mv = self.read(&envelope.text).legal()?;
        if !self.would_end(mv) {
            return None;
        }
        let mut answer = self.open(&envelope, false, false, true);
        // The flag is not what ends it.
        answer.accepted = false;
        answer.rules.push(self.rule_before_flag());
        Some(answer)
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
