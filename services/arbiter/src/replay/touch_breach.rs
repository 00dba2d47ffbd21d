//! Moves that do not honour what was touched or released, and that stand unless the opponent complains.

use tabiya_rules::Move;

use super::{Answer, Effect, Event, EventKind, Reason, Replay, Unmade};
use crate::ruleset::Rule;

impl Replay<'_> {
    /// Whether it is for the opponent to complain about a move against what binds. What a claim or a seal has fixed, the
    /// arbiter knows himself.
    pub(super) fn waits_for_complaint(&self) -> bool {
        self.ruleset.has(Rule::TouchComplaint)
            && !matches!(self.binding, Some(Rule::ClaimWrong | Rule::SealPlayed))
    }

    /// The clock was pressed on such a move: it stands once the opponent has touched a piece without complaining.
    pub(super) fn press_breach(&mut self, mv: Move) -> Answer {
        let side = self.to_move();
        let mut answer = self.touch_binds();
        answer.reason = Reason::TouchWaits;
        answer.rules.push(Rule::TouchComplaint);
        let before = self.stage();
        let made = self.make(mv, false);
        for rule in made.rules {
            if !answer.rules.contains(&rule) {
                answer.rules.push(rule);
            }
        }
        answer.effects.extend(made.effects);
        if self.conclusion.is_none() {
            let pressed = self.on_press(Some(side));
            answer.effects.extend(pressed.effects);
        }
        self.breach = Some(before);
        answer
    }

    /// The opponent replies to such a move though nobody has pressed the clock or complained: it stands.
    pub(super) fn reply_to_breach(&mut self, event: &Event) -> Vec<Effect> {
        let touches = match event.kind {
            EventKind::Touch {
                adjust, accidental, ..
            } => !adjust && !accidental,
            EventKind::Move { .. } | EventKind::Release { .. } => true,
            _ => false,
        };
        let replies = touches && event.actor == Some(!self.to_move());
        let made = match self.unmade {
            Some(Unmade::TouchBinds(made)) if replies && self.waits_for_complaint() => made,
            _ => None,
        };
        // After the end there is no reply.
        match made.filter(|&mv| !self.would_end(mv)) {
            Some(mv) => self.make(mv, false).effects,
            None => Vec::new(),
        }
    }
}
