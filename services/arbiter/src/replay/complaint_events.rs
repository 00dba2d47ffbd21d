//! Complaints about touched and released pieces.

use tabiya_rules::{Color, Piece, Square};

use super::{Answer, Choice, Effect, Reason, Replay, touch};
use crate::ruleset::Rule;

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
        self.conclusion = None;
        self.envelope = None;
        let pressed = self.unpressed != Some(!us);
        self.take_up(before);
        self.touched = true;
        self.touches.note(squares, false);
        self.move_fixed = fixed;
        self.obliged = Some(moves.clone());
        self.binding = Some(bound.rule);
        let answer = Answer::yes(Reason::ComplaintUpheld, &[Rule::TouchComplaint, bound.rule])
            .with(Effect::Restored)
            .with(Effect::Obliged(moves));
        let answer = self.may_penalise(!us, answer);
        match pressed {
            true => self.clock_taken_back(!us, answer),
            false => answer,
        }
    }

    /// A move that was pressed is taken back: its player's clock runs again, and the arbiter may set both.
    fn clock_taken_back(&mut self, side: Color, answer: Answer) -> Answer {
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
}
