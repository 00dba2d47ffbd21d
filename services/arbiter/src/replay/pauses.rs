//! Clocks that are stopped and started again.

use tabiya_rules::Color;

use super::{Answer, Effect, EventKind, PauseReason, Reason, Replay};
use crate::ruleset::Rule;

/// What ends a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    /// The ruling on the claim that the clocks were stopped for.
    Claim,
    /// The start of a clock.
    Start,
    /// The resumption of a game that was adjourned, and whose sealed move has lapsed with its position.
    Resumption { sealer: Color },
}

impl Replay<'_> {
    /// Whose clock runs if one does; `None` while an adjourned game waits for its resumption.
    pub(super) fn due_clock(&self) -> Option<Color> {
        let shut = self.envelope.as_ref().filter(|envelope| envelope.stopped);
        match shut.map(|envelope| !envelope.by) {
            // The player who has to reply lets the envelope wait.
            Some(side) if self.suspended => self.attendance.map(|_| side),
            // The reply is sealed, and the player whose move was opened is still absent.
            Some(side) if self.absent == Some(side) => Some(side),
            _ => Some(self.own_time.unwrap_or_else(|| self.on_clock())),
        }
    }

    pub(super) fn on_pause(&mut self, actor: Option<Color>, reason: PauseReason) -> Answer {
        let rule = match reason {
            PauseReason::Assistance => Rule::Pause,
            PauseReason::PromotionPiece => Rule::PauseForPiece,
            PauseReason::Claim => Rule::PauseForClaim,
            PauseReason::Groundless => Rule::PauseGroundless,
        };
        if self.ruleset.articles_of(rule).is_empty() {
            return Answer::no(Reason::Unstated, &[]);
        }
        if self.due_clock().is_none() {
            return Answer::no(Reason::Adjourned, &[Rule::Seal]);
        }
        if reason != PauseReason::Groundless {
            return Answer::yes(Reason::Paused, &[rule]).with(Effect::ClocksPaused);
        }
        let mut answer = Answer::no(Reason::PausedGroundless, &[rule]);
        if let Some(side) = actor {
            return self.may_penalise(side, answer);
        }
        answer.effects.extend(self.sanctions());
        if !self.ruleset.switches.sanctions.is_empty() {
            answer.rules.push(Rule::Sanctions);
        }
        answer
    }

    pub(super) fn on_clock_start(&mut self, actor: Option<Color>) -> Answer {
        if actor.is_some() && self.ruleset.has(Rule::ClockStart) {
            return Answer::no(Reason::ArbiterStarts, &[Rule::ClockStart]);
        }
        let Some(side) = self.due_clock() else {
            return Answer::no(Reason::Adjourned, &[Rule::Seal]);
        };
        Answer::yes(Reason::ClocksStarted, &[Rule::ClockStart]).with(Effect::ClockRuns { side })
    }

    /// Follows whether the clocks stand. While they do, a ruling on something else starts none; whose clock it would be is
    /// known when they are started.
    pub(super) fn keep_stopped(&mut self, kind: &EventKind, answer: &mut Answer) {
        let runs = |effect: &Effect| matches!(effect, Effect::ClockRuns { .. });
        let starts = answer.effects.iter().any(runs);
        let ends = match kind {
            EventKind::ClockStart | EventKind::Resume { .. } | EventKind::EnvelopeLost { .. } => true,
            EventKind::Claim { .. } => self.paused == Some(Pause::Claim),
            // Where no article leaves it to the arbiter.
            EventKind::ClockPress => !self.ruleset.has(Rule::ClockStart),
            _ => false,
        };
        if starts && ends {
            self.paused = None;
        }
        let adjourned = self.suspended && self.attendance.is_none();
        if adjourned || self.paused.is_some() {
            answer.effects.retain(|effect| !runs(effect));
        }
        if !starts && answer.effects.contains(&Effect::ClocksPaused) {
            let for_claim = EventKind::Pause {
                reason: PauseReason::Claim,
            };
            let first = self.paused.is_none();
            self.paused = Some(match first && *kind == for_claim {
                true => Pause::Claim,
                false => Pause::Start,
            });
        }
        if adjourned {
            // The resumption starts a clock.
            self.paused = None;
        }
    }
}
