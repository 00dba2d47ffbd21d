//! Complaints about touched and released pieces.

use tabiya_rules::{Color, Move, Piece, Square};

use super::{Answer, Choice, Effect, Reason, Replay, Stage, Unmade, setup_events::Gone, touch};
use crate::ruleset::Rule;

/// What was established to bind the player whose move is taken back.
struct Bound<'a> {
    squares: &'a [Square],
    moves: Vec<Move>,
    rule: Rule,
    fixed: bool,
}

impl Replay<'_> {
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
        if let Some(answer) = self.complaint_before_press(actor, touched_since, established) {
            return answer;
        }
        let us = self.to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::NotOnMove, &rules);
        }
        if touched_since || self.touched {
            return Answer::no(Reason::ComplaintLate, &rules);
        }
        // What was touched before the move may be on record.
        let recorded = established.is_none() || (established == Some(true) && squares.is_empty());
        if let Some(before) = self.breach.take_if(|_| recorded) {
            return self.uphold(before, None);
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
        let Some((before, last)) = self.before_last_move() else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &rules);
        };
        let Some(table) = before.table() else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &rules);
        };
        let mut fixed = false;
        let mut bound = touch::obligation(&table, squares, self.ruleset.has(Rule::TouchCastle));
        if let Some(moves) = touch::released(&table, squares, promotion, &bound) {
            bound.moves = Some(moves);
            bound.rule = match promotion {
                Some(_) => Rule::PromotionFixed,
                None => Rule::Release,
            };
            fixed = true;
        }
        let Some(moves) = bound
            .moves
            .filter(|moves| last.is_none_or(|last| !moves.contains(&last)))
        else {
            return Answer::no(Reason::ComplaintUnfounded, &[Rule::TouchComplaint, bound.rule]);
        };
        let bound = Bound {
            squares,
            moves,
            rule: bound.rule,
            fixed,
        };
        self.uphold(before, Some(&bound))
    }

    /// The move complained about is taken back, and what was touched binds: as it does in the game before it, or as it was
    /// established.
    fn uphold(&mut self, before: Stage, bound: Option<&Bound<'_>>) -> Answer {
        let offender = !self.to_move();
        self.conclusion = None;
        let gone = Gone::from(self);
        match bound {
            None => self.retrace(before),
            Some(bound) => {
                self.take_up(before);
                self.touches.note(bound.squares, false);
                self.move_fixed = bound.fixed;
                self.obliged = Some(bound.moves.clone());
                self.binding = Some(bound.rule);
            }
        }
        // He has touched again what he had touched, and what that ends he had again by moving.
        self.touched = false;
        let mut answer = self.taken_back_for_touching(offender);
        if let Some(runs) = self.taken_back(gone) {
            // The move was pressed: its player's clock runs again, and the arbiter may set both.
            answer.effects.push(runs);
            if self.ruleset.has(Rule::SetClocks) {
                answer.rules.push(Rule::SetClocks);
                answer.effects.push(Effect::Option(Choice::SetClocks));
            }
        }
        answer
    }

    /// The opponent complains before the clock was pressed on a move that is on record as one against what binds.
    fn complaint_before_press(
        &mut self,
        actor: Option<Color>,
        touched_since: bool,
        established: Option<bool>,
    ) -> Option<Answer> {
        let mover = self.to_move();
        let unmade = matches!(self.unmade, Some(Unmade::TouchBinds(Some(_))));
        if !unmade || actor == Some(mover) || established == Some(false) {
            return None;
        }
        if touched_since {
            return Some(Answer::no(Reason::ComplaintLate, &[Rule::TouchComplaint]));
        }
        self.unmade = None;
        Some(self.taken_back_for_touching(mover))
    }

    fn taken_back_for_touching(&mut self, offender: Color) -> Answer {
        let rules = [Rule::TouchComplaint, self.binding.unwrap_or(Rule::TouchOwn)];
        let mut answer = Answer::yes(Reason::ComplaintUpheld, &rules).with(Effect::Restored);
        answer.effects.extend(self.obliged.clone().map(Effect::Obliged));
        answer.effects.extend(self.note_touch());
        self.may_penalise(offender, answer)
    }
}
