//! Adjourned games resumed, with players who are late or absent.

use std::time::Duration;

use tabiya_rules::Color;

use super::{
    Answer, Effect, GameResult, Reason, Replay,
    sealed_events::Envelope,
    written::{self, Written},
};
use crate::ruleset::{LateLimit, LossDraw, Rule, Sealing};

/// Who has come to the resumption, and how late.
pub(super) struct Resumption {
    pub(super) replier_present: bool,
    pub(super) sealer_present: bool,
    pub(super) sealer_late: Duration,
    pub(super) replier_late: Duration,
}

impl Replay<'_> {
    fn is_too_late(&self, late: Duration) -> bool {
        let switches = &self.ruleset.switches;
        let limit = Duration::from_secs(u64::from(switches.late_limit_minutes) * 60);
        switches.late_limit != LateLimit::None && late > limit
    }

    pub(super) fn on_resume(&mut self, report: &Resumption) -> Answer {
        let Some(envelope) = self.envelope.clone() else {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        };
        let side = !envelope.by;
        let sealer_late = self.is_too_late(report.sealer_late);
        let replier_late = self.is_too_late(report.replier_late);
        if sealer_late && replier_late {
            return self.decide(GameResult::BothLose, Reason::BothTooLate, &[Rule::BothLate]);
        }
        if !report.replier_present {
            return Answer::no(Reason::EnvelopeShut, &[Rule::ReplierAbsent])
                .with(Effect::ClockRuns { side })
                .with(Effect::EnvelopeShut);
        }
        self.open(&envelope, sealer_late, replier_late, report.sealer_present)
    }

    /// Opens an envelope: its move is played, or loses.
    fn open(
        &mut self,
        envelope: &Envelope,
        sealer_late: bool,
        replier_late: bool,
        sealer_present: bool,
    ) -> Answer {
        let side = !envelope.by;
        let code = self.ruleset.switches.sealing == Sealing::Code;
        if replier_late && code {
            return self.decide(
                GameResult::Wins(envelope.by),
                Reason::TooLate,
                &[Rule::LateResumption],
            );
        }
        let written = written::read(self.board(), &envelope.text, None, self.variant);
        let Some(mv) = written.legal() else {
            return self.invalid(envelope, written);
        };
        self.suspended = false;
        self.envelope = None;
        // Sealing came before an offer made during the adjournment, so it does not refuse that offer.
        let kept = self.offer.take_if(|_| self.offer_adjourned);
        self.play(mv);
        self.unpressed = None;
        if kept.is_some() && self.conclusion.is_none() {
            self.offer = kept;
        }
        if let Some(mut end) = self.conclusion.take() {
            if sealer_late {
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
        let late = [Rule::LateResumption];
        if sealer_late {
            return self.decide(GameResult::Wins(side), Reason::SealerTooLate, &late);
        }
        if replier_late {
            return self.decide(GameResult::Wins(envelope.by), Reason::TooLate, &late);
        }
        let answer = Answer::yes(Reason::Resumed, &[Rule::SealedResumed])
            .with(Effect::SealedMove(mv))
            .with(Effect::ClockRuns { side });
        if sealer_present {
            return answer;
        }
        // The reply may be played, or sealed in its turn.
        self.absent = Some(envelope.by);
        Answer {
            reason: Reason::SealerAbsent,
            rules: vec![Rule::SealedResumed, Rule::SealReply],
            ..answer
        }
    }

    /// What was sealed is ambiguous, has no meaning or is illegal.
    fn invalid(&mut self, envelope: &Envelope, written: Written) -> Answer {
        let side = !envelope.by;
        let wrong = match written {
            Written::Ambiguous => Rule::SealedAmbiguous,
            Written::Unreadable => Rule::SealedMeaningless,
            Written::Illegal(..) | Written::PawnLeft(..) | Written::Legal(_) => Rule::SealedIllegal,
        };
        let reading = match self.ruleset.switches.sealing {
            Sealing::Code => LossDraw::BareKing,
            _ => LossDraw::Unwinnable,
        };
        match self.loss_is_draw(side, reading) {
            Some(true) => self.decide(
                GameResult::Draw,
                Reason::SealInvalidDraw,
                &[wrong, Rule::SealedInvalidDraw],
            ),
            Some(false) => self.decide(
                GameResult::Wins(side),
                Reason::SealInvalid,
                &[wrong, Rule::SealedInvalid],
            ),
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[wrong, Rule::SealedInvalid])
            }
        }
    }

    /// A player arrives after the resumption began.
    pub(super) fn on_late_arrival(&mut self, side: Color, late: Duration) -> Answer {
        let too_late = self.is_too_late(late);
        if self.absent == Some(side) {
            if too_late {
                return self.decide(
                    GameResult::Wins(!side),
                    Reason::SealerTooLate,
                    &[Rule::LateResumption],
                );
            }
            self.absent = None;
            // A reply sealed meanwhile is opened on his arrival.
            return match self.envelope.clone() {
                Some(reply) => self.open(&reply, false, false, true),
                None => Answer::yes(Reason::InTime, &[Rule::LateResumption]),
            };
        }
        match self.envelope.clone() {
            Some(envelope) if envelope.by != side => self.open(&envelope, false, too_late, true),
            Some(_) if too_late => Answer::no(Reason::SealerLate, &[Rule::LateResumption]),
            _ => Answer::yes(Reason::InTime, &[Rule::LateResumption]),
        }
    }
}
