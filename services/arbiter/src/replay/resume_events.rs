//! Adjourned games resumed, with players who are late or absent.

use std::time::Duration;

use tabiya_rules::Color;

use super::{
    Answer, Effect, GameResult, Pause, Reason, Replay,
    sealed_events::{Envelope, untold},
    written::Written,
};
use crate::ruleset::{LateLimit, LossDraw, Rule, Sealing};

/// Who has come to a resumption at which the envelope stays shut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attendance {
    sealer_here: bool,
    sealer_late: bool,
}

/// A player who arrives after the resumption began.
pub(super) struct LateArrival {
    pub(super) late: Duration,
    pub(super) opponent_absent: bool,
    pub(super) excused: bool,
}

/// Who has come to the resumption, and how late.
pub(super) struct Resumption {
    pub(super) replier_present: bool,
    pub(super) sealer_present: bool,
    pub(super) sealer_late: Duration,
    pub(super) replier_late: Duration,
}

impl Replay<'_> {
    pub(super) fn is_too_late(&self, late: Duration) -> bool {
        let switches = &self.ruleset.switches;
        let limit = Duration::from_secs(u64::from(switches.late_limit_minutes) * 60);
        switches.late_limit != LateLimit::None && late > limit
    }

    pub(super) fn on_resume(&mut self, report: &Resumption) -> Answer {
        if let Some(Pause::Resumption { sealer }) = self.paused {
            return self.resume_unsealed(sealer, report);
        }
        let Some(envelope) = self.envelope.clone().filter(|envelope| envelope.stopped) else {
            return Answer::no(Reason::NotSealed, &[Rule::Seal]);
        };
        let side = !envelope.by;
        let sealer_late = self.is_too_late(report.sealer_late);
        let replier_late = self.is_too_late(report.replier_late);
        let both = sealer_late && replier_late;
        if !report.replier_present && !both {
            self.attendance = Some(Attendance {
                sealer_here: report.sealer_present,
                sealer_late,
            });
            let both = !report.sealer_present && self.ruleset.has(Rule::ResumptionBothAbsent);
            let absent = [Rule::ReplierAbsent, Rule::ResumptionBothAbsent][usize::from(both)];
            return Answer::no(Reason::EnvelopeShut, &[absent, Rule::AdjournedPosition])
                .with(Effect::ClockRuns { side })
                .with(Effect::EnvelopeShut);
        }
        let mut answer = self.open(&envelope, sealer_late, replier_late, report.sealer_present);
        if answer.accepted && answer.rules.contains(&Rule::SealedResumed) {
            // What the sealed move was played on was set up before it.
            answer.rules.push(Rule::AdjournedPosition);
        }
        answer
    }

    /// What was sealed has lapsed with its position: play goes on from the one that was restored. Who comes too late loses
    /// all the same.
    fn resume_unsealed(&mut self, sealer: Color, report: &Resumption) -> Answer {
        let late = [Rule::LateResumption];
        let code = self.ruleset.switches.sealing == Sealing::Code;
        let both_late = [Rule::LateResumption, Rule::BothLate][usize::from(code)];
        match (
            self.is_too_late(report.sealer_late),
            self.is_too_late(report.replier_late),
        ) {
            (true, true) => return self.decide(GameResult::BothLose, Reason::BothTooLate, &[both_late]),
            (true, false) => return self.decide(GameResult::Wins(!sealer), Reason::SealerTooLate, &late),
            (false, true) => return self.decide(GameResult::Wins(sealer), Reason::TooLate, &late),
            (false, false) => {}
        }
        self.absent = (!report.sealer_present).then_some(sealer);
        let side = self.to_move();
        Answer::yes(Reason::ClocksStarted, &[Rule::AdjournedPosition]).with(Effect::ClockRuns { side })
    }

    /// Opens an envelope: its move is played, or loses.
    pub(super) fn open(
        &mut self,
        envelope: &Envelope,
        sealer_late: bool,
        replier_late: bool,
        sealer_present: bool,
    ) -> Answer {
        let side = !envelope.by;
        let code = self.ruleset.switches.sealing == Sealing::Code;
        self.attendance = None;
        if sealer_late && replier_late && code {
            return self.decide(GameResult::BothLose, Reason::BothTooLate, &[Rule::BothLate]);
        }
        if replier_late && code {
            return self.decide(
                GameResult::Wins(envelope.by),
                Reason::TooLate,
                &[Rule::LateResumption],
            );
        }
        if untold(&envelope.text) {
            self.lacks("text");
            return Answer::no(Reason::MissingFact, &[Rule::SealedResumed]);
        }
        let written = self.read(&envelope.text);
        let Some(mv) = written.legal() else {
            return self.invalid(envelope, written);
        };
        self.suspended = false;
        self.envelope = None;
        // Sealing came before an offer made during the adjournment, so it does not refuse that offer.
        let kept = self.open.map(|open| open.filter(|offer| offer.adjourned));
        self.open = self.open.map(|open| open.filter(|offer| !offer.adjourned));
        let refused = self.play(mv);
        self.unpressed = None;
        // Sealing has completed the move.
        if let Some(clock) = &mut self.clock {
            clock.complete(envelope.by);
        }
        if self.conclusion.is_none() {
            self.resumed = Some(self.stage());
            self.open = [0, 1].map(|side| kept[side].or(self.open[side]));
        }
        if let Some(mut end) = self.conclusion.take() {
            if sealer_late {
                let rule = match end.result {
                    Some(GameResult::Wins(_)) => Rule::LateSealerMates,
                    _ => Rule::LateSealerDraws,
                };
                let late = self.articles(&[rule]);
                end.articles.extend(late);
            } else if replier_late {
                let late = self.articles(&[Rule::LateResumption]);
                end.articles.extend(late);
            }
            let reason = end.reason;
            self.conclusion = Some(end);
            return Answer::yes(reason, &[Rule::SealedResumed]).with(Effect::SealedMove(mv));
        }
        let late = [Rule::LateResumption];
        if sealer_late && replier_late {
            return self
                .decide(GameResult::BothLose, Reason::BothTooLate, &late)
                .with(Effect::SealedMove(mv));
        }
        if sealer_late {
            return self.decide(GameResult::Wins(side), Reason::SealerTooLate, &late);
        }
        if replier_late {
            return self.decide(GameResult::Wins(envelope.by), Reason::TooLate, &late);
        }
        let answer = Answer::yes(Reason::Resumed, &[Rule::SealedResumed])
            .with(Effect::SealedMove(mv))
            .with(Effect::ClockRuns { side });
        let answer = refused.into_iter().fold(answer, Answer::with);
        if sealer_present {
            self.absent = None;
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
            // Several pieces fit a promotion that names none.
            Written::Ambiguous | Written::PawnLeft(..) => Rule::SealedAmbiguous,
            Written::Unreadable => Rule::SealedMeaningless,
            Written::Illegal(..) | Written::Legal(_) => Rule::SealedIllegal,
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
    pub(super) fn on_late_arrival(&mut self, side: Color, report: &LateArrival) -> Answer {
        let too_late = self.is_too_late(report.late) && !report.excused;
        let in_time = Answer::yes(Reason::InTime, &[Rule::LateResumption]);
        if self.absent == Some(side) {
            return self.absent_sealer_arrives(side, too_late);
        }
        let Some(envelope) = self.envelope.clone() else {
            return in_time;
        };
        if envelope.by != side {
            // A sealer who is not here either is as late as this player by now.
            let sealer = self.attendance;
            let here = sealer.is_none_or(|sealer| sealer.sealer_here) && !report.opponent_absent;
            let late = sealer.is_some_and(|sealer| sealer.sealer_late) || (!here && too_late);
            return self.open(&envelope, late, too_late, here);
        }
        // The envelope is shut at a resumption only while the player who has to reply is absent.
        let alone = self.attendance.is_some() || report.opponent_absent;
        if too_late && alone {
            return self.open(&envelope, true, true, true);
        }
        self.attendance = Some(Attendance {
            sealer_here: true,
            sealer_late: too_late,
        });
        match too_late {
            true => Answer::no(Reason::SealerLate, &[Rule::LateResumption]),
            false => in_time,
        }
    }

    /// The sealer arrives after his move was opened; a reply sealed meanwhile is opened then.
    fn absent_sealer_arrives(&mut self, side: Color, too_late: bool) -> Answer {
        let reply = self.envelope.clone();
        let reads = |reply: &Envelope| self.read(&reply.text);
        let playable = reply.as_ref().is_some_and(|reply| reads(reply).legal().is_some());
        if too_late && !playable {
            return self.decide(
                GameResult::Wins(!side),
                Reason::SealerTooLate,
                &[Rule::LateResumption],
            );
        }
        self.absent = None;
        match reply {
            Some(reply) => {
                let mut answer = self.open(&reply, false, too_late, true);
                answer.rules.push(Rule::SealReply);
                answer
            }
            None => Answer::yes(Reason::InTime, &[Rule::LateResumption]),
        }
    }
}
