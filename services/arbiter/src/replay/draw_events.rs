//! Offers of a draw and answers to them.

use tabiya_rules::Color;

use super::{Answer, Effect, GameResult, Reason, Replay, Right};
use crate::ruleset::Rule;

/// An offer of a draw that stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenOffer {
    /// Whether it was made while the game was adjourned.
    pub(super) adjourned: bool,
    /// Whether the arbiter consented to it.
    consented: bool,
    /// Whether a claim or a request made it.
    by_claim: bool,
}

impl Replay<'_> {
    pub(super) fn on_offer(
        &mut self,
        actor: Option<Color>,
        consent: Option<bool>,
        moment_unknown: bool,
    ) -> Answer {
        let Some(by) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Offer]);
        };
        let switches = &self.ruleset.switches;
        if switches.offers_need_consent && consent != Some(true) {
            if consent.is_none() {
                self.lacks("consent");
            }
            return Answer::no(Reason::OfferConsent, &[Rule::OfferConsent]);
        }
        // The arbiter can waive what the event asks for, where the laws say so (FIDE 9.1.1).
        let waivable = self.ruleset.has(Rule::OfferConsent);
        let consented = waivable && consent == Some(true);
        if self.rounds() < switches.offer_rounds && !consented {
            if waivable && consent.is_none() {
                self.lacks("consent");
            }
            return Answer::no(Reason::OfferEarly, &[Rule::OfferEarly]);
        }
        if switches.offer_limit > 0 && self.offers[by.index()] >= switches.offer_limit {
            return Answer::no(Reason::OfferLimit, &[Rule::OfferLimit]);
        }
        if switches.offers_alternate && self.refused[by.index()] {
            return Answer::no(Reason::OfferAlternate, &[Rule::OfferAlternate]);
        }
        if switches.offer_on_move_only && by != self.to_move() {
            return Answer::no(Reason::NotOnMove, &[Rule::Offer]);
        }
        self.offers[by.index()] += 1;
        let again = switches.offers_alternate
            && !switches.offers_alternate_refused
            && std::mem::take(&mut self.refused[(!by).index()]);
        let repeated = self.refused[by.index()];
        self.open_offer(by, consented, false);
        let mut answer = self.offered(by, moment_unknown);
        if repeated && self.ruleset.has(Rule::OfferRepeated) {
            answer = self.repeated(by, answer);
        }
        if again {
            let (side, right) = (!by, Right::Offer);
            answer.effects.push(Effect::RightRegained { side, right });
        }
        if switches.offer_limit > 0 && self.offers[by.index()] == switches.offer_limit {
            // That was the last.
            let (side, right) = (by, Right::Offer);
            answer.effects.push(Effect::RightLost { side, right });
        }
        answer
    }

    /// Lets an offer stand, beside one of the opponent's.
    fn open_offer(&mut self, by: Color, consented: bool, by_claim: bool) {
        self.open[by.index()] = Some(OpenOffer {
            adjourned: self.suspended,
            consented,
            by_claim,
        });
    }

    /// Whether a side's offer stands.
    pub(super) fn stands(&self, by: Color) -> bool {
        self.open[by.index()].is_some()
    }

    /// The offer that a claim or a request is; there is none where the event lets nobody offer yet.
    pub(super) fn offer_by_claim(&mut self, by: Color) -> Option<Effect> {
        let switches = &self.ruleset.switches;
        if switches.offers_need_consent || self.rounds() < switches.offer_rounds {
            return None;
        }
        self.open_offer(by, false, true);
        Some(Effect::OfferOpen { by })
    }

    /// How an offer at this moment is taken.
    fn offered(&self, by: Color, moment_unknown: bool) -> Answer {
        let switches = &self.ruleset.switches;
        let open = Effect::OfferOpen { by };
        if self.suspended {
            return self.offered_adjourned(by);
        }
        let made = self.hand_left && by == self.to_move();
        if self.unpressed == Some(by) || made || moment_unknown {
            return Answer::yes(Reason::OfferMade, &[Rule::Offer]).with(open);
        }
        if by == self.to_move() {
            if switches.offer_after_move_only {
                return Answer::yes(Reason::OfferDeferred, &[Rule::OfferDeferred])
                    .with(open)
                    .with(Effect::AnswerMayWait);
            }
            // Where draws are asked for on move, that is the usual moment.
            if switches.offer_limit > 0 {
                return Answer::yes(Reason::OfferMade, &[Rule::Offer]).with(open);
            }
        }
        if !self.ruleset.has(Rule::OfferUnusual) {
            return Answer::yes(Reason::OfferUnstated, &[Rule::Offer]).with(open);
        }
        let answer = Answer::yes(Reason::OfferUnusual, &[Rule::OfferUnusual]).with(open);
        self.may_penalise(by, answer)
    }

    /// An offer repeated after a refusal stands as any other; that it was made may be penalised.
    fn repeated(&self, by: Color, mut answer: Answer) -> Answer {
        answer.rules.push(Rule::OfferRepeated);
        if answer.reason == Reason::OfferUnusual {
            return answer;
        }
        answer.reason = Reason::OfferRepeated;
        self.may_penalise(by, answer)
    }

    /// An offer while the game is adjourned stands until it is answered; the sealer's may wait for his move.
    fn offered_adjourned(&self, by: Color) -> Answer {
        let open = Effect::OfferOpen { by };
        let sealer = self.envelope.as_ref().is_some_and(|envelope| envelope.by == by);
        if sealer && self.ruleset.has(Rule::OfferDeferred) {
            return Answer::yes(Reason::OfferDeferred, &[Rule::OfferDeferred])
                .with(open)
                .with(Effect::AnswerMayWait);
        }
        // The guideline is on an offer that is made after the opponent has sealed (I.4).
        let rule = if !sealer && self.ruleset.has(Rule::OfferAdjourned) {
            Rule::OfferAdjourned
        } else {
            Rule::Offer
        };
        Answer::yes(Reason::OfferMade, &[rule]).with(open)
    }

    pub(super) fn on_withdrawal(&mut self, actor: Option<Color>) -> Answer {
        let claimed = self
            .claimed
            .filter(|&(by, ply)| Some(by) == actor && ply == self.plies());
        if claimed.is_some() {
            return Answer::no(Reason::ClaimStands, &[Rule::ClaimWithdrawn]);
        }
        if actor.is_some_and(|actor| self.stands(actor)) {
            return Answer::no(Reason::OfferStands, &[Rule::OfferWithdrawn]);
        }
        Answer::no(Reason::NoOffer, &[Rule::Offer])
    }

    /// Closes a side's offer as refused, if it stands: what becomes of it, and of the right to offer.
    pub(super) fn refuse(&mut self, by: Color) -> Vec<Effect> {
        if self.open[by.index()].take().is_none() {
            return Vec::new();
        }
        let (switches, right) = (&self.ruleset.switches, Right::Offer);
        let mut effects = vec![Effect::OfferClosed { by }];
        let waited = std::mem::replace(&mut self.refused[by.index()], true);
        if switches.offers_alternate && !waited {
            effects.push(Effect::RightLost { side: by, right });
        }
        let regained = switches.offers_alternate && switches.offers_alternate_refused;
        if regained && std::mem::take(&mut self.refused[(!by).index()]) {
            effects.push(Effect::RightRegained { side: !by, right });
        }
        effects
    }

    pub(super) fn on_draw_answer(&mut self, actor: Option<Color>, accept: bool) -> Answer {
        let open = |by: &Color| self.stands(*by) && actor != Some(*by);
        let offers: Vec<Color> = Color::ALL.into_iter().filter(open).collect();
        let by = match offers[..] {
            [] => return Answer::no(Reason::NoOffer, &[Rule::Offer]),
            [by] => by,
            // Both have offered, and nobody says who answers.
            _ => {
                self.lacks("actor");
                return Answer::no(Reason::MissingFact, &[Rule::Offer]);
            }
        };
        let offer = self.open[by.index()];
        let consented = offer.is_some_and(|offer| offer.consented);
        let by_claim = offer
            .is_some_and(|offer| offer.by_claim)
            .then_some(Rule::ClaimIsOffer);
        if !accept {
            let effects = self.refuse(by);
            return Answer {
                effects,
                ..Answer::yes(Reason::OfferRefused, &[Rule::Offer])
            };
        }
        // Where the arbiter can waive moves, those that he cannot are one by each (FIDE 5.2.3).
        let moves = self.ruleset.switches.agreement_moves as usize;
        let waivable = self.ruleset.has(Rule::OfferConsent);
        let fixed = if waivable { moves.min(1) } else { moves };
        if self.moves_made() < 2 * fixed {
            return Answer::no(Reason::AgreedEarly, &[Rule::Agreement]);
        }
        if self.moves_made() < 2 * moves && !consented {
            let mut answer = Answer::no(Reason::AgreedEarly, &[Rule::OfferConsent]);
            answer.rules.extend(by_claim);
            return answer;
        }
        let mut rules = vec![Rule::Agreement];
        rules.extend(self.suspended.then_some(Rule::AdjournedResult));
        rules.extend(by_claim);
        self.decide(GameResult::Draw, Reason::Agreed, &rules)
    }
}
