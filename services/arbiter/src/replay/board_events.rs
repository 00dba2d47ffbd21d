//! Moves, presses, touches, and what is wrong with them.

use tabiya_rules::{Color, Game, Move, Piece, Square, uci};

use super::{Answer, Effect, Fault, GameResult, Reason, Replay, position, touch};
use crate::ruleset::{PressedPromotion, ReleaseBinds, Rule, UnknownPosition};

/// The squares of a move's text, if it has that form.
fn way(text: &str) -> Option<(Square, Square)> {
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    Some((from, to))
}

impl Replay<'_> {
    pub(super) fn on_move(&mut self, actor: Option<Color>, text: &str, two_hands: bool) -> Answer {
        let Some((from, to)) = way(text) else {
            return Answer::no(Reason::Unreadable, &[Rule::IllegalMove]);
        };
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
        let mv = match uci::parse(self.board(), text, self.variant) {
            Ok(mv) => mv,
            Err(uci::UciError::MissingPromotion(_)) => {
                return self.attempt(us, Reason::PromotionLeft, Some((from, to)), None);
            }
            Err(_) => return self.illegal_attempt(us, from, to),
        };
        if self.obliged.as_ref().is_some_and(|moves| !moves.contains(&mv)) {
            return Answer::no(Reason::TouchBinds, &[Rule::TouchOwn]);
        }
        if two_hands && self.ruleset.has(Rule::TwoHands) {
            return self.attempt(us, Reason::TwoHands, None, Some((from, to)));
        }
        self.play(mv);
        let mut rules = Vec::new();
        rules.extend(note);
        let reason = if note.is_some() {
            Reason::IllegalStands
        } else {
            Reason::MoveMade
        };
        if let Some(end) = &self.conclusion {
            return Answer::yes(end.reason, &rules);
        }
        Answer::yes(reason, &rules)
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
        self.unpressed = Some(us);
        self.touched = false;
        self.obliged = None;
        self.end_by_position();
    }

    fn attempt(
        &mut self,
        by: Color,
        reason: Reason,
        promotion: Option<(Square, Square)>,
        way: Option<(Square, Square)>,
    ) -> Answer {
        let rule = match reason {
            Reason::PromotionLeft => Rule::PromotionLeft,
            Reason::TwoHands => Rule::TwoHands,
            _ => Rule::IllegalMove,
        };
        self.fault = Some(Fault {
            by,
            reason,
            rule: Some(rule),
            promotion,
            way,
            complete: false,
        });
        Answer::no(reason, &[rule])
    }

    fn illegal_attempt(&mut self, us: Color, from: Square, to: Square) -> Answer {
        let switches = &self.ruleset.switches;
        let board = self.board();
        let king_foul =
            board.king(us) == from && board.attacked_by(!us, to, board.occupied() ^ from.bitboard());
        if king_foul && switches.king_fouls_limit > 0 {
            let limit = switches.king_fouls_limit;
            let count = &mut self.king_fouls[us.index()];
            *count += 1;
            let count = *count;
            if count >= limit {
                let answer = self.decide(GameResult::Wins(!us), Reason::KingFoulsLose, &[Rule::KingFouls]);
                return answer.with(Effect::IllegalCount { side: us, count });
            }
            return Answer::no(Reason::KingFoul, &[Rule::KingFouls])
                .with(Effect::Restored)
                .with(Effect::IllegalCount { side: us, count });
        }
        self.attempt(us, Reason::IllegalAttempt, None, Some((from, to)))
    }

    pub(super) fn on_press(&mut self, actor: Option<Color>) -> Answer {
        if let Some(mut fault) = self.fault.filter(|fault| !fault.complete) {
            if actor.is_some_and(|actor| actor != fault.by) {
                return Answer::no(Reason::NotOnMove, &[Rule::Press]);
            }
            if self.ruleset.switches.illegal_stands_after_reply && fault.way.is_some() {
                fault.complete = true;
                self.fault = Some(fault);
                return Answer::no(Reason::IllegalWaits, &[Rule::IllegalStands]);
            }
            return self.punish(fault, true, true);
        }
        let side = actor.or(self.unpressed).unwrap_or(self.board().side_to_move());
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
        self.punish(fault, true, true)
    }

    /// Acts on a completed fault.
    fn punish(&mut self, fault: Fault, position_known: bool, times_known: bool) -> Answer {
        let switches = &self.ruleset.switches;
        let side = fault.by;
        self.fault = None;
        // The opponent's last move may still be waiting for its press.
        self.unpressed = self.unpressed.filter(|&other| other != side);
        let mut rules = vec![Rule::IllegalRestored];
        if fault.rule != Some(Rule::IllegalMove) {
            rules.splice(0..0, fault.rule);
        }
        if fault.reason == Reason::PromotionLeft && switches.pressed_promotion != PressedPromotion::Queen {
            let Some((_, square)) = fault.promotion else {
                return Answer::no(fault.reason, &rules);
            };
            return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                .with(Effect::FinishPromotion(square));
        }
        if !position_known {
            return match switches.unknown_position {
                UnknownPosition::Annul => self.annul(Reason::PositionAnnulled, &[Rule::PositionUnknown]),
                UnknownPosition::LastIdentifiable => {
                    self.lacks("position");
                    Answer::no(Reason::PositionIdentified, &[Rule::PositionUnknown])
                        .with(Effect::LastIdentifiable)
                }
            };
        }
        let counted = switches.illegal_limit > 0 || switches.illegal_penalty_seconds > 0;
        let mut effects = Vec::new();
        if counted {
            let count = &mut self.illegal[side.index()];
            *count += 1;
            effects.push(Effect::IllegalCount { side, count: *count });
            if switches.illegal_limit > 0 && *count >= switches.illegal_limit {
                let mut answer = self.lose_by_illegal_moves(side);
                answer.effects.splice(0..0, effects);
                return answer;
            }
            let seconds = switches.illegal_penalty_seconds;
            effects.push(Effect::TimeAdded { side: !side, seconds });
            rules.push(Rule::IllegalPenalty);
        } else {
            effects.extend(switches.sanctions.iter().map(|&word| Effect::Sanction(word)));
            if !switches.sanctions.is_empty() {
                rules.push(Rule::Sanctions);
            }
        }
        if !times_known && self.ruleset.has(Rule::ShareTimes) {
            effects.push(Effect::ShareTimes);
            rules.push(Rule::ShareTimes);
        }
        let reason = self.mend(fault, &mut effects);
        Answer {
            accepted: false,
            reason,
            rules,
            effects,
        }
    }

    /// Puts the board right after a fault and says what was wrong.
    fn mend(&mut self, fault: Fault, effects: &mut Vec<Effect>) -> Reason {
        if let Some((from, to)) = fault.promotion {
            let queen = format!("{from}{to}q");
            if let Ok(mv) = uci::parse(self.board(), &queen, self.variant) {
                self.play(mv);
                self.unpressed = None;
                effects.push(Effect::BecomesQueen(to));
                return Reason::PromotionLeft;
            }
        }
        effects.push(Effect::Restored);
        // The touched piece binds the move that replaces the illegal one.
        if let Some((from, _)) = fault.way.filter(|_| self.ruleset.switches.touch_move) {
            let bound = touch::obligation(self.board(), &[from], false);
            if let Some(moves) = bound.moves {
                effects.push(Effect::Obliged(moves.clone()));
                self.obliged = Some(moves);
            }
        }
        match fault.reason {
            Reason::IllegalAttempt => Reason::IllegalFirst,
            other => other,
        }
    }

    fn lose_by_illegal_moves(&mut self, side: Color) -> Answer {
        let reading = self.ruleset.switches.illegal_loss_draw;
        match position::loss_is_draw(self.board(), !side, reading) {
            Some(false) => self.decide(
                GameResult::Wins(!side),
                Reason::IllegalLoses,
                &[Rule::IllegalLoss],
            ),
            Some(true) => self.decide(GameResult::Draw, Reason::IllegalLosesDraw, &[Rule::IllegalLoss]),
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[Rule::IllegalLoss])
            }
        }
    }

    /// Lets an illegal move stand, because the opponent has replied.
    fn let_stand(&mut self, fault: Fault) -> Result<(), Answer> {
        let after = fault
            .way
            .and_then(|(from, to)| position::forced(self.board(), from, to));
        let Some(board) = after else {
            self.lacks("position");
            return Err(Answer::no(Reason::MissingFact, &[Rule::IllegalStands]));
        };
        self.earlier_plies += self.game.moves().len() + 1;
        self.game = Game::new(board);
        self.fault = None;
        self.unpressed = None;
        Ok(())
    }

    pub(super) fn on_illegal_report(
        &mut self,
        after_signature: bool,
        position_known: bool,
        times_known: bool,
    ) -> Answer {
        if after_signature {
            return Answer::no(Reason::ResultStands, &[Rule::ResultSigned]);
        }
        match self.fault {
            Some(fault) => self.punish(fault, position_known, times_known),
            None if !position_known => {
                let fault = Fault {
                    by: self.board().side_to_move(),
                    reason: Reason::IllegalAttempt,
                    rule: Some(Rule::IllegalMove),
                    promotion: None,
                    way: None,
                    complete: true,
                };
                self.punish(fault, false, times_known)
            }
            None => Answer::no(Reason::NoIllegalMove, &[Rule::IllegalRestored]),
        }
    }

    pub(super) fn on_illegal_position(&mut self) -> Answer {
        if !self.ruleset.switches.illegal_position_draw {
            return Answer::no(Reason::Unstated, &[]);
        }
        let now = self.plies();
        if self.illegal_position.is_some_and(|noted| noted + 1 == now) {
            return self.decide(
                GameResult::Draw,
                Reason::IllegalPositionDraw,
                &[Rule::IllegalPositionDraw],
            );
        }
        self.illegal_position = Some(now);
        Answer::yes(Reason::PositionNoted, &[Rule::IllegalPositionDraw])
    }

    pub(super) fn on_touch(
        &mut self,
        actor: Option<Color>,
        squares: &[Square],
        adjust: bool,
        order_unclear: bool,
    ) -> Answer {
        let switches = &self.ruleset.switches;
        if !switches.touch_move {
            return Answer::yes(Reason::NoTouchMove, &[]);
        }
        let on_move = actor.is_none_or(|actor| actor == self.board().side_to_move());
        if adjust {
            return match (on_move, switches.adjust_needs_consent) {
                (false, _) => Answer::no(Reason::AdjustNotOnMove, &[Rule::AdjustOffTurn]),
                (true, true) => {
                    self.lacks("consent");
                    Answer::no(Reason::AdjustConsent, &[Rule::Adjust])
                }
                (true, false) => Answer::yes(Reason::Adjusted, &[Rule::Adjust]),
            };
        }
        if !on_move {
            return Answer::no(Reason::NotOnMove, &[Rule::Turn]);
        }
        self.touched = true;
        // A touch refuses an offer.
        if self.offer == Some(!self.board().side_to_move()) {
            self.refuse();
        }
        if self.obliged.is_some() {
            return Answer::no(Reason::TouchBinds, &[Rule::TouchOwn]);
        }
        let bound = touch::obligation(self.board(), squares, order_unclear);
        let effect = match &bound.moves {
            Some(moves) => Effect::Obliged(moves.clone()),
            None => Effect::Free,
        };
        self.obliged = bound.moves;
        Answer::yes(bound.reason, &[bound.rule]).with(effect)
    }

    pub(super) fn on_release(&mut self, from: Square, to: Square, released: bool) -> Answer {
        let mut legal = tabiya_rules::MoveList::new();
        self.board().legal_moves(&mut legal);
        let binds = released || self.ruleset.switches.release_binds == ReleaseBinds::Square;
        let same_piece = |mv: &Move| mv.from() == from;
        let there = |mv: &Move| mv.from() == from && mv.landing() == to;
        let moves: Vec<Move> = legal
            .iter()
            .filter(|mv| if binds { there(mv) } else { same_piece(mv) })
            .copied()
            .collect();
        if moves.is_empty() {
            return Answer::no(Reason::IllegalAttempt, &[Rule::IllegalMove]);
        }
        self.touched = true;
        let effect = Effect::Obliged(moves.clone());
        self.obliged = Some(moves);
        let promotes = self.board().piece_on(from) == Some(Piece::Pawn) && matches!(to.rank(), 0 | 7);
        let rule = if promotes && binds {
            Rule::PromotionFixed
        } else {
            Rule::Release
        };
        let reason = if binds {
            Reason::Released
        } else {
            Reason::NotReleased
        };
        Answer::yes(reason, &[rule]).with(effect)
    }

    pub(super) fn on_complaint(&mut self, touched_since: bool) -> Answer {
        if touched_since {
            Answer::no(Reason::ComplaintLate, &[Rule::TouchComplaint])
        } else {
            self.lacks("touch");
            Answer::yes(Reason::ComplaintHeard, &[Rule::TouchComplaint])
        }
    }
}
