//! Offers of a draw, answers and claims.

use std::time::Duration;

use tabiya_rules::{Color, Square, uci};

use super::{Answer, Effect, GameResult, Reason, Replay, position, touch};
use crate::{
    ClaimGround,
    ruleset::{ClaimPenalty, Rule},
};

impl Replay<'_> {
    pub(super) fn on_offer(&mut self, actor: Option<Color>) -> Answer {
        let Some(by) = actor else {
            self.lacks("actor");
            return Answer::no(Reason::MissingFact, &[Rule::Offer]);
        };
        let switches = &self.ruleset.switches;
        if switches.offers_need_consent {
            self.lacks("consent");
            return Answer::no(Reason::OfferConsent, &[Rule::OfferConsent]);
        }
        if self.rounds() < switches.offer_rounds {
            return Answer::no(Reason::OfferEarly, &[Rule::OfferEarly]);
        }
        if switches.offer_limit > 0 && self.offers[by.index()] >= switches.offer_limit {
            return Answer::no(Reason::OfferLimit, &[Rule::OfferLimit]);
        }
        if switches.offers_alternate && self.refused[by.index()] {
            return Answer::no(Reason::OfferAlternate, &[Rule::OfferAlternate]);
        }
        self.offers[by.index()] += 1;
        self.refused[(!by).index()] = false;
        self.offer = Some(by);
        let open = Effect::OfferOpen { by };
        if self.unpressed == Some(by) {
            return Answer::yes(Reason::OfferMade, &[Rule::Offer]).with(open);
        }
        if by == self.board().side_to_move() {
            if switches.offer_after_move_only {
                return Answer::yes(Reason::OfferDeferred, &[Rule::OfferDeferred])
                    .with(open)
                    .with(Effect::AnswerMayWait);
            }
            // Where draws are asked for on move, that is the usual moment.
            let reason = if switches.offer_limit > 0 {
                Reason::OfferMade
            } else {
                Reason::OfferUnusual
            };
            return Answer::yes(reason, &[Rule::Offer]).with(open);
        }
        Answer::yes(Reason::OfferUnusual, &[Rule::OfferUnusual])
            .with(open)
            .with(Effect::MayBePenalised { side: by })
    }

    pub(super) fn on_withdrawal(&mut self, actor: Option<Color>) -> Answer {
        let claimed = self
            .claimed
            .filter(|&(by, ply)| Some(by) == actor && ply == self.plies());
        if claimed.is_some() {
            return Answer::no(Reason::ClaimStands, &[Rule::ClaimWithdrawn]);
        }
        if self.offer.is_some() && self.offer == actor {
            return Answer::no(Reason::OfferStands, &[Rule::OfferWithdrawn]);
        }
        Answer::no(Reason::NoOffer, &[Rule::Offer])
    }

    /// Closes the open offer as refused.
    pub(super) fn refuse(&mut self) {
        if let Some(by) = self.offer.take() {
            self.refused[by.index()] = true;
        }
    }

    pub(super) fn on_draw_answer(&mut self, actor: Option<Color>, accept: bool) -> Answer {
        let Some(by) = self.offer else {
            return Answer::no(Reason::NoOffer, &[Rule::Offer]);
        };
        if actor == Some(by) {
            return Answer::no(Reason::NoOffer, &[Rule::Offer]);
        }
        if !accept {
            self.refuse();
            return Answer::yes(Reason::OfferRefused, &[Rule::Offer]).with(Effect::OfferClosed);
        }
        let needed = self.ruleset.switches.agreement_moves as usize * 2;
        if self.plies() < needed {
            return Answer::no(Reason::AgreedEarly, &[Rule::Agreement]);
        }
        let rules = if self.suspended {
            vec![Rule::Agreement, Rule::AdjournedResult]
        } else {
            vec![Rule::Agreement]
        };
        self.decide(GameResult::Draw, Reason::Agreed, &rules)
    }

    pub(super) fn on_claim(
        &mut self,
        actor: Option<Color>,
        ground: ClaimGround,
        with_move: Option<&str>,
        remaining: Option<Duration>,
    ) -> Answer {
        let switches = &self.ruleset.switches;
        let (exists, rule) = match (ground, with_move.is_some()) {
            (ClaimGround::ThreefoldRepetition, false) => {
                (switches.claim_repetition > 0, Rule::ClaimRepetition)
            }
            (ClaimGround::ThreefoldRepetition, true) => {
                (switches.claim_repetition > 0, Rule::ClaimRepetitionAnnounced)
            }
            (ClaimGround::FiftyMoves, false) => (switches.claim_quiet_moves > 0, Rule::ClaimQuietMoves),
            (ClaimGround::FiftyMoves, true) => {
                (switches.claim_quiet_moves > 0, Rule::ClaimQuietMovesAnnounced)
            }
        };
        if !exists {
            return Answer::no(Reason::NoClaims, &[]);
        }
        let us = self.board().side_to_move();
        if actor.is_some_and(|actor| actor != us) {
            return Answer::no(Reason::ClaimNotOnMove, &[Rule::ClaimNeedsTurn]);
        }
        if self.touched {
            return Answer::no(Reason::ClaimTouched, &[Rule::ClaimTouched]);
        }
        let announced = with_move.map(|text| (text, uci::parse(self.board(), text, self.variant).ok()));
        let legal = announced.is_none_or(|(_, mv)| mv.is_some());
        let with = announced.and_then(|(_, mv)| mv);
        if legal && position::claim_holds(&self.game, ground, with, switches) {
            return self.decide(GameResult::Draw, Reason::ClaimUpheld, &[rule, Rule::ClaimUpheld]);
        }
        self.claimed = Some((us, self.plies()));
        let seconds = switches.claim_penalty_seconds;
        if switches.claim_penalty == ClaimPenalty::ClaimantUsedTime {
            match remaining.or_else(|| self.remaining(us)) {
                None => self.lacks("remaining"),
                Some(left) if left <= Duration::from_secs(seconds.into()) => {
                    let result = GameResult::Wins(!us);
                    return self
                        .decide(result, Reason::ClaimWrongLoses, &[rule, Rule::ClaimWrong])
                        .with(Effect::UsedTimeAdded { side: us, seconds });
                }
                Some(_) => {}
            }
        }
        let mut answer = Answer::no(
            if legal {
                Reason::ClaimWrong
            } else {
                Reason::ClaimIllegalMove
            },
            &[rule, Rule::ClaimWrong],
        );
        match switches.claim_penalty {
            ClaimPenalty::None => {}
            ClaimPenalty::OpponentTime => answer.effects.push(Effect::TimeAdded { side: !us, seconds }),
            ClaimPenalty::ClaimantUsedTime => {
                answer.effects.push(Effect::UsedTimeAdded { side: us, seconds })
            }
        }
        let bound = match (with, announced) {
            (Some(mv), _) => Some(vec![mv]),
            // An illegal announcement binds its piece.
            (None, Some((text, _))) => text
                .get(0..2)
                .and_then(|square| square.parse::<Square>().ok())
                .and_then(|square| touch::obligation(self.board(), &[square], false).moves),
            (None, None) => None,
        };
        if let Some(moves) = bound {
            answer.effects.push(Effect::Obliged(moves.clone()));
            self.obliged = Some(moves);
        }
        if self.ruleset.has(Rule::ClaimIsOffer) {
            self.offer = Some(us);
            answer.effects.push(Effect::OfferOpen { by: us });
            answer.rules.push(Rule::ClaimIsOffer);
        }
        answer
    }
}
