//! Moves on the board and presses of the clock.

use tabiya_rules::{Board, Color, Move, Piece, Square};

use super::{
    Answer, Effect, Fault, Notation, Reason, Replay, Right, Stage, position, setup_written,
    written::{self, Written},
};
use crate::ruleset::{PressedPromotion, Rule};

/// A move on the board that does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unmade {
    /// A touched or released piece, or an announced move, binds to another: the legal move that stands on the board all
    /// the same, if it is known.
    TouchBinds(Option<Move>),
    /// Its text names no one move.
    Unread,
}

impl Replay<'_> {
    pub(super) fn on_move(
        &mut self,
        actor: Option<Color>,
        text: &str,
        notation: Option<Notation>,
        two_hands: bool,
    ) -> Answer {
        let mut earlier = self.pass_over(actor, text, notation);
        earlier.extend(self.make_released(actor));
        let us = self.to_move();
        let mut answer = match actor.is_some_and(|actor| actor != us) {
            true => Answer::no(Reason::NotOnMove, &[Rule::Turn]),
            false if text.trim().is_empty() => self.untold(),
            false => self.moved(text, notation, two_hands),
        };
        answer.effects.splice(0..0, earlier);
        answer
    }

    /// The player on move moves, on a board or where none holds the position.
    fn moved(&mut self, text: &str, notation: Option<Notation>, two_hands: bool) -> Answer {
        let written = match self.unruly.as_ref().map(|unruly| unruly.setup) {
            None => written::read(self.board(), text, notation, self.variant),
            Some(Some(setup)) => setup_written::read(&setup, text, notation),
            Some(None) => {
                self.lacks("position");
                return Answer::no(Reason::MissingFact, &[Rule::IllegalStands]);
            }
        };
        let mv = match written {
            Written::Legal(mv) => mv,
            Written::PawnLeft(_, to) if self.ruleset.switches.pressed_promotion == PressedPromotion::Ask => {
                // Nothing has happened on the board until it is answered.
                self.lacks("promotion");
                return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                    .with(Effect::FinishPromotion(to));
            }
            Written::PawnLeft(_, to) if self.ruleset.switches.illegal_refused => {
                return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                    .with(Effect::FinishPromotion(to));
            }
            Written::Illegal(rule, _) if self.ruleset.switches.illegal_refused => {
                return Answer::no(Reason::IllegalRefused, &[rule]);
            }
            Written::Illegal(rule, way) => {
                return self.illegal_attempt(rule, way, written::promotion(text));
            }
            Written::PawnLeft(from, to) => return self.pawn_left(from, to),
            Written::Ambiguous => return self.ambiguous(),
            Written::Unreadable => return self.unreadable(),
        };
        self.carry_out(mv, two_hands)
    }

    /// A pawn is moved to its last rank and left there.
    fn pawn_left(&mut self, from: Square, to: Square) -> Answer {
        if !self.may_leave(from, to) {
            let answer = self.touch_binds();
            return self.unmade(Unmade::TouchBinds(None), answer);
        }
        self.attempt(Reason::PromotionLeft, Rule::PromotionLeft, Some((from, to)), None)
    }

    /// A text that fits several moves.
    fn ambiguous(&mut self) -> Answer {
        self.lacks("text");
        self.unmade(Unmade::Unread, Answer::no(Reason::Ambiguous, &[]))
    }

    /// A move was made, and nobody has said which.
    fn untold(&mut self) -> Answer {
        self.lacks("text");
        self.unmade(
            Unmade::Unread,
            Answer::no(Reason::MissingFact, &[Rule::IllegalMove]),
        )
    }

    /// A text that is no move.
    fn unreadable(&mut self) -> Answer {
        let answer = Answer::no(Reason::Unreadable, &[Rule::IllegalMove]);
        self.unmade(Unmade::Unread, answer)
    }

    /// A legal move of the side on move, on a board or where none holds the position.
    fn carry_out(&mut self, mv: Move, two_hands: bool) -> Answer {
        match self.against_what_binds(mv) {
            Some(answer) => answer,
            None => self.make(mv, two_hands),
        }
    }

    /// A legal move is made, whatever was touched.
    pub(super) fn make(&mut self, mv: Move, two_hands: bool) -> Answer {
        let us = self.to_move();
        // Castling rights are told of only where a board holds the position.
        let before = self.unruly.is_none().then(|| *self.board());
        let earlier = self.before_two_hands(two_hands);
        let regained = self.claim_regained();
        let bound = self.bound_rules();
        let unclaimed = self.unclaimed();
        let completes =
            self.late == Some(us) && self.clock.is_some() && self.ruleset.has(Rule::CompletedByNext);
        let stands = self.let_stand(us);
        let refused = self.play(mv);
        let mut answer = self.made(stands);
        answer.rules.extend(bound);
        // His earlier move, which he has not pressed, is counted now.
        answer.rules.extend(completes.then_some(Rule::CompletedByNext));
        if self.conclusion.is_none() {
            answer.effects.extend(refused);
            answer.effects.extend(unclaimed);
        }
        answer.effects.extend(regained);
        if let Some(before) = before {
            answer.effects.extend(castling_lost(&before, self.board()));
        }
        self.note_two_hands(us, Some(mv), earlier, &mut answer);
        answer
    }

    /// A legal move that is not made: something touched, released or announced binds to another, or it is the sealed one.
    fn against_what_binds(&mut self, mv: Move) -> Option<Answer> {
        let sealed = self
            .envelope
            .as_ref()
            .is_some_and(|envelope| envelope.played.is_some());
        if !sealed && self.obliged.as_ref().is_some_and(|moves| !moves.contains(&mv)) {
            let answer = self.touch_binds();
            return Some(self.unmade(Unmade::TouchBinds(Some(mv)), answer));
        }
        self.moved_while_sealing(mv)
    }

    /// The answer to a legal move; `stands` if it replied to an illegal one.
    pub(super) fn made(&self, stands: bool) -> Answer {
        let reason = match (&self.conclusion, stands) {
            (Some(end), _) => end.reason,
            (None, true) => Reason::IllegalStands,
            (None, false) => Reason::MoveMade,
        };
        let mut answer = Answer::yes(reason, &[]);
        if stands {
            answer.rules.push(Rule::IllegalStands);
        }
        if self.is_drawn_elsewhere() {
            answer.rules.push(Rule::NotMentioned);
        }
        answer
    }

    /// Whether the game goes on though the FIDE laws have it drawn, which the ruleset passes over.
    pub(super) fn is_drawn_elsewhere(&self) -> bool {
        self.conclusion.is_none()
            && self.unruly.is_none()
            && self.ruleset.has(Rule::NotMentioned)
            && position::is_draw_elsewhere(&self.game, &self.ruleset.switches)
    }

    /// The game before a move made with two hands, where that is a fault.
    fn before_two_hands(&self, two_hands: bool) -> Option<Stage> {
        (two_hands && self.ruleset.has(Rule::TwoHands)).then(|| self.stage())
    }

    /// A legal move made with two hands is a move; pressing the clock on it is a fault, unless it has ended the game.
    fn note_two_hands(
        &mut self,
        us: Color,
        played: Option<Move>,
        before: Option<Stage>,
        answer: &mut Answer,
    ) {
        if before.is_none() || self.conclusion.is_some() {
            return;
        }
        answer.reason = Reason::TwoHands;
        answer.rules.push(Rule::TwoHands);
        self.fault = Some(Fault {
            played,
            before,
            unnoticed: self.overlooked(),
            ..Fault::new(us, Reason::TwoHands, Some(Rule::TwoHands))
        });
    }

    /// Notes a move on the board that does not count; whatever its player made before, it no longer stands there.
    pub(super) fn unmade(&mut self, unmade: Unmade, mut answer: Answer) -> Answer {
        let us = self.to_move();
        self.fault.take_if(|fault| fault.by == us);
        self.unmade = Some(unmade);
        // Whatever the move was, a piece was touched for it.
        answer.effects.extend(self.note_touch());
        answer
    }

    /// Plays a legal move and looks whether it ends the game; what becomes of an offer that it refuses.
    pub(super) fn play(&mut self, mv: Move) -> Vec<Effect> {
        if let Some(unruly) = &self.unruly {
            let after = unruly.after(mv);
            return self.play_setup(after, Some(mv));
        }
        let us = self.board().side_to_move();
        self.before_setup = None;
        // Moving refuses an offer of the opponent's.
        let refused = self.refuse(!us);
        self.leave_turn(us);
        self.game.play(mv);
        self.end_by_position();
        refused
    }

    /// A side has made its move, and has not pressed yet.
    pub(super) fn leave_turn(&mut self, us: Color) {
        let presses = self.ruleset.has(Rule::Press);
        if let Some(clock) = &mut self.clock {
            if !presses {
                // Where nobody presses, making the move starts the other clock.
                clock.press(us, self.now);
            } else if self.late == Some(us) {
                // His earlier move, never pressed, is complete with this one; until he presses, his clock has run.
                clock.count(us);
            }
        }
        self.fault = None;
        // A player who moves has come, and both clocks are where their sides' turns want them.
        self.absent = self.absent.filter(|&side| side != us);
        self.own_time = None;
        self.late = self.unpressed.filter(|&side| side != us);
        self.unpressed = Some(us);
        self.new_turn();
    }

    /// Whether what was touched, released or announced lets a pawn go to its last rank, and become what it is made there
    /// if it is left.
    fn may_leave(&self, from: Square, to: Square) -> bool {
        let queen = self.ruleset.switches.pressed_promotion == PressedPromotion::Queen;
        let fits = |mv: &Move| {
            mv.from() == from && mv.landing() == to && (!queen || mv.promotion() == Some(Piece::Queen))
        };
        self.obliged.as_ref().is_none_or(|moves| moves.iter().any(fits))
    }

    /// A pawn released on its last rank goes nowhere else; what it becomes is open.
    pub(super) fn bind_promotion(&mut self, from: Square, to: Square) -> Option<Effect> {
        let table = self.table().filter(|_| self.ruleset.switches.touch_move)?;
        let fits = |mv: &&Move| mv.from() == from && mv.landing() == to;
        let mut due: Vec<Move> = table.legal.iter().filter(fits).copied().collect();
        if let Some(obliged) = self.obliged.as_ref().filter(|_| self.move_fixed) {
            due.retain(|mv| obliged.contains(mv));
        }
        self.move_fixed = true;
        self.binding = Some(Rule::PawnReleased);
        self.obliged = Some(due.clone());
        Some(Effect::Obliged(due))
    }

    /// Whose clock runs, as far as moves and presses say.
    pub(super) fn on_clock(&self) -> Color {
        let presses = self.ruleset.has(Rule::Press);
        let late = self.late.filter(|&late| presses && self.unpressed == Some(!late));
        late.or(self.unpressed.filter(|_| presses))
            .unwrap_or(self.to_move())
    }

    /// Notes a fault that counts once the clock is pressed. The pieces that were moved and taken have been touched.
    pub(super) fn attempt(
        &mut self,
        reason: Reason,
        rule: Rule,
        way: Option<(Square, Square)>,
        promotion: Option<Piece>,
    ) -> Answer {
        let mut answer = Answer::no(reason, &[rule]);
        // Nobody moves a piece without touching one, whether its way is known or not.
        let lost = self.note_touch();
        if let Some(way) = way {
            let touched = self.bind_touched(way);
            let bound = match reason {
                Reason::PromotionLeft => self.bind_promotion(way.0, way.1),
                _ => touched,
            };
            answer.effects.extend(bound);
        }
        answer.effects.extend(lost);
        self.unmade = None;
        self.fault = Some(Fault {
            way,
            promotion,
            unnoticed: self.overlooked(),
            ..Fault::new(self.to_move(), reason, Some(rule))
        });
        answer
    }

    fn illegal_attempt(
        &mut self,
        rule: Rule,
        way: Option<(Square, Square)>,
        promotion: Option<Piece>,
    ) -> Answer {
        let us = self.to_move();
        // Onto an own piece or across the board, the king breaks the rule of its own movement.
        let moves = matches!(rule, Rule::MoveIntoCheck | Rule::CastleBarred);
        let king_foul = moves
            && self.ruleset.switches.king_fouls_limit > 0
            && way.is_some_and(|way| self.is_king_into_attack(us, way));
        if king_foul && !self.overlooked() {
            let mut answer = self.king_foul(us);
            if self.conclusion.is_none()
                && let Some(way) = way
            {
                let lost = self.note_touch();
                answer.effects.extend(self.bind_touched(way));
                answer.effects.extend(lost);
            }
            return answer;
        }
        let answer = self.attempt(Reason::IllegalAttempt, rule, way, promotion);
        if let Some(fault) = &mut self.fault {
            fault.king_foul = king_foul;
        }
        answer
    }

    /// Whether a move that breaks no other rule of movement is a king's into attack.
    fn is_king_into_attack(&self, us: Color, (from, to): (Square, Square)) -> bool {
        match &self.unruly {
            None => {
                let board = self.board();
                board.king(us) == from && board.attacked_by(!us, to, board.occupied() ^ from.bitboard())
            }
            Some(unruly) => unruly
                .setup
                .is_some_and(|setup| setup.placement.king(us) == Some(from)),
        }
    }
}

/// The castling rights that a move took away.
pub(super) fn castling_lost(before: &Board, after: &Board) -> Vec<Effect> {
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
