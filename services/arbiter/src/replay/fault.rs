//! Illegal moves and moves made in a forbidden way: what becomes of them.

use tabiya_rules::{Board, Color, Game, Move, MoveList, Square, uci};

use super::{Answer, Choice, Effect, GameResult, Reason, Replay, position, touch};
use crate::ruleset::{PressedPromotion, Rule, UnknownPosition};

/// An illegal move, or a move made in a forbidden way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub(super) by: Color,
    pub(super) reason: Reason,
    pub(super) rule: Option<Rule>,
    /// A pawn's way to its last rank.
    pub(super) promotion: Option<(Square, Square)>,
    /// The way of the move.
    pub(super) way: Option<(Square, Square)>,
    /// Whether the clock has been pressed.
    pub(super) complete: bool,
}

/// What is reported of an illegal move.
pub(super) struct IllegalReport {
    pub(super) after_signature: bool,
    pub(super) position_known: bool,
    pub(super) times_known: bool,
    pub(super) both_agree: bool,
    pub(super) moves_before: Option<u32>,
}

impl Replay<'_> {
    pub(super) fn king_foul(&mut self, side: Color) -> Answer {
        let limit = self.ruleset.switches.king_fouls_limit;
        let count = self.king_fouls[side.index()] + 1;
        self.king_fouls[side.index()] = count;
        if count >= limit {
            let answer = self.decide(GameResult::Wins(!side), Reason::KingFoulsLose, &[Rule::KingFouls]);
            return answer.with(Effect::IllegalCount { side, count });
        }
        Answer::no(Reason::KingFoul, &[Rule::KingFouls])
            .with(Effect::Restored)
            .with(Effect::IllegalCount { side, count })
    }

    /// What moving a piece, and taking one, leaves of the choice of moves.
    pub(super) fn bind_touched(&mut self, (from, to): (Square, Square)) -> Option<Effect> {
        if !self.ruleset.switches.touch_move {
            return None;
        }
        self.touched = true;
        if self.obliged.is_none() {
            self.obliged = touch::obligation(self.board(), &[from, to], false).moves;
        }
        self.obliged.clone().map(Effect::Obliged)
    }

    /// Acts on a completed fault.
    pub(super) fn punish(
        &mut self,
        fault: Fault,
        position_known: bool,
        times_known: bool,
        moves_before: Option<u32>,
    ) -> Answer {
        let switches = &self.ruleset.switches;
        let side = fault.by;
        self.fault = None;
        // The opponent's last move may still be waiting for its press.
        self.unpressed = self.unpressed.filter(|&other| other != side);
        let mut rules: Vec<Rule> = fault.rule.into_iter().collect();
        rules.push(Rule::IllegalRestored);
        if fault.reason == Reason::PromotionLeft && switches.pressed_promotion != PressedPromotion::Queen {
            let Some((_, square)) = fault.promotion else {
                return Answer::no(fault.reason, &rules);
            };
            return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                .with(Effect::FinishPromotion(square));
        }
        if !position_known {
            return self.unknown_position(Rule::PositionUnknown);
        }
        let counted = self.counts_faults();
        let mut effects = Vec::new();
        if counted {
            let count = self.illegal[side.index()] + 1;
            self.illegal[side.index()] = count;
            effects.push(Effect::IllegalCount { side, count });
            if switches.illegal_limit > 0 && count >= switches.illegal_limit {
                let mut answer = self.lose_by_illegal_moves(side, fault.rule);
                answer.effects.splice(0..0, effects);
                return answer;
            }
            let seconds = switches.illegal_penalty_seconds;
            effects.push(Effect::TimeAdded { side: !side, seconds });
            rules.push(Rule::IllegalPenalty);
        } else if !switches.sanctions.is_empty() {
            effects.extend(self.sanctions());
            rules.push(Rule::Sanctions);
        }
        if !times_known {
            let shared = self.share_times(moves_before);
            effects.extend(shared.effects);
            rules.extend(shared.rules);
        }
        let reason = self.mend(fault, &mut effects);
        Answer {
            accepted: false,
            reason,
            rules,
            effects,
        }
    }

    /// Whether a fault completed by the press is counted or costs time.
    fn counts_faults(&self) -> bool {
        let switches = &self.ruleset.switches;
        switches.illegal_limit > 0 || switches.illegal_penalty_seconds > 0
    }

    /// The sanctions that the ruleset lets the arbiter choose from.
    pub(super) fn sanctions(&self) -> Vec<Effect> {
        let words = &self.ruleset.switches.sanctions;
        let known = words.iter().filter_map(|&word| Choice::from_name(word));
        known.map(Effect::Option).collect()
    }

    /// The position before an irregularity is not known.
    pub(super) fn unknown_position(&mut self, rule: Rule) -> Answer {
        if !self.ruleset.has(rule) {
            return Answer::no(Reason::Unstated, &[]);
        }
        match self.ruleset.switches.unknown_position {
            UnknownPosition::Annul => self
                .annul(Reason::PositionAnnulled, &[rule])
                .with(Effect::NewGame),
            UnknownPosition::LastIdentifiable => {
                self.lacks("position");
                Answer::no(Reason::PositionIdentified, &[rule]).with(Effect::LastIdentifiable)
            }
        }
    }

    /// Puts the board right after a fault and says what was wrong.
    fn mend(&mut self, fault: Fault, effects: &mut Vec<Effect>) -> Reason {
        if let Some((from, to)) = fault.promotion {
            let queen = format!("{from}{to}q");
            if let Ok(mv) = uci::parse(self.board(), &queen, self.variant) {
                self.play(mv);
                self.unpressed = None;
                effects.push(Effect::BecomesQueen(to));
                return Reason::PromotionLeft;
            }
        }
        effects.push(Effect::Restored);
        // The touched piece binds the move that replaces the illegal one.
        if let Some(way) = fault.way.filter(|_| fault.reason != Reason::TwoHands) {
            effects.extend(self.bind_touched(way));
        }
        match fault.reason {
            Reason::IllegalAttempt => Reason::IllegalFirst,
            other => other,
        }
    }

    fn lose_by_illegal_moves(&mut self, side: Color, rule: Option<Rule>) -> Answer {
        let rules: Vec<Rule> = [Rule::IllegalLoss].into_iter().chain(rule).collect();
        let reading = self.ruleset.switches.illegal_loss_draw;
        match self.loss_is_draw(!side, reading) {
            Some(false) => self.decide(GameResult::Wins(!side), Reason::IllegalLoses, &rules),
            Some(true) => self.decide(GameResult::Draw, Reason::IllegalLosesDraw, &rules),
            None => {
                self.lacks("can_mate");
                Answer::no(Reason::Undecided, &rules)
            }
        }
    }

    /// Lets an illegal move stand, because the opponent has replied.
    pub(super) fn let_stand(&mut self, fault: Fault) -> Result<(), Answer> {
        if fault.reason == Reason::TwoHands {
            // The move itself was legal.
            let played = fault.way.and_then(|way| self.legal(way));
            return match played {
                Some(mv) => {
                    self.play(mv);
                    self.unpressed = None;
                    Ok(())
                }
                None => Err(Answer::no(Reason::MissingFact, &[Rule::IllegalStands])),
            };
        }
        let after = fault
            .way
            .and_then(|(from, to)| position::forced(self.board(), from, to));
        let Some(board) = after else {
            self.lacks("position");
            return Err(Answer::no(Reason::MissingFact, &[Rule::IllegalStands]));
        };
        let before = (self.game.clone(), self.earlier_plies);
        self.set_board(board, 1);
        self.stood_before = Some(before);
        self.fault = None;
        self.unpressed = None;
        Ok(())
    }

    fn legal(&self, (from, to): (Square, Square)) -> Option<Move> {
        let mut legal = MoveList::new();
        self.board().legal_moves(&mut legal);
        legal
            .iter()
            .find(|mv| mv.from() == from && mv.to() == to)
            .copied()
    }

    /// Goes on from a board that no legal move has led to, `plies` plies after the last one.
    pub(super) fn set_board(&mut self, board: Board, plies: usize) {
        self.earlier_plies += self.game.moves().len() + plies;
        self.game = Game::new(board);
    }

    pub(super) fn on_illegal_report(&mut self, report: &IllegalReport) -> Answer {
        if report.after_signature {
            return self.on_signed();
        }
        if self.fault.is_none() && report.both_agree {
            return self.correct_by_agreement();
        }
        match self.fault {
            // Without a press the move is not complete: it is put right without a penalty.
            Some(fault) if !fault.complete && report.position_known && self.counts_faults() => {
                self.put_right(fault)
            }
            Some(fault) => self.punish(
                fault,
                report.position_known,
                report.times_known,
                report.moves_before,
            ),
            None if !report.position_known => self.unknown_position(Rule::PositionUnknown),
            None if self.stood_before.is_some() => Answer::no(Reason::IllegalStands, &[Rule::IllegalStands]),
            None => Answer::no(Reason::NoIllegalMove, &[Rule::IllegalRestored]),
        }
    }

    /// A fault before the press costs nothing; what it touched still binds.
    fn put_right(&mut self, fault: Fault) -> Answer {
        if let Some((_, square)) = fault.promotion {
            return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                .with(Effect::FinishPromotion(square));
        }
        self.fault = None;
        Answer::no(fault.reason, &[Rule::IllegalRestored]).with(Effect::Restored)
    }

    /// A signed result stands; where the ruleset lets the arbiter decide otherwise, that is his choice.
    pub(super) fn on_signed(&self) -> Answer {
        let answer = Answer::no(Reason::ResultStands, &[Rule::ResultSigned]);
        if self.ruleset.switches.signed_result_may_change {
            return answer.with(Effect::Option(Choice::ChangeResult));
        }
        answer
    }

    /// Both players agree to correct an illegal move that stands.
    fn correct_by_agreement(&mut self) -> Answer {
        let rules = [Rule::IllegalStands];
        if !self.ruleset.switches.illegal_stands_after_reply {
            return Answer::no(Reason::NoIllegalMove, &[Rule::IllegalRestored]);
        }
        let Some((game, plies)) = self.stood_before.take() else {
            return Answer::no(Reason::NoIllegalMove, &rules);
        };
        (self.game, self.earlier_plies) = (game, plies);
        self.unpressed = None;
        self.obliged = None;
        self.touched = false;
        self.released = false;
        Answer::yes(Reason::CorrectedByAgreement, &rules).with(Effect::Restored)
    }

    pub(super) fn on_illegal_position(&mut self) -> Answer {
        if !self.ruleset.switches.illegal_position_draw {
            return Answer::no(Reason::Unstated, &[]);
        }
        let now = self.plies();
        if self.illegal_position.is_some_and(|noted| noted + 1 == now) {
            return self.decide(
                GameResult::Draw,
                Reason::IllegalPositionDraw,
                &[Rule::IllegalPositionDraw],
            );
        }
        self.illegal_position = Some(now);
        Answer::yes(Reason::PositionNoted, &[Rule::IllegalPositionDraw])
    }
}
