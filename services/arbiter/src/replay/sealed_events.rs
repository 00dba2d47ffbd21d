//! Sealed moves and adjourned games.

use std::time::Duration;

use tabiya_rules::{Color, Move, san, uci};

use super::{Answer, Effect, Envelope, GameResult, Reason, Replay, position};
use crate::ruleset::{LateLimit, LossDraw, Rule, Sealing};

impl Replay<'_> {
    pub(super) fn on_seal(&mut self, actor: Option<Color>, text: &str, clock_stopped: bool) -> Answer {
        if self.ruleset.switches.sealing == Sealing::None {
            return Answer::no(Reason::Unstated, &[]);
        }
        // A move played after the order to seal is the sealed move: the mover is then no longer on move.
        let played = self.unpressed.is_some() && self.unpressed == actor;
        if played && self.envelope.is_none() {
            return self.seal_played(actor, text, clock_stopped);
        }
        let us = self.board().side_to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::NotOnMove, &[Rule::Seal]);
        }
        if self.envelope.as_ref().is_some_and(|envelope| envelope.stopped) {
            return Answer::no(Reason::SealLate, &[Rule::Seal]);
        }
        let reason = if self.envelope.is_some() {
            Reason::SealChanged
        } else {
            Reason::Sealed
        };
        self.envelope = Some(Envelope {
            by: us,
            text: text.to_owned(),
            stopped: clock_stopped,
        });
        self.suspended = clock_stopped;
        Answer::yes(reason, &[Rule::Seal])
    }

    /// The sealed move has been played on the board: what is written must be that move.
    fn seal_played(&mut self, actor: Option<Color>, text: &str, clock_stopped: bool) -> Answer {
        let Some((&last, earlier)) = self.game.moves().split_last() else {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        };
        let mut before = tabiya_rules::Game::new(*self.game.start());
        for &mv in earlier {
            before.play(mv);
        }
        let written = uci::parse(before.board(), text, self.variant)
            .ok()
            .or_else(|| san::parse(before.board(), text, san::SanMode::Lenient).ok());
        if written != Some(last) {
            return Answer::no(Reason::SealMustMatch, &[Rule::SealPlayed]).with(Effect::SealedMove(last));
        }
        self.game = before;
        self.unpressed = None;
        self.envelope = actor.map(|by| Envelope {
            by,
            text: text.to_owned(),
            stopped: clock_stopped,
        });
        self.suspended = clock_stopped;
        Answer::yes(Reason::Sealed, &[Rule::SealPlayed]).with(Effect::SealedMove(last))
    }

    fn sealed_move(&self, text: &str) -> Option<Move> {
        uci::parse(self.board(), text, self.variant)
            .ok()
            .or_else(|| san::parse(self.board(), text, san::SanMode::Lenient).ok())
    }

    pub(super) fn on_resume(&mut self, replier_present: bool, sealer_late: Duration) -> Answer {
        let Some(envelope) = self.envelope.clone() else {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        };
        let side = !envelope.by;
        if !replier_present {
            return Answer::no(Reason::EnvelopeShut, &[Rule::ReplierAbsent])
                .with(Effect::ClockRuns { side })
                .with(Effect::EnvelopeShut);
        }
        let switches = &self.ruleset.switches;
        let limit = Duration::from_secs(u64::from(switches.late_limit_minutes) * 60);
        let too_late = switches.late_limit != LateLimit::None && sealer_late > limit;
        let Some(mv) = self.sealed_move(&envelope.text) else {
            let reading = match switches.sealing {
                Sealing::Code => LossDraw::BareKing,
                _ => LossDraw::Unwinnable,
            };
            return match position::loss_is_draw(self.board(), side, reading) {
                Some(true) => self.decide(
                    GameResult::Draw,
                    Reason::SealInvalidDraw,
                    &[Rule::SealedInvalidDraw],
                ),
                Some(false) => self.decide(
                    GameResult::Wins(side),
                    Reason::SealInvalid,
                    &[Rule::SealedInvalid],
                ),
                None => {
                    self.lacks("can_mate");
                    Answer::no(Reason::Undecided, &[Rule::SealedInvalid])
                }
            };
        };
        self.suspended = false;
        self.envelope = None;
        self.play(mv);
        self.unpressed = None;
        if let Some(mut end) = self.conclusion.take() {
            if too_late {
                let rule = match end.result {
                    Some(GameResult::Wins(_)) => Rule::LateSealerMates,
                    _ => Rule::LateSealerDraws,
                };
                let late = self.articles(&[rule]);
                end.articles.extend(late);
            }
            let reason = end.reason;
            self.conclusion = Some(end);
            return Answer::yes(reason, &[Rule::SealedResumed]).with(Effect::SealedMove(mv));
        }
        if too_late {
            return self.decide(
                GameResult::Wins(side),
                Reason::SealerTooLate,
                &[Rule::LateResumption],
            );
        }
        Answer::yes(Reason::Resumed, &[Rule::SealedResumed])
            .with(Effect::SealedMove(mv))
            .with(Effect::ClockRuns { side })
    }

    pub(super) fn on_envelope_lost(&mut self, position_known: Option<bool>) -> Answer {
        if self.ruleset.switches.sealing == Sealing::None {
            return Answer::no(Reason::Unstated, &[]);
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
                self.envelope = None;
                Answer::yes(Reason::EnvelopeResumes, &[Rule::EnvelopeLost])
            }
        }
    }
}
