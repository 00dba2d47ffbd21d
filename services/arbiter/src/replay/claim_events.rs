//! Claims of a draw.

use std::time::Duration;

use tabiya_rules::{Color, Move};

use super::{Answer, Effect, GameResult, Reason, Replay, written::Written};
use crate::{
    ClaimGround,
    ruleset::{ClaimPenalty, Rule},
};

impl Replay<'_> {
    pub(super) fn on_claim(
        &mut self,
        actor: Option<Color>,
        ground: ClaimGround,
        with_move: Option<&str>,
        remaining: Option<Duration>,
        display_only: bool,
    ) -> Answer {
        let switches = &self.ruleset.switches;
        let exists = match ground {
            ClaimGround::ThreefoldRepetition => switches.claim_repetition > 0,
            ClaimGround::FiftyMoves => switches.claim_quiet_moves > 0,
        };
        // Where no article lets a move be announced for it, the claim is judged by what stands on the board.
        let with_move = with_move.filter(|_| self.ruleset.has(ground.rule(true)));
        let rule = ground.rule(with_move.is_some());
        if !exists {
            return Answer::no(Reason::NoClaims, &[Rule::NotMentioned]);
        }
        let us = self.to_move();
        if actor.is_some_and(|actor| actor != us) {
            let rule = match ground {
                ClaimGround::ThreefoldRepetition => Rule::ClaimNeedsTurn,
                ClaimGround::FiftyMoves => Rule::ClaimQuietMovesNeedsTurn,
            };
            return Answer::no(Reason::ClaimNotOnMove, &[rule]);
        }
        if self.claim_lost() {
            return Answer::no(Reason::ClaimTouched, &[Rule::ClaimTouched]);
        }
        if display_only && self.ruleset.has(Rule::Displays) {
            return Answer::no(Reason::ClaimDisplays, &[Rule::Displays]);
        }
        let announced = with_move.map(|text| self.read(text));
        if let Some(refused) = announced.and_then(|announced| self.announced_against(announced)) {
            return refused;
        }
        // What the announced move is, nobody can say: neither the claim nor its price can be decided.
        let unclear = match announced {
            Some(Written::Ambiguous) => Some(Reason::Ambiguous),
            Some(Written::Unreadable) => Some(Reason::Unreadable),
            _ => None,
        };
        if let Some(reason) = unclear {
            self.lacks("with_move");
            return Answer::no(reason, &[rule]);
        }
        // A pawn's move makes neither draw, whatever the pawn becomes.
        let promotes = matches!(announced, Some(Written::PawnLeft(..)));
        let legal = promotes || announced.is_none_or(|written| written.legal().is_some());
        let with = announced.and_then(Written::legal);
        if legal && !promotes && self.claim_holds(ground, with) {
            let rules = [rule, Rule::ClaimUpheld];
            let answer = self.decide(GameResult::Draw, Reason::ClaimUpheld, &rules);
            return self.checked(answer);
        }
        let identity = (ground == ClaimGround::ThreefoldRepetition).then_some(Rule::PositionIdentity);
        self.claimed = Some((us, self.plies()));
        let time = Duration::from_secs(switches.claim_penalty_seconds.into());
        if switches.claim_penalty == ClaimPenalty::ClaimantUsedTime {
            match remaining.or_else(|| self.remaining(us)) {
                None => self.lacks("remaining"),
                Some(left) if left <= time => {
                    return self
                        .overstep_by_claim(us, rule)
                        .with(Effect::UsedTimeAdded { side: us, time });
                }
                Some(_) => {}
            }
        }
        let reason = if legal {
            Reason::ClaimWrong
        } else {
            Reason::ClaimIllegalMove
        };
        let mut answer = Answer::no(reason, &[rule, Rule::ClaimWrong]);
        answer.rules.extend(identity);
        answer = self.checked(answer);
        // The clocks stood while the arbiter looked into it.
        let paused = self.ruleset.has(Rule::PauseForClaim);
        if paused {
            answer.rules.push(Rule::PauseForClaim);
            answer.effects.push(Effect::ClocksPaused);
        }
        match switches.claim_penalty {
            ClaimPenalty::None => {}
            ClaimPenalty::OpponentTime => answer.effects.push(Effect::TimeAdded { side: !us, time }),
            ClaimPenalty::ClaimantUsedTime => {
                answer.effects.push(Effect::UsedTimeAdded { side: us, time });
            }
        }
        if let Some(Written::Illegal(broken, _)) = announced {
            answer.rules.push(broken);
        }
        if let Some(moves) = announced.and_then(|written| self.bound_by_announcement(written)) {
            answer.effects.push(Effect::Obliged(moves.clone()));
            self.obliged = Some(moves);
        }
        if self.ruleset.has(Rule::ClaimIsOffer)
            && let Some(open) = self.offer_by_claim(us)
        {
            answer.effects.push(open);
            answer.rules.push(Rule::ClaimIsOffer);
        }
        if paused {
            answer.effects.push(Effect::ClockRuns { side: us });
        }
        answer
    }

    /// What was done to find out whether a claim is right belongs to the ruling; the game does not end by it.
    fn checked(&self, mut answer: Answer) -> Answer {
        let stated = self.ruleset.has(Rule::ClaimChecked);
        answer.rules.extend(stated.then_some(Rule::ClaimChecked));
        answer
    }

    /// A move announced before is fixed, and so is what a piece touched leaves: no other is announced.
    fn announced_against(&self, announced: Written) -> Option<Answer> {
        let obliged = self.obliged.as_ref()?;
        let fits = match announced.legal() {
            Some(mv) => obliged.contains(&mv),
            None => !self.move_fixed,
        };
        (!fits).then(|| self.touch_binds().with(Effect::Obliged(obliged.clone())))
    }

    /// Whether a claim comes too late on this move: after a touch where that counts, or once a piece was released.
    pub(super) fn claim_lost(&self) -> bool {
        self.released || (self.touched && self.ruleset.switches.touch_ends_rights)
    }

    /// The time that a wrong claim costs oversteps the limit: what else oversteps it draws where this does.
    fn overstep_by_claim(&mut self, us: Color, rule: Rule) -> Answer {
        let reading = self.ruleset.switches.flag_draw;
        match self.loss_is_draw(!us, reading) {
            Some(true) => {
                let rules = [rule, Rule::ClaimWrong, Rule::FlagDraw];
                self.decide(GameResult::Draw, Reason::FlagDraw, &rules)
            }
            Some(false) => {
                let rules = [rule, Rule::ClaimWrong];
                self.decide(GameResult::Wins(!us), Reason::ClaimWrongLoses, &rules)
            }
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &[rule, Rule::ClaimWrong])
            }
        }
    }

    /// An announced move has to be played; an illegal one binds its piece.
    fn bound_by_announcement(&mut self, announced: Written) -> Option<Vec<Move>> {
        match announced {
            Written::Legal(mv) => {
                self.move_fixed = true;
                self.binding = Some(Rule::ClaimWrong);
                Some(vec![mv])
            }
            Written::PawnLeft(from, to) => {
                self.bind_promotion(from, to);
                self.obliged.clone()
            }
            Written::Illegal(_, Some((from, _))) => {
                self.touches.note(&[from], false);
                self.bind();
                self.obliged.clone()
            }
            _ => None,
        }
    }
}
