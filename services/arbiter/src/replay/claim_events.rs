//! Claims of a draw.

use std::time::Duration;

use tabiya_rules::{Color, Move, Square, fen::Setup};

use super::{Answer, Effect, GameResult, Reason, Replay, Right, table::Table, written::Written};
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
            let reason = if self.touched && switches.touch_ends_rights {
                Reason::ClaimTouched
            } else {
                Reason::ClaimMoved
            };
            return Answer::no(reason, &[Rule::ClaimTouched]);
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
        let identity = match ground {
            ClaimGround::ThreefoldRepetition => self.identity_rules(with),
            ClaimGround::FiftyMoves => Vec::new(),
        };
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
        // A text that starts from no piece of the claimant's names none that could move instead.
        let piece = !matches!(announced, Some(Written::Illegal(_, Some((from, _)))) if !self.is_own(from));
        let reason = if legal || !piece {
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
        if let Some(side) = self.due_clock().filter(|_| paused) {
            // The opponent's, if he has not pressed yet.
            answer.effects.push(Effect::ClockRuns { side });
        }
        answer
    }

    /// What was done to find out whether a claim is right belongs to the ruling; the game does not end by it.
    fn checked(&self, mut answer: Answer) -> Answer {
        let stated = self.ruleset.has(Rule::ClaimChecked);
        answer.rules.extend(stated.then_some(Rule::ClaimChecked));
        answer
    }

    /// When positions are the same; with what tells those apart that look alike, where these would have made the claim right.
    fn identity_rules(&self, with: Option<Move>) -> Vec<Rule> {
        let mut rules = vec![Rule::PositionIdentity];
        let told = [Rule::IdentityEnPassant, Rule::IdentityCastling];
        if self.unruly.is_some() || !told.iter().any(|&rule| self.ruleset.has(rule)) {
            return rules;
        }
        let board = with.map_or(*self.board(), |mv| self.board().after(mv));
        let now = Setup::from(&board);
        let mut earlier = vec![*self.game.start()];
        for &mv in self.game.moves() {
            let next = earlier[earlier.len() - 1].after(mv);
            if next.halfmove_clock() == 0 {
                // Nothing before it can recur.
                earlier.clear();
            }
            earlier.push(next);
        }
        if with.is_some() {
            earlier.push(board);
        }
        let near = earlier
            .iter()
            .filter(|earlier| earlier.occupied() == board.occupied());
        let looks =
            |setup: &Setup| setup.side_to_move == now.side_to_move && setup.placement == now.placement;
        let alike: Vec<Setup> = near.map(Setup::from).filter(looks).collect();
        if (alike.len() as u32) < self.ruleset.switches.claim_repetition {
            return rules;
        }
        let differs = [
            alike.iter().any(|setup| setup.en_passant != now.en_passant),
            alike
                .iter()
                .any(|setup| setup.castling_rooks != now.castling_rooks),
        ];
        rules.extend(
            told.into_iter()
                .zip(differs)
                .filter(|(_, differs)| *differs)
                .map(|(rule, _)| rule),
        );
        rules
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

    /// The claim that the player on move has, and loses by moving, where it is not lost by touching a piece (10.11).
    pub(super) fn unclaimed(&self) -> Option<Effect> {
        let by_moving = self.ruleset.has(Rule::ClaimTouched) && !self.ruleset.switches.touch_ends_rights;
        let (side, right) = (self.to_move(), Right::Claim);
        let has = by_moving
            && ClaimGround::ALL
                .into_iter()
                .any(|ground| self.claim_holds(ground, None));
        has.then_some(Effect::RightLost { side, right })
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

    /// Whether a piece of the side on move stands there.
    fn is_own(&self, square: Square) -> bool {
        let own = |table: Table| table.color_on(square) == Some(table.us());
        self.table().is_some_and(own)
    }

    /// An announced move has to be played; an illegal one binds its piece, as touching it would. Writing touches nothing of the
    /// opponent's.
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
            Written::Illegal(_, Some((from, _))) if self.ruleset.switches.touch_move && self.is_own(from) => {
                self.touches.note(&[from], false);
                self.bind();
                self.obliged.clone()
            }
            _ => None,
        }
    }
}
