//! Sealed moves: how they are sealed, what the envelope says, and that it is lost.

use std::time::Duration;

use tabiya_rules::{Color, Move, uci};

use super::{Answer, Choice, Effect, EnvelopeItem, Pause, Reason, Replay};
use crate::ruleset::{Rule, Sealing};

/// A move under seal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Envelope {
    pub(super) by: Color,
    pub(super) text: String,
    pub(super) stopped: bool,
    /// The move that its sealer has played on the board before he stopped the clock: it is the sealed move.
    pub(super) played: Option<Move>,
}

impl Replay<'_> {
    pub(super) fn on_seal(
        &mut self,
        actor: Option<Color>,
        text: &str,
        clock_stopped: bool,
        session_left: Option<Duration>,
    ) -> Answer {
        if self.ruleset.switches.sealing == Sealing::None {
            return Answer::no(Reason::Unstated, &[]);
        }
        let us = self.to_move();
        if self.absent == Some(!us) && actor.is_none_or(|actor| actor == us) {
            if let Some(refused) = self.sealed_against_touch(text) {
                return refused;
            }
            return self.seal_reply(us, text, clock_stopped);
        }
        // A move played after the order to seal is the sealed move: the mover is then no longer on move.
        let played = self.unpressed.is_some() && self.unpressed == actor;
        if played && self.envelope.is_none() {
            let answer = self.seal_played(actor, text, clock_stopped);
            return self.charge_early(answer, actor.unwrap_or(!us), clock_stopped, session_left);
        }
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::NotOnMove, &[Rule::Seal]);
        }
        if self.envelope.as_ref().is_some_and(|envelope| envelope.stopped) {
            return Answer::no(Reason::SealLate, &[Rule::Seal]);
        }
        if let Some(played) = self.envelope.as_ref().and_then(|envelope| envelope.played) {
            let matches = self.read(text).legal() == Some(played);
            if !matches && !untold(text) {
                return Answer::no(Reason::SealMustMatch, &[Rule::SealPlayed])
                    .with(Effect::SealedMove(played));
            }
        }
        if let Some(refused) = self.sealed_against_touch(text) {
            return refused;
        }
        let reason = if self.envelope.is_some() {
            Reason::SealChanged
        } else {
            Reason::Sealed
        };
        let answer = self.seal(us, text, clock_stopped, Answer::yes(reason, &[Rule::Seal]));
        self.charge_early(answer, us, clock_stopped, session_left)
    }

    /// Who seals before the end of the session is charged with what is left of it. A move that may still be changed is not
    /// sealed yet, and costs nothing.
    fn charge_early(
        &self,
        answer: Answer,
        side: Color,
        clock_stopped: bool,
        session_left: Option<Duration>,
    ) -> Answer {
        match session_left.filter(|left| answer.accepted && clock_stopped && !left.is_zero()) {
            Some(time) if self.ruleset.has(Rule::SealEarly) => {
                let mut answer = answer.with(Effect::UsedTimeAdded { side, time });
                answer.rules.push(Rule::SealEarly);
                answer
            }
            _ => answer,
        }
    }

    /// What was touched, released or announced binds the sealed move as any other.
    fn sealed_against_touch(&self, text: &str) -> Option<Answer> {
        let due = self.obliged.as_ref()?;
        let mv = self.read(text).legal()?;
        let refused = || self.touch_binds().with(Effect::Obliged(due.clone()));
        (!due.contains(&mv)).then(refused)
    }

    fn seal(&mut self, by: Color, text: &str, stopped: bool, answer: Answer) -> Answer {
        let played = self.envelope.take().and_then(|envelope| envelope.played);
        let variant = self.variant;
        let known = played.filter(|_| untold(text));
        self.envelope = Some(Envelope {
            by,
            text: known.map_or_else(|| text.to_owned(), |mv| uci::write(mv, variant).to_string()),
            stopped,
            played,
        });
        self.attendance = None;
        self.absent = self.absent.filter(|&side| side != by);
        self.suspended = stopped;
        if stopped {
            return answer.with(Effect::ClocksPaused);
        }
        answer
    }

    /// The game goes back to an earlier turn: what was sealed belongs to a position that stands no more, and lapses with
    /// it. An adjourned game still waits for its resumption; its clocks stand, and then the player on move moves.
    pub(super) fn lapse_seal(&mut self) {
        let envelope = self.envelope.take();
        if let Some(envelope) = envelope.filter(|_| self.suspended && self.attendance.is_none()) {
            self.paused = Some(Pause::Resumption { sealer: envelope.by });
        }
        self.attendance = None;
        self.suspended = false;
    }

    /// The sealed move has been played on the board: what is written must be that move.
    fn seal_played(&mut self, actor: Option<Color>, text: &str, clock_stopped: bool) -> Answer {
        let (Some((before, Some(last))), Some(by)) = (self.before_last_move(), actor) else {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        };
        let last_text = uci::write(last, self.variant).to_string();
        let text = if untold(text) { &last_text } else { text };
        if before.read(text, self.variant).legal() != Some(last) {
            return Answer::no(Reason::SealMustMatch, &[Rule::SealPlayed]).with(Effect::SealedMove(last));
        }
        self.go_back(before);
        self.fault = None;
        self.unpressed = None;
        let answer = Answer::yes(Reason::Sealed, &[Rule::SealPlayed]).with(Effect::SealedMove(last));
        self.seal(by, text, clock_stopped, answer)
    }

    /// A legal move on the board by a player who is sealing. It is the sealed move, however often he plays; but the reply
    /// to an absent sealer may be played as well as sealed, until it is sealed. `None`: it is played as any other move.
    pub(super) fn moved_while_sealing(&mut self, mv: Move) -> Option<Answer> {
        let us = self.to_move();
        let variant = self.variant;
        let envelope = self.envelope.as_mut().filter(|envelope| envelope.by == us)?;
        if self.absent == Some(!us) {
            if envelope.stopped {
                return Some(Answer::no(Reason::SealLate, &[Rule::SealReply]));
            }
            self.envelope = None;
            return None;
        }
        let sealed = *envelope.played.get_or_insert(mv);
        envelope.text = uci::write(sealed, variant).to_string();
        // From now on the sealed move is the only one.
        self.obliged = Some(vec![sealed]);
        self.move_fixed = true;
        self.binding = Some(Rule::SealPlayed);
        let mut answer = Answer::yes(Reason::SealMustMatch, &[Rule::SealPlayed]);
        answer.accepted = sealed == mv;
        answer.effects.push(Effect::SealedMove(sealed));
        answer.effects.extend(self.note_touch());
        Some(answer)
    }

    /// The present player writes his reply down and starts the absent sealer's clock.
    fn seal_reply(&mut self, by: Color, text: &str, stopped: bool) -> Answer {
        if !self.ruleset.has(Rule::SealReply) {
            return Answer::no(Reason::Unstated, &[]);
        }
        if self.envelope.as_ref().is_some_and(|envelope| envelope.stopped) {
            return Answer::no(Reason::SealLate, &[Rule::SealReply]);
        }
        self.envelope = Some(Envelope {
            by,
            text: text.to_owned(),
            stopped,
            played: None,
        });
        let answer = Answer::yes(Reason::ReplySealed, &[Rule::SealReply]).with(Effect::EnvelopeShut);
        if stopped {
            return answer.with(Effect::ClockRuns { side: !by });
        }
        answer
    }

    pub(super) fn on_envelope_lost(&mut self, position_known: Option<bool>, times_known: bool) -> Answer {
        if self.ruleset.switches.sealing == Sealing::None {
            return Answer::no(Reason::Unstated, &[]);
        }
        if self.envelope.as_ref().is_none_or(|envelope| !envelope.stopped) {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        }
        let annulled = if self.ruleset.has(Rule::EnvelopeLostPosition) {
            Rule::EnvelopeLostPosition
        } else {
            Rule::EnvelopeLost
        };
        match position_known {
            None => {
                self.lacks("position_known");
                Answer::no(Reason::MissingFact, &[Rule::EnvelopeLost])
            }
            Some(false) => self
                .annul(Reason::EnvelopeAnnuls, &[annulled])
                .with(Effect::NewGame),
            Some(true) => {
                self.suspended = false;
                // The sealer plays on the board what he says that he sealed.
                let side = self.envelope.take().map(|envelope| envelope.by);
                self.resumed = Some(self.stage());
                let rule = match (times_known, self.ruleset.has(Rule::EnvelopeLostTimes)) {
                    (false, true) => Rule::EnvelopeLostTimes,
                    _ => Rule::EnvelopeLost,
                };
                let mut answer = Answer::yes(Reason::EnvelopeResumes, &[rule]);
                answer.effects.extend(side.map(|side| Effect::ClockRuns { side }));
                if !times_known {
                    answer.effects.push(Effect::Option(Choice::SetClocks));
                }
                answer
            }
        }
    }

    pub(super) fn on_envelope_checked(&self, items: &[EnvelopeItem]) -> Answer {
        use EnvelopeItem::{MoveNumber, Names, Offer, Position, Resumption, Sealer, Times};

        let needed: &[EnvelopeItem] = match self.ruleset.switches.sealing {
            Sealing::None => return Answer::no(Reason::Unstated, &[]),
            _ if self.envelope.is_none() => return Answer::no(Reason::NotSealed, &[Rule::Seal]),
            Sealing::Code => &[Names, Position, Times, Sealer, MoveNumber],
            Sealing::Guideline if self.open.iter().any(Option::is_some) => {
                &[Names, Position, Times, Sealer, MoveNumber, Offer, Resumption]
            }
            Sealing::Guideline => &[Names, Position, Times, Sealer, MoveNumber, Resumption],
        };
        let lacks: Vec<_> = needed
            .iter()
            .copied()
            .filter(|item| !items.contains(item))
            .collect();
        if lacks.is_empty() {
            return Answer::yes(Reason::EnvelopeComplete, &[Rule::EnvelopeItems]);
        }
        Answer::no(Reason::EnvelopeIncomplete, &[Rule::EnvelopeItems]).with(Effect::CompleteEnvelope(lacks))
    }
}

/// Whether nobody has said yet what was sealed: only the envelope tells it, once it is opened.
pub(super) fn untold(text: &str) -> bool {
    text.trim().is_empty()
}
