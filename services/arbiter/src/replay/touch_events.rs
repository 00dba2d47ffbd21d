//! Touched pieces.

use tabiya_rules::{Color, Square};

use super::{Answer, Effect, Reason, Replay, Right, table::Table, touch};
use crate::ruleset::Rule;

/// What is reported of touched pieces.
pub(super) struct Touched<'a> {
    pub(super) squares: &'a [Square],
    pub(super) adjust: bool,
    pub(super) order_unclear: bool,
    pub(super) accidental: bool,
    pub(super) consent: Option<bool>,
    pub(super) out_of_hole: Option<bool>,
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
        let Some(table) = self.table() else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &[Rule::IllegalStands]);
        };
        if touched
            .squares
            .iter()
            .all(|&square| table.color_on(square).is_none())
        {
            // No piece was touched: none is bound.
            return Answer::yes(Reason::TouchedFree, &[Rule::TouchFree]);
        }
        let after = self.note_touch();
        let mut answer = self.bound_by(&table, touched);
        answer.rules.extend(disabled.map(|_| Rule::DisabledTouch));
        answer.effects.extend(after);
        answer
    }

    /// The player on move has touched a piece: where that refuses an offer, the opponent's is closed, and with the first
    /// touch of the turn rights end.
    pub(super) fn note_touch(&mut self) -> Vec<Effect> {
        let switches = &self.ruleset.switches;
        if !switches.touch_move {
            return Vec::new();
        }
        let us = self.to_move();
        let mut effects = match switches.touch_ends_rights {
            true => self.refuse(!us),
            false => Vec::new(),
        };
        if !std::mem::replace(&mut self.touched, true) {
            effects.extend(self.rights_lost_by_touching(us));
        }
        effects
    }

    /// The claim that touching a piece had ended is there again once the move is made.
    pub(super) fn claim_regained(&self) -> Option<Effect> {
        let (side, right) = (self.to_move(), Right::Claim);
        let lost = self.rights_lost_by_touching(side);
        let regained = self.touched && lost.contains(&Effect::RightLost { side, right });
        regained.then_some(Effect::RightRegained { side, right })
    }

    /// What a touch leaves, with all that was touched before in the turn.
    fn bound_by(&mut self, table: &Table, touched: &Touched<'_>) -> Answer {
        let own = |square: &Square| table.color_on(*square) == Some(table.us());
        if let Some(moves) = self.obliged.clone().filter(|_| self.move_fixed) {
            // The move is fixed; touching what it moves or takes is part of it.
            let part = |square: &Square| touch::belongs(table, *square, &moves);
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
        self.touches.note(touched.squares, touched.order_unclear);
        let (reason, rules) = self.bind();
        let effect = self.obliged.clone().map_or(Effect::Free, Effect::Obliged);
        Answer::yes(reason, &rules).with(effect)
    }

    /// What was touched decides which moves remain: why, and by which rules. Where the order is not known and makes a
    /// difference, what any order allows remains.
    pub(super) fn bind(&mut self) -> (Reason, Vec<Rule>) {
        let Some(table) = self.table() else {
            return (Reason::TouchedFree, vec![Rule::TouchFree]);
        };
        let due = self.ruleset.has(Rule::TouchCastle);
        let orders = self.touches.orders(&table);
        let mut bound = orders.iter().map(|order| touch::obligation(&table, order, due));
        let Some(first) = bound.next() else {
            return (Reason::TouchedFree, vec![Rule::TouchFree]);
        };
        let others: Vec<_> = bound.filter(|other| *other != first).collect();
        self.binding = Some(first.rule);
        if others.is_empty() {
            self.obliged = first.moves;
            return (first.reason, vec![first.rule]);
        }
        let (mut moves, mut rules) = (first.moves, vec![first.rule]);
        for other in others {
            moves = moves.zip(other.moves).map(|(mut all, more)| {
                all.extend(
                    more.into_iter()
                        .filter(|mv| !all.contains(mv))
                        .collect::<Vec<_>>(),
                );
                all
            });
            if !rules.contains(&other.rule) {
                rules.push(other.rule);
            }
        }
        // Nothing depends on how the pieces were listed.
        rules.sort_unstable();
        self.binding = rules.first().copied();
        self.obliged = moves.map(|mut moves| {
            moves.sort_unstable();
            moves
        });
        self.lacks("order_unclear");
        (Reason::TouchOrder, rules)
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
}
