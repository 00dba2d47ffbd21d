//! Players who arrive, in time or late.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Answer, Effect, Event, EventKind, GameResult, Reason, Replay, resume_events::LateArrival};
use crate::ruleset::{LateLimit, Rule};

impl Replay<'_> {
    /// Whether a side has made a move, whoever reported it.
    fn has_moved(&self, side: Color) -> bool {
        let first = self.game.start().side_to_move();
        let plies = self.plies();
        if side == first { plies >= 1 } else { plies >= 2 }
    }

    /// Whether a side is here: it has arrived, or has acted at the board.
    fn is_here(&self, side: Color) -> bool {
        self.arrived[side.index()] || self.has_moved(side)
    }

    pub(super) fn on_arrival(
        &mut self,
        actor: Option<Color>,
        late: Duration,
        opponent_absent: bool,
        excused: bool,
        timed: bool,
    ) -> Answer {
        let Some(side) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Late]);
        };
        let excused = excused && self.ruleset.has(Rule::LateExcused);
        if self.suspended || self.absent.is_some() {
            let report = LateArrival {
                late,
                opponent_absent,
                excused,
            };
            return self.on_late_arrival(side, &report);
        }
        if self.is_here(side) {
            return Answer::no(Reason::AlreadyHere, &[Rule::Late]);
        }
        if !timed {
            // How late he is counts from the start of play, as the time of an event does.
            self.now = self.now.max(late);
        }
        if self.ruleset.switches.late_limit == LateLimit::None {
            return Answer::yes(Reason::Unstated, &[]);
        }
        let too_late = self.is_too_late(late);
        if too_late && !excused {
            if opponent_absent && !self.is_here(!side) {
                return self.decide(GameResult::BothLose, Reason::BothTooLate, &[Rule::BothLate]);
            }
            return self.decide(GameResult::Wins(!side), Reason::TooLate, &[Rule::Late]);
        }
        self.arrived[side.index()] = true;
        let reason = if too_late {
            Reason::LateExcused
        } else {
            Reason::InTime
        };
        if side == Color::Black {
            // White's clock runs first: Black loses what runs after White's first move.
            return Answer::yes(reason, &[Rule::Late]);
        }
        if late.is_zero() {
            return Answer::yes(reason, &[Rule::Late]);
        }
        let lost = Effect::TimeLost { side, time: late };
        if reason == Reason::InTime && opponent_absent && self.ruleset.has(Rule::BothAbsent) {
            return Answer::yes(Reason::WhiteWaits, &[Rule::Late, Rule::BothAbsent]).with(lost);
        }
        Answer::yes(reason, &[Rule::Late]).with(lost)
    }

    /// Who acts at the board has come. What is done while the game is adjourned may be done from afar.
    pub(super) fn note_presence(&mut self, event: &Event) {
        let at_board = matches!(
            event.kind,
            EventKind::Move { .. }
                | EventKind::ClockPress
                | EventKind::Touch { .. }
                | EventKind::Release { .. }
                | EventKind::TouchComplaint { .. }
                | EventKind::DrawOffer { .. }
                | EventKind::DrawAnswer { .. }
                | EventKind::Claim { .. }
                | EventKind::QuickplayClaim { .. }
                | EventKind::Displacement { .. }
                | EventKind::Seal { .. }
                | EventKind::SlipOfTongue { .. }
                | EventKind::Pause { .. }
        );
        if let Some(side) = event.actor.filter(|_| at_board && !self.suspended) {
            self.arrived[side.index()] = true;
            self.absent = self.absent.filter(|&absent| absent != side);
        }
    }

    /// A player arrives after the game was lost by his opponent, who had come too late: if he is too late as well, and has
    /// not been here, both lose.
    pub(super) fn on_arrival_after_end(
        &mut self,
        actor: Option<Color>,
        late: Duration,
        excused: bool,
    ) -> Answer {
        let excused = excused && self.ruleset.has(Rule::LateExcused);
        let won_by = |side| {
            let end = self.conclusion.as_ref();
            end.is_some_and(|end| end.reason == Reason::TooLate && end.result == Some(GameResult::Wins(side)))
        };
        let both = actor.is_some_and(|side| won_by(side) && !self.is_here(side));
        if both && self.is_too_late(late) && !excused {
            return self.decide(GameResult::BothLose, Reason::BothTooLate, &[Rule::BothLate]);
        }
        Answer::no(Reason::GameOver, &[])
    }
}
