//! Touched and released pieces, and complaints about them.

use tabiya_rules::{Color, Move, MoveList, Piece, Square};

use super::{Answer, Choice, Effect, Reason, Replay, Right, Unmade, position, touch};
use crate::ruleset::{ReleaseBinds, Rule};

/// What is reported of touched pieces.
pub(super) struct Touched<'a> {
    pub(super) squares: &'a [Square],
    pub(super) adjust: bool,
    pub(super) order_unclear: bool,
    pub(super) accidental: bool,
    pub(super) consent: Option<bool>,
    pub(super) out_of_hole: Option<bool>,
}

/// What is reported of a piece set down.
pub(super) struct SetDown {
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) released: bool,
    pub(super) promotion: Option<Piece>,
    pub(super) announced: Option<bool>,
}

impl Replay<'_> {
    pub(super) fn on_touch(&mut self, actor: Option<Color>, touched: &Touched<'_>) -> Answer {
        let switches = &self.ruleset.switches;
        if !switches.touch_move {
            return Answer::yes(Reason::NoTouchMove, &[]);
        }
        let disabled = touched
            .out_of_hole
            .filter(|_| self.ruleset.has(Rule::DisabledTouch));
        if disabled == Some(false) {
            return Answer::yes(Reason::NotOutOfHole, &[Rule::DisabledTouch]);
        }
        if touched.accidental {
            return Answer::yes(Reason::TouchedByAccident, &[Rule::TouchAccident]);
        }
        let us = self.to_move();
        let on_move = actor.is_none_or(|actor| actor == us);
        if touched.adjust {
            let runs = !self.ruleset.has(Rule::Press) || actor.is_none_or(|actor| actor == self.on_clock());
            return self.adjust(on_move && runs, touched.consent);
        }
        if !on_move {
            return Answer::no(Reason::NotOnMove, &[Rule::Turn]);
        }
        let board = *self.board();
        if touched
            .squares
            .iter()
            .all(|&square| board.color_on(square).is_none())
        {
            // No piece was touched.
            return Answer::yes(Reason::TouchedFree, &[]);
        }
        let first = !self.touched;
        self.touched = true;
        let mut after = Vec::new();
        after.extend(self.refuse_by_touching());
        if first {
            after.extend(self.rights_lost_by_touching(us));
        }
        let mut answer = self.bound_by(touched);
        answer.rules.extend(disabled.map(|_| Rule::DisabledTouch));
        answer.effects.extend(after);
        answer
    }

    /// The player on move has touched a piece: where that refuses an offer, the opponent's is closed.
    pub(super) fn refuse_by_touching(&mut self) -> Option<Effect> {
        let switches = &self.ruleset.switches;
        let by = !self.to_move();
        let refuses = switches.touch_ends_rights && self.stands(by);
        refuses.then(|| {
            self.refuse(by);
            Effect::OfferClosed { by }
        })
    }

    /// What a touch leaves, with all that was touched before in the turn.
    fn bound_by(&mut self, touched: &Touched<'_>) -> Answer {
        let board = *self.board();
        let own = |square: &Square| board.color_on(*square) == Some(board.side_to_move());
        if let Some(moves) = self.obliged.clone().filter(|_| self.move_fixed) {
            // The move is fixed; touching what it moves or takes is part of it.
            let part = |square: &Square| touch::belongs(&board, *square, &moves);
            let mut answer = match touched.squares {
                squares if !squares.iter().all(part) => self.touch_binds(),
                squares if !squares.iter().any(own) => Answer::yes(Reason::TouchedEnemy, &[Rule::TouchEnemy]),
                _ if moves.iter().all(|mv| mv.is_castle()) => {
                    let stated = self.ruleset.has(Rule::TouchCastle);
                    let rule = [Rule::CastleReleased, Rule::TouchCastle][usize::from(stated)];
                    Answer::yes(Reason::TouchedCastle, &[rule])
                }
                _ => Answer::yes(Reason::TouchedOwn, &[Rule::TouchOwn]),
            };
            if answer.accepted {
                answer.rules.extend(self.bound_rules());
            }
            return answer.with(Effect::Obliged(moves));
        }
        let mut squares = touched.squares.to_vec();
        if touched.order_unclear {
            squares.sort_by_key(|square| !own(square));
        }
        self.note_touched(&squares);
        let bound = self.bind();
        let effect = self.obliged.clone().map_or(Effect::Free, Effect::Obliged);
        Answer::yes(bound.0, &[bound.1]).with(effect)
    }

    /// What was touched decides which moves remain: why, and by which rule.
    pub(super) fn bind(&mut self) -> (Reason, Rule) {
        let bound = touch::obligation(self.board(), &self.touches, self.ruleset.has(Rule::TouchCastle));
        self.obliged = bound.moves;
        self.binding = Some(bound.rule);
        (bound.reason, bound.rule)
    }

    /// A move that what was touched, released or announced does not allow.
    pub(super) fn touch_binds(&self) -> Answer {
        let mut answer = Answer::no(Reason::TouchBinds, &[self.binding.unwrap_or(Rule::TouchOwn)]);
        answer
            .rules
            .extend(self.replaces.then_some(Rule::IllegalRestored));
        answer
    }

    /// What decides which moves are allowed in this turn.
    pub(super) fn bound_rules(&self) -> Vec<Rule> {
        let replaces = self.replaces.then_some(Rule::IllegalRestored);
        self.binding
            .iter()
            .flat_map(|&rule| [Some(rule), replaces])
            .flatten()
            .collect()
    }

    /// Adds squares to those touched in this turn; touching one again changes nothing.
    pub(super) fn note_touched(&mut self, squares: &[Square]) {
        for &square in squares {
            if !self.touches.contains(&square) {
                self.touches.push(square);
            }
        }
    }

    fn adjust(&mut self, on_move: bool, consent: Option<bool>) -> Answer {
        if !on_move && self.ruleset.has(Rule::AdjustOffTurn) {
            return Answer::no(Reason::AdjustNotOnMove, &[Rule::AdjustOffTurn]);
        }
        let needed = self.ruleset.switches.adjust_needs_consent;
        match consent {
            _ if !needed => Answer::yes(Reason::Adjusted, &[Rule::Adjust]),
            Some(true) => Answer::yes(Reason::Adjusted, &[Rule::Adjust]),
            Some(false) => Answer::no(Reason::AdjustConsent, &[Rule::Adjust]),
            None => {
                self.lacks("consent");
                Answer::no(Reason::AdjustConsent, &[Rule::Adjust])
            }
        }
    }

    fn rights_lost_by_touching(&self, side: Color) -> Vec<Effect> {
        let rights = [
            (Rule::ClaimTouched, Right::Claim),
            (Rule::TouchComplaint, Right::Complaint),
        ];
        let ends = self.ruleset.switches.touch_ends_rights;
        let stated = rights
            .iter()
            .filter(|&&(rule, right)| self.ruleset.has(rule) && (ends || right != Right::Claim));
        stated
            .map(|&(_, right)| Effect::RightLost { side, right })
            .collect()
    }

    /// A piece is set down. A visually disabled player's move is made once it is announced; a promotion may be carried out
    /// in any order.
    pub(super) fn on_release(&mut self, actor: Option<Color>, set_down: &SetDown) -> Answer {
        let disabled = set_down
            .announced
            .filter(|_| self.ruleset.has(Rule::DisabledMade));
        let mut answer = self.release(actor, set_down, disabled != Some(false));
        if answer.accepted {
            self.unannounced = disabled == Some(false);
            answer.rules.extend(disabled.map(|_| Rule::DisabledMade));
            let ordered = set_down
                .promotion
                .filter(|_| self.ruleset.has(Rule::PromotionOrder));
            answer.rules.extend(ordered.map(|_| Rule::PromotionOrder));
        }
        answer
    }

    fn release(&mut self, actor: Option<Color>, set_down: &SetDown, announced: bool) -> Answer {
        let &SetDown {
            from,
            to,
            released,
            promotion,
            ..
        } = set_down;
        let released = released && announced;
        if !self.ruleset.switches.touch_move {
            return Answer::yes(Reason::NoTouchMove, &[]);
        }
        if actor.is_some_and(|actor| actor != self.to_move()) {
            return Answer::no(Reason::NotOnMove, &[Rule::Turn]);
        }
        let mut legal = MoveList::new();
        self.board().legal_moves(&mut legal);
        let by_square = self.ruleset.switches.release_binds == ReleaseBinds::Square;
        // By the FIDE laws the new piece of a promotion is fixed as soon as it touches the square.
        let touching = promotion.is_some() && self.ruleset.switches.promotion_touch_binds;
        let binds = announced && (released || by_square || touching);
        let fits = |mv: &&Move| {
            mv.from() == from
                && (!binds
                    || (mv.landing() == to && promotion.is_none_or(|piece| mv.promotion() == Some(piece))))
        };
        if let Some(answer) = self.rook_of_castling(from, to, binds) {
            return answer;
        }
        let mut moves: Vec<Move> = legal.iter().filter(fits).copied().collect();
        if moves.is_empty() {
            let rule = super::movement::broken_rule(self.board(), from, to);
            if binds && !self.ruleset.switches.illegal_refused {
                return self.attempt(Reason::IllegalAttempt, rule, Some((from, to)), promotion);
            }
            let mut answer = Answer::no(Reason::IllegalAttempt, &[rule]);
            answer.effects.extend(self.bind_touched((from, to)));
            answer.effects.extend(self.refuse_by_touching());
            return answer;
        }
        if let Some(obliged) = &self.obliged {
            moves.retain(|mv| obliged.contains(mv));
        }
        if moves.is_empty() {
            let answer = self.touch_binds();
            return match binds {
                true => self.unmade(Unmade::TouchBinds, answer),
                false => answer,
            };
        }
        // What was made against the rules and not pressed is put right by it.
        let us = self.to_move();
        self.fault.take_if(|fault| fault.by == us);
        self.unmade = None;
        self.touched = true;
        self.released |= binds;
        self.hand_left = released;
        self.move_fixed |= binds;
        self.note_touched(&[from]);
        let castles = moves.iter().all(|mv| mv.is_castle());
        let promotes = self.board().piece_on(from) == Some(Piece::Pawn) && matches!(to.rank(), 0 | 7);
        // What stands on its square is a move made, and that refuses an offer; a castling without its rook, and a pawn
        // without what it becomes, are none yet.
        let complete = binds && !castles && !(promotes && promotion.is_none());
        let refuses = self.stands(!us) && (complete || self.ruleset.switches.touch_ends_rights);
        if refuses {
            self.refuse(!us);
        }
        let effect = Effect::Obliged(moves.clone());
        self.obliged = Some(moves);
        let rule = match binds {
            true if promotes && promotion.is_none() => Rule::PawnReleased,
            true if promotes => Rule::PromotionFixed,
            true if castles => Rule::CastleReleased,
            _ => Rule::Release,
        };
        self.binding = if binds {
            Some(rule)
        } else {
            self.binding.or(Some(Rule::TouchOwn))
        };
        let reason = if binds {
            Reason::Released
        } else {
            Reason::NotReleased
        };
        let mut answer = Answer::yes(reason, &[rule]).with(effect);
        if refuses {
            answer.effects.push(Effect::OfferClosed { by: !us });
        }
        self.end_by_release(&mut answer);
        answer
    }

    /// The move that a release has made: its piece has left the hand where it has to stay.
    fn released_move(&self) -> Option<Move> {
        match self.obliged.as_deref() {
            Some(&[mv]) if self.hand_left && (!mv.is_castle() || self.rook_released) => Some(mv),
            _ => None,
        }
    }

    /// A move that is made by releasing its piece ends the game, if it does, before it is reported or pressed.
    fn end_by_release(&mut self, answer: &mut Answer) {
        let Some(mv) = self.released_move() else {
            return;
        };
        let mut game = self.game.clone();
        game.play(mv);
        if position::endings(&game, &self.ruleset.switches, &mut self.doubts).is_empty() {
            return;
        }
        let stands = self.let_stand(self.to_move());
        self.play(mv);
        answer.rules.extend(stands.then_some(Rule::IllegalStands));
        if let Some(end) = &self.conclusion {
            answer.reason = end.reason;
        }
    }

    /// The opponent of a player who has released his piece replies: that move is made, and not pressed.
    pub(super) fn make_released(&mut self, actor: Option<Color>) {
        let replies = actor.is_some_and(|actor| actor != self.to_move());
        if let Some(mv) = self.released_move().filter(|_| replies && self.unruly.is_none()) {
            self.let_stand(self.to_move());
            self.play(mv);
        }
    }

    /// A move that was pressed is taken back: its player's clock runs again, and the arbiter may set both.
    fn taken_back(&mut self, side: Color, answer: Answer) -> Answer {
        if let Some(clock) = &mut self.clock {
            clock.take_back(side);
        }
        let mut answer = answer.with(Effect::ClockRuns { side });
        if self.ruleset.has(Rule::SetClocks) {
            answer.rules.push(Rule::SetClocks);
            answer.effects.push(Effect::Option(Choice::SetClocks));
        }
        answer
    }

    /// The rook of a castling that is due is set down in its place.
    fn rook_of_castling(&mut self, from: Square, to: Square, binds: bool) -> Option<Answer> {
        let due = self.obliged.clone()?;
        let &[mv] = due.as_slice() else { return None };
        let file = if from.file() > mv.from().file() { 5 } else { 3 };
        if !mv.is_castle() || mv.to() != from || to != Square::at(file, from.rank()) {
            return None;
        }
        self.touched = true;
        self.note_touched(&[from]);
        self.rook_released |= binds;
        let reason = if binds {
            Reason::Released
        } else {
            Reason::NotReleased
        };
        let mut answer = Answer::yes(reason, &[Rule::CastleReleased]).with(Effect::Obliged(due));
        let by = !self.to_move();
        if binds && self.stands(by) {
            // Now the move is made.
            self.refuse(by);
            answer.effects.push(Effect::OfferClosed { by });
        }
        self.end_by_release(&mut answer);
        Some(answer)
    }

    /// A complaint comes before the ending that the move complained about brought.
    pub(super) fn on_complaint(
        &mut self,
        actor: Option<Color>,
        touched_since: bool,
        squares: &[Square],
        promotion: Option<Piece>,
        established: Option<bool>,
    ) -> Answer {
        let rules = [Rule::TouchComplaint];
        if !self.ruleset.switches.touch_move || !self.ruleset.has(Rule::TouchComplaint) {
            return Answer::no(Reason::Unstated, &[]);
        }
        let us = self.to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::NotOnMove, &rules);
        }
        if touched_since || self.touched {
            return Answer::no(Reason::ComplaintLate, &rules);
        }
        match established {
            None => {
                self.lacks("established");
                return Answer::yes(Reason::ComplaintHeard, &rules);
            }
            Some(false) => return Answer::no(Reason::ComplaintUnproved, &rules),
            Some(true) if squares.is_empty() => {
                self.lacks("squares");
                return Answer::no(Reason::MissingFact, &rules);
            }
            Some(true) => {}
        }
        let Some((before, last)) = self.game.before_last_move() else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &rules);
        };
        let mut fixed = false;
        let mut bound = touch::obligation(before.board(), squares, self.ruleset.has(Rule::TouchCastle));
        if let Some(moves) = touch::released(before.board(), squares, promotion, &bound) {
            bound.moves = Some(moves);
            bound.rule = match promotion {
                Some(_) => Rule::PromotionFixed,
                None => Rule::Release,
            };
            fixed = true;
        }
        let Some(moves) = bound.moves.filter(|moves| !moves.contains(&last)) else {
            return Answer::no(Reason::ComplaintUnfounded, &[Rule::TouchComplaint, bound.rule]);
        };
        self.conclusion = None;
        self.envelope = None;
        let pressed = self.unpressed != Some(!us);
        self.rewind(before);
        self.touched = true;
        self.note_touched(squares);
        self.move_fixed = fixed;
        self.obliged = Some(moves.clone());
        self.binding = Some(bound.rule);
        let answer = Answer::yes(Reason::ComplaintUpheld, &[Rule::TouchComplaint, bound.rule])
            .with(Effect::Restored)
            .with(Effect::Obliged(moves))
            .with(Effect::MayBePenalised { side: !us });
        match pressed {
            true => self.taken_back(!us, answer),
            false => answer,
        }
    }
}
