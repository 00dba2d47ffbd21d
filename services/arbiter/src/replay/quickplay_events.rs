//! The last two minutes of games without increment.

use std::time::Duration;

use tabiya_rules::Color;

use super::{
    Answer, Choice, Decision, Effect, Event, EventKind, QuickplayClaim, Reason, Replay, TimeCategory,
};
use crate::ruleset::{Category, Rule};

/// Time left below which a player may turn to the arbiter under guideline III.
const LAST_MINUTES: Duration = Duration::from_secs(120);

impl Replay<'_> {
    /// Whether the guidelines for games without increment hold; `None` if nobody said that they were announced.
    pub(super) fn guideline_holds(&self) -> Option<bool> {
        let switches = &self.ruleset.switches;
        let quick = switches.category == Category::Blitz
            || self.control.is_some_and(|control| {
                !control.is_without_increment() || control.category() == TimeCategory::Blitz
            });
        // Once the increment is granted, the game has one (III.2.2).
        if quick || self.increment_granted {
            return Some(false);
        }
        switches.guideline_iii.then_some(true)
    }

    /// Whether a side is in its last period; `None` if its clock, which would show it, is not known. Without a time control
    /// the report is taken at its word.
    pub(super) fn in_last_period(&self, side: Color) -> Option<bool> {
        let Some(control) = self.control else {
            return Some(true);
        };
        Some(self.period(side)? + 1 == control.periods().len())
    }

    /// A request or claim in the last two minutes is the arbiter's to decide, never the machine's.
    pub(super) fn on_quickplay(
        &mut self,
        actor: Option<Color>,
        claim: QuickplayClaim,
        remaining: Option<Duration>,
    ) -> Answer {
        let rule = match claim {
            QuickplayClaim::Increment => Rule::QuickplayIncrement,
            QuickplayClaim::NormalMeans => Rule::QuickplayNormalMeans,
            QuickplayClaim::Unsupervised => Rule::QuickplayUnsupervised,
        };
        if !self.ruleset.has(rule) {
            return Answer::no(Reason::Unstated, &[]);
        }
        match self.guideline_holds() {
            None => {
                self.lacks("guideline_iii");
                return Answer::no(Reason::MissingFact, &[rule]);
            }
            Some(false) => return Answer::no(Reason::QuickplayElsewhere, &[Rule::QuickplayScope]),
            Some(true) => {}
        }
        let us = self.to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::ClaimNotOnMove, &[rule]);
        }
        match self.in_last_period(us) {
            Some(true) => {}
            Some(false) => return Answer::no(Reason::QuickplayBefore, &[rule, Rule::QuickplayFinish]),
            None => {
                self.lacks("time_control");
                return Answer::no(Reason::MissingFact, &[rule, Rule::QuickplayFinish]);
            }
        }
        let Some(left) = remaining.or_else(|| self.remaining(us)) else {
            self.lacks("remaining");
            return Answer::no(Reason::MissingFact, &[rule]);
        };
        if left.is_zero() || left >= LAST_MINUTES {
            return Answer::no(Reason::QuickplayEarly, &[rule]);
        }
        let unsupervised = claim == QuickplayClaim::Unsupervised;
        let reason = [Reason::LeftToArbiter, Reason::AwaitsDecision][usize::from(unsupervised)];
        let answer = Answer::yes(reason, &[rule]);
        let choices: &[Choice] = match claim {
            QuickplayClaim::Increment => &[Choice::GrantIncrement, Choice::RefuseIncrement],
            QuickplayClaim::NormalMeans => &[Choice::DeclareDraw, Choice::Postpone, Choice::RejectClaim],
            QuickplayClaim::Unsupervised => &[Choice::DeclareDraw, Choice::Loss],
        };
        let mut answer = choices
            .iter()
            .fold(answer, |answer, &choice| answer.with(Effect::Option(choice)))
            .about(us);
        if unsupervised {
            // Play has ended, and what it ended with nobody knows yet.
            self.referred = true;
            self.obliged = None;
            self.lacks("decision");
            answer.effects.push(Effect::ClocksPaused);
        }
        if claim == QuickplayClaim::Increment {
            // The request is an offer of a draw.
            answer.effects.extend(self.offer_by_claim(us));
        }
        answer
    }

    /// A claim has ended play, and an arbiter decides on it later: until then nothing else counts.
    pub(super) fn while_referred(&mut self, event: &Event) -> Option<Answer> {
        match &event.kind {
            EventKind::ArbiterDecision(Decision::Result(_) | Decision::Annul) | EventKind::Appeal => None,
            EventKind::ArbiterDecision(Decision::Choice { choice, .. })
                if matches!(choice, Choice::DeclareDraw | Choice::Loss)
                    || self.outlasts_the_game(*choice) =>
            {
                None
            }
            EventKind::Breach { breach } => Some(self.on_breach_after_end(event.actor, *breach)),
            _ => Some(Answer::no(Reason::AwaitsDecision, &[Rule::QuickplayUnsupervised])),
        }
    }
}
