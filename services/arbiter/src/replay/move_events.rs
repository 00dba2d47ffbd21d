//! Moves on the board and presses of the clock.

use tabiya_rules::{Board, Color, Move, Square};

use super::{
    Answer, Effect, Fault, Notation, Reason, Replay, Right,
    written::{self, Written},
};
use crate::ruleset::Rule;

impl Replay<'_> {
    pub(super) fn on_move(
        &mut self,
        actor: Option<Color>,
        text: &str,
        notation: Option<Notation>,
        two_hands: bool,
    ) -> Answer {
        let mut note = None;
        if let Some(fault) = self.fault.filter(|fault| fault.complete) {
            // The reply to an illegal move that was not acted on.
            if let Err(answer) = self.let_stand(fault) {
                return answer;
            }
            note = Some(Rule::IllegalStands);
        }
        let us = self.board().side_to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::NotOnMove, &[Rule::Turn]);
        }
        let mv = match written::read(self.board(), text, notation, self.variant) {
            Written::Legal(mv) => mv,
            Written::PawnLeft(_, to) if self.ruleset.switches.illegal_refused => {
                return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                    .with(Effect::FinishPromotion(to));
            }
            Written::Illegal(rule, _) if self.ruleset.switches.illegal_refused => {
                return Answer::no(Reason::IllegalRefused, &[rule]);
            }
            Written::PawnLeft(from, to) => {
                return self.attempt(us, Reason::PromotionLeft, Rule::PromotionLeft, Some((from, to)));
            }
            Written::Illegal(rule, way) => return self.illegal_attempt(us, rule, way),
            Written::Ambiguous => {
                self.lacks("text");
                return Answer::no(Reason::Ambiguous, &[]);
            }
            Written::Unreadable => return Answer::no(Reason::Unreadable, &[Rule::IllegalMove]),
        };
        if self.obliged.as_ref().is_some_and(|moves| !moves.contains(&mv)) {
            return Answer::no(Reason::TouchBinds, &[Rule::TouchOwn]);
        }
        if two_hands && self.ruleset.has(Rule::TwoHands) {
            return self.attempt(us, Reason::TwoHands, Rule::TwoHands, Some((mv.from(), mv.to())));
        }
        let before = *self.board();
        let touched = self.claim_lost();
        let refuses = self.offer == Some(!us);
        self.play(mv);
        let reason = match (&self.conclusion, note) {
            (Some(end), _) => end.reason,
            (None, Some(_)) => Reason::IllegalStands,
            (None, None) => Reason::MoveMade,
        };
        let mut answer = Answer::yes(reason, note.as_slice());
        if refuses && self.conclusion.is_none() {
            answer.effects.push(Effect::OfferClosed);
        }
        if touched && self.ruleset.has(Rule::ClaimTouched) {
            let right = Right::Claim;
            answer.effects.push(Effect::RightRegained { side: us, right });
        }
        answer.effects.extend(castling_lost(&before, self.board()));
        answer
    }

    /// Plays a legal move and looks whether it ends the game.
    pub(super) fn play(&mut self, mv: Move) {
        let us = self.board().side_to_move();
        // Moving refuses an offer of the opponent's.
        if self.offer == Some(!us) {
            self.refuse();
        }
        // A move that was never pressed is complete with the reply; it then took until it was made.
        if let (Some(earlier), Some(at), Some(clock)) = (self.unpressed, self.moved_at, &mut self.clock) {
            clock.press(earlier, at);
        }
        self.moved_at = Some(self.now);
        self.game.play(mv);
        self.fault = None;
        self.late = self.unpressed.filter(|&side| side != us);
        self.unpressed = Some(us);
        self.touched = false;
        self.released = false;
        self.obliged = None;
        self.end_by_position();
    }

    /// Notes a fault that counts once the clock is pressed. The pieces that were moved and taken have been touched.
    fn attempt(&mut self, by: Color, reason: Reason, rule: Rule, way: Option<(Square, Square)>) -> Answer {
        let promotion = way.filter(|_| reason == Reason::PromotionLeft);
        self.fault = Some(Fault {
            by,
            reason,
            rule: Some(rule),
            promotion,
            way,
            complete: false,
        });
        let mut answer = Answer::no(reason, &[rule]);
        if reason != Reason::TwoHands
            && let Some(way) = way
        {
            answer.effects.extend(self.bind_touched(way));
        }
        answer
    }

    fn illegal_attempt(&mut self, us: Color, rule: Rule, way: Option<(Square, Square)>) -> Answer {
        let switches = &self.ruleset.switches;
        let board = self.board();
        let king_foul = way.is_some_and(|(from, to)| {
            board.king(us) == from && board.attacked_by(!us, to, board.occupied() ^ from.bitboard())
        });
        if king_foul && switches.king_fouls_limit > 0 {
            return self.king_foul(us);
        }
        self.attempt(us, Reason::IllegalAttempt, rule, way)
    }

    pub(super) fn on_press(&mut self, actor: Option<Color>) -> Answer {
        if let Some(mut fault) = self.fault.filter(|fault| !fault.complete) {
            if actor.is_some_and(|actor| actor != fault.by) {
                return Answer::no(Reason::NotOnMove, &[Rule::Press]);
            }
            let waits = matches!(fault.reason, Reason::IllegalAttempt | Reason::TwoHands);
            if self.ruleset.switches.illegal_stands_after_reply && waits {
                fault.complete = true;
                self.fault = Some(fault);
                self.obliged = None;
                return Answer::no(Reason::IllegalWaits, &[Rule::IllegalStands]);
            }
            return self.punish(fault, true, true, None);
        }
        let side = actor.or(self.unpressed).unwrap_or(self.board().side_to_move());
        if self.late == Some(side) && self.unpressed == Some(!side) {
            // His move was completed by the reply, and his clock has stopped.
            self.late = None;
            return Answer::yes(Reason::MoveCompleted, &[Rule::Press, Rule::MoveCompleted]);
        }
        if self.unpressed == Some(side) {
            self.unpressed = None;
            if let Some(clock) = &mut self.clock {
                clock.press(side, self.now);
            }
            return Answer::yes(Reason::MoveCompleted, &[Rule::MoveCompleted])
                .with(Effect::ClockRuns { side: !side });
        }
        if side != self.board().side_to_move() {
            return Answer::no(Reason::NotOnMove, &[Rule::Press]);
        }
        if !self.ruleset.has(Rule::PressWithoutMove) {
            return Answer::no(Reason::PressedNothing, &[Rule::Press]);
        }
        let fault = Fault {
            by: side,
            reason: Reason::PressedNothing,
            rule: Some(Rule::PressWithoutMove),
            promotion: None,
            way: None,
            complete: true,
        };
        self.punish(fault, true, true, None)
    }
}

/// The castling rights that a move took away.
fn castling_lost(before: &Board, after: &Board) -> Vec<Effect> {
    let mut lost = Vec::new();
    for side in Color::ALL {
        for (king_side, right) in [(true, Right::CastleKingSide), (false, Right::CastleQueenSide)] {
            let held = |board: &Board| board.castling_rook(side, king_side).is_some();
            if held(before) && !held(after) {
                lost.push(Effect::RightLost { side, right });
            }
        }
    }
    lost
}
