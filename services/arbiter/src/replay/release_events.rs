//! Pieces set down and released.

use tabiya_rules::{Color, Move, Piece, Square};

use super::{Answer, Effect, Event, EventKind, Reason, Replay, Unmade, position, setup_moves};
use crate::ruleset::{ReleaseBinds, Rule};

/// What is reported of a piece set down.
pub(super) struct SetDown {
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) released: bool,
    pub(super) promotion: Option<Piece>,
    pub(super) announced: Option<bool>,
}

impl Replay<'_> {
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
        let Some(table) = self.table() else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &[Rule::IllegalStands]);
        };
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
        let mut moves: Vec<Move> = table.legal.iter().filter(fits).copied().collect();
        if moves.is_empty() {
            let rule = match self.unruly {
                Some(_) => setup_moves::broken_rule(&table.setup, from, to),
                None => super::movement::broken_rule(self.board(), from, to),
            };
            if binds && !self.ruleset.switches.illegal_refused {
                return self.attempt(Reason::IllegalAttempt, rule, Some((from, to)), promotion);
            }
            let mut answer = Answer::no(Reason::IllegalAttempt, &[rule]);
            let lost = self.note_touch();
            answer.effects.extend(self.bind_touched((from, to)));
            answer.effects.extend(lost);
            return answer;
        }
        // The king of a castling makes no move without its rook.
        let alone = match moves[..] {
            [mv] if !mv.is_castle() => Some(mv),
            _ => None,
        };
        if let Some(obliged) = &self.obliged {
            moves.retain(|mv| obliged.contains(mv));
        }
        if moves.is_empty() {
            let mut answer = self.touch_binds();
            if binds {
                return self.unmade(Unmade::TouchBinds(alone), answer);
            }
            answer.effects.extend(self.note_touch());
            return answer;
        }
        // What was made against the rules and not pressed is put right by it.
        let us = self.to_move();
        self.fault.take_if(|fault| fault.by == us);
        self.unmade = None;
        let mut lost = self.note_touch();
        self.released |= binds;
        self.hand_left = released;
        self.move_fixed |= binds;
        self.touches.note(&[from], false);
        let castles = moves.iter().all(|mv| mv.is_castle());
        let promotes = table.piece_on(from) == Some(Piece::Pawn) && matches!(to.rank(), 0 | 7);
        // What stands on its square is a move made, and that refuses an offer; a castling without its rook, and a pawn
        // without what it becomes, are none yet.
        let complete = binds && !castles && !(promotes && promotion.is_none());
        if complete {
            lost.extend(self.refuse(!us));
        }
        let captures = table.captured(moves[0]).is_some();
        let rule = match binds {
            true if promotes && promotion.is_none() => Rule::PawnReleased,
            true if promotes => Rule::PromotionFixed,
            true if castles => Rule::CastleReleased,
            true if captures => Rule::CaptureReleased,
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
        let mut answer = Answer::yes(reason, &[rule]).with(Effect::Obliged(moves.clone()));
        self.obliged = Some(moves);
        let made = rule == Rule::PromotionFixed && released && self.ruleset.has(Rule::PromotionMade);
        answer.rules.extend(made.then_some(Rule::PromotionMade));
        answer.effects.extend(lost);
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
        if !self.would_end(mv) {
            return;
        }
        let stands = self.let_stand(self.to_move());
        self.play(mv);
        answer.rules.extend(stands.then_some(Rule::IllegalStands));
        if let Some(end) = &self.conclusion {
            answer.reason = end.reason;
        }
    }

    /// Whether a move ends the game by the position that it leads to.
    pub(super) fn would_end(&mut self, mv: Move) -> bool {
        let mut game = self.game.clone();
        match self.unruly.as_ref().and_then(|unruly| unruly.after(mv)) {
            None if self.unruly.is_some() => return false,
            None => game.play(mv),
            Some(after) => match after.to_board() {
                Ok(board) => game.go_on_from(board, self.unruly_plies() + 1),
                Err(_) => return setup_moves::moves(&after).is_empty(),
            },
        }
        !position::endings(&game, &self.ruleset.switches, &mut self.doubts).is_empty()
    }

    /// The opponent does what only the player on move may do: by releasing his piece the player has made his move, and the
    /// opponent has the move (FIDE 1.3, 4.7). A reply on the board is looked at with its text.
    pub(super) fn reply_to_release(&mut self, event: &Event) -> Vec<Effect> {
        let replies = match event.kind {
            EventKind::Touch {
                adjust, accidental, ..
            } => !adjust && !accidental,
            EventKind::Release { .. }
            | EventKind::Claim { .. }
            | EventKind::QuickplayClaim { .. }
            | EventKind::Seal { .. } => true,
            _ => false,
        };
        match replies {
            true => self.make_released(event.actor),
            false => Vec::new(),
        }
    }

    /// The opponent of a player who has released his piece replies: that move is made, and not pressed.
    pub(super) fn make_released(&mut self, actor: Option<Color>) -> Vec<Effect> {
        let replies = actor.is_some_and(|actor| actor != self.to_move());
        match self.released_move().filter(|_| replies) {
            Some(mv) => self.make(mv, false).effects,
            None => Vec::new(),
        }
    }

    /// The rook of a castling that is due is set down in its place.
    fn rook_of_castling(&mut self, from: Square, to: Square, binds: bool) -> Option<Answer> {
        let due = self.obliged.clone()?;
        let &[mv] = due.as_slice() else { return None };
        let file = if from.file() > mv.from().file() { 5 } else { 3 };
        if !mv.is_castle() || mv.to() != from || to != Square::at(file, from.rank()) {
            return None;
        }
        let mut lost = self.note_touch();
        self.touches.note(&[from], false);
        self.rook_released |= binds;
        let reason = if binds {
            Reason::Released
        } else {
            Reason::NotReleased
        };
        let mut answer = Answer::yes(reason, &[Rule::CastleReleased]).with(Effect::Obliged(due));
        if binds {
            // Now the move is made.
            lost.extend(self.refuse(!self.to_move()));
        }
        answer.effects.extend(lost);
        self.end_by_release(&mut answer);
        Some(answer)
    }
}
