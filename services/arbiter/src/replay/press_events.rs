//! Presses of the clock.

use tabiya_rules::{Color, Move};

use super::{
    Answer, Effect, Fault, Reason, Replay, Unmade, fault::IllegalReport, move_events::castling_lost,
};
use crate::ruleset::{PressedPromotion, Rule};

impl Replay<'_> {
    /// A side's press completes its move on the clock. Where nobody presses, making the move has done so.
    pub(super) fn press_clock(&mut self, side: Color) {
        let presses = self.ruleset.has(Rule::Press);
        if let Some(clock) = self.clock.as_mut().filter(|_| presses) {
            clock.press(side, self.now);
        }
    }

    pub(super) fn on_press(&mut self, actor: Option<Color>) -> Answer {
        let at_fault = self.fault.as_ref().map(|fault| fault.by);
        let side = actor.or(at_fault).or(self.unpressed).unwrap_or(self.to_move());
        if let Some(fault) = self.fault.take_if(|fault| fault.by == side) {
            return self.complete(fault);
        }
        if let Some(unmade) = self.unmade.filter(|_| side == self.to_move()) {
            return self.pressed_unmade(unmade);
        }
        if self.unannounced && side == self.to_move() {
            return Answer::no(Reason::Unannounced, &[Rule::DisabledPress, Rule::DisabledMade])
                .with(Effect::ClockRuns { side });
        }
        if self.released && side == self.to_move() {
            return self.press_released(side);
        }
        if self.late == Some(side) {
            // The reply was made while his clock ran on.
            self.late = None;
            // A press of the reply moved no hand then: the opponent presses again.
            self.own_time = (self.unpressed != Some(!side)).then_some(!side);
            let answer = Answer::yes(Reason::MoveCompleted, &[Rule::Press, Rule::MoveCompleted]);
            if !self.ruleset.has(Rule::Press) {
                return answer;
            }
            self.press_clock(side);
            return answer.with(Effect::ClockRuns { side: !side });
        }
        if self.unpressed == Some(side) {
            self.unpressed = None;
            self.press_clock(side);
            if let Some(drawn) = self.still_illegal() {
                return drawn;
            }
            return Answer::yes(Reason::MoveCompleted, &[Rule::MoveCompleted])
                .with(Effect::ClockRuns { side: !side });
        }
        if self.own_time.take_if(|&mut by| by == side).is_some() {
            // What he had to put right in his own time is done, and the turn is the opponent's again.
            return Answer::yes(Reason::ClockHandedBack, &[Rule::Press])
                .with(Effect::ClockRuns { side: !side });
        }
        if side != self.to_move() {
            // His last move is complete and the other clock runs: pressing again changes nothing.
            if at_fault.is_some() {
                return Answer::yes(Reason::MoveCompleted, &[Rule::Press, Rule::MoveCompleted]);
            }
            return Answer::no(Reason::NotOnMove, &[Rule::Press]);
        }
        if let Some(sealed) = self.envelope.as_ref().and_then(|envelope| envelope.played) {
            return Answer::no(Reason::SealMustMatch, &[Rule::SealPlayed]).with(Effect::SealedMove(sealed));
        }
        if !self.ruleset.has(Rule::PressWithoutMove) {
            return Answer::no(Reason::PressedNothing, &[Rule::Press]);
        }
        self.complete(Fault::new(
            side,
            Reason::PressedNothing,
            Some(Rule::PressWithoutMove),
        ))
    }

    /// The clock was pressed on a move that only the release of its piece has shown: it is made.
    fn press_released(&mut self, side: Color) -> Answer {
        let due = self.obliged.clone().unwrap_or_default();
        let promotes =
            |mv: &Move| mv.promotion().is_some() && mv.from() == due[0].from() && mv.to() == due[0].to();
        match *due.as_slice() {
            [mv] if !mv.is_castle() || self.rook_released => self.press_made(side, mv),
            [mv, _, ..] if due.iter().all(promotes) => self.complete(Fault {
                way: Some((mv.from(), mv.to())),
                ..Fault::new(side, Reason::PromotionLeft, Some(Rule::PromotionLeft))
            }),
            // Whether the rook of a castling was moved is not told.
            _ => {
                self.lacks("text");
                Answer::no(Reason::MissingFact, &[self.binding.unwrap_or(Rule::Release)])
            }
        }
    }

    fn press_made(&mut self, side: Color, mv: Move) -> Answer {
        if let Some(answer) = self.moved_while_sealing(mv) {
            return answer;
        }
        let before = self.unruly.is_none().then(|| *self.board());
        let rule = self.binding.unwrap_or(Rule::Release);
        let regained = self.claim_regained();
        let stands = self.let_stand(side);
        self.play(mv);
        let lost = before.map_or_else(Vec::new, |before| castling_lost(&before, self.board()));
        let mut answer = match self.conclusion {
            Some(_) => self.made(stands),
            None => self.on_press(Some(side)),
        };
        answer.rules.push(rule);
        let told = answer.rules.contains(&Rule::IllegalStands);
        answer
            .rules
            .extend((stands && !told).then_some(Rule::IllegalStands));
        answer.effects.splice(0..0, regained.into_iter().chain(lost));
        answer
    }

    /// The clock was pressed on a fault.
    fn complete(&mut self, fault: Fault) -> Answer {
        let switches = &self.ruleset.switches;
        let unfinished =
            fault.reason == Reason::PromotionLeft && switches.pressed_promotion != PressedPromotion::Queen;
        if fault.unnoticed || (switches.illegal_stands_after_reply && !unfinished) {
            return self.wait(fault);
        }
        self.punish(fault, false, &IllegalReport::AT_ONCE)
    }

    /// The clock was pressed on such a move. A breach of touch-move is no illegal move: it stands unless the opponent
    /// complains, or it has been refused; whether a text that nobody reads is one is not known.
    fn pressed_unmade(&mut self, unmade: Unmade) -> Answer {
        match unmade {
            Unmade::TouchBinds(Some(mv)) if self.waits_for_complaint() => self.press_breach(mv),
            Unmade::TouchBinds(_) => {
                let side = self.to_move();
                let mut answer = self.touch_binds();
                answer.effects.push(Effect::Restored);
                answer.effects.extend(self.obliged.clone().map(Effect::Obliged));
                answer.with(Effect::ClockRuns { side })
            }
            Unmade::Unread => {
                self.lacks("text");
                Answer::no(Reason::MissingFact, &[Rule::MoveCompleted])
            }
        }
    }
}
