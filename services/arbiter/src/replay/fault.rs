//! Illegal moves and moves made in a forbidden way: what becomes of them.

use std::time::Duration;

use tabiya_rules::{Color, Move, Piece, Square, fen::Setup, uci};

use super::{Answer, Choice, Effect, GameResult, Reason, Replay, Stage, setup_moves};
use crate::ruleset::{PressedPromotion, Rule, UnknownPosition};

/// An illegal move, or a move made in a forbidden way.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) by: Color,
    pub(super) reason: Reason,
    pub(super) rule: Option<Rule>,
    /// The way of the move, if it is known.
    pub(super) way: Option<(Square, Square)>,
    /// What a pawn was exchanged for on its last rank.
    pub(super) promotion: Option<Piece>,
    /// The move that stands on the board, where it was a legal one made in a forbidden way.
    pub(super) played: Option<Move>,
    /// The game before it, once something else stands on the board.
    pub(super) before: Option<Stage>,
    /// Nobody has noticed it yet.
    pub(super) unnoticed: bool,
    /// It moved the king into attack where that is counted by itself.
    pub(super) king_foul: bool,
}

impl Fault {
    /// A fault of which no more is known.
    pub(super) fn new(by: Color, reason: Reason, rule: Option<Rule>) -> Self {
        Self {
            by,
            reason,
            rule,
            way: None,
            promotion: None,
            played: None,
            before: None,
            unnoticed: false,
            king_foul: false,
        }
    }

    /// What stands on the board after it, if that is known, and before it.
    pub(super) fn after(&self, before: &Setup) -> Option<Setup> {
        if self.reason == Reason::PressedNothing {
            return Some(setup_moves::passed(before));
        }
        let (from, to) = self.way?;
        setup_moves::moved(before, from, to, self.promotion)
    }
}

/// What is reported of an illegal move.
#[derive(Clone, Copy, Debug)]
pub(super) struct IllegalReport {
    pub(super) after_signature: bool,
    pub(super) position_known: bool,
    pub(super) times_known: bool,
    pub(super) both_agree: bool,
    pub(super) moves_before: Option<u32>,
    pub(super) side: Option<Color>,
}

/// What was played since a fault, and is taken back.
#[derive(Clone, Copy, Debug)]
struct Undone {
    last: Color,
    plies: usize,
}

impl IllegalReport {
    /// What is known of a move when its clock is pressed: everything.
    pub(super) const AT_ONCE: Self = Self {
        after_signature: false,
        position_known: true,
        times_known: true,
        both_agree: false,
        moves_before: None,
        side: None,
    };
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
        if !self.ruleset.switches.touch_move || self.table().is_none() {
            return None;
        }
        self.touched = true;
        self.touches.note(&[from, to], false);
        if !self.move_fixed {
            self.bind();
        }
        self.obliged.clone().map(Effect::Obliged)
    }

    /// Acts on a completed fault; `waited` if the opponent's clock has run since.
    pub(super) fn punish(&mut self, fault: Fault, waited: bool, report: &IllegalReport) -> Answer {
        let switches = &self.ruleset.switches;
        let side = fault.by;
        let (last, after) = (!self.to_move(), self.plies());
        if !waited {
            // The opponent's last move may still be waiting for its press.
            self.unpressed = self.unpressed.filter(|&other| other != side);
        }
        let mut rules: Vec<Rule> = fault.rule.into_iter().collect();
        rules.push(Rule::IllegalRestored);
        if report.position_known
            && let Some(before) = fault.before.clone()
        {
            self.go_back(before);
        }
        let undone = Undone {
            last,
            plies: if waited {
                after.saturating_sub(self.plies())
            } else {
                0
            },
        };
        if report.position_known || !waited {
            if fault.reason == Reason::PromotionLeft && switches.pressed_promotion != PressedPromotion::Queen
            {
                return self.promotion_unfinished(&fault, undone);
            }
            if fault.king_foul {
                return self.king_foul_found(&fault, undone);
            }
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
            let time = Duration::from_secs(switches.illegal_penalty_seconds.into());
            if !time.is_zero() {
                effects.push(Effect::TimeAdded { side: !side, time });
            }
            rules.push(Rule::IllegalPenalty);
        } else if !switches.sanctions.is_empty() {
            effects.extend(self.sanctions());
            rules.push(Rule::Sanctions);
        }
        if !report.position_known {
            let mut answer = self.unknown_position(Rule::PositionUnknown).about(side);
            if counted {
                answer.effects.splice(0..0, effects);
                answer.rules.push(Rule::IllegalPenalty);
            }
            return answer;
        }
        if !report.times_known {
            let shared = self.share_times(Some(self.completed_before(side, report.moves_before)));
            effects.extend(shared.effects);
            rules.extend(shared.rules);
        }
        let reason = self.mend(&fault, waited.then_some(undone), &mut effects, &mut rules);
        let mut answer = Answer {
            accepted: false,
            reason,
            rules,
            effects,
            about: Some(side),
        };
        if waited && report.times_known && answer.effects.contains(&Effect::Restored) {
            self.may_set_clocks(&mut answer);
        }
        answer
    }

    /// Moves that White and Black had completed before a fault of a side, where the position before it stands again: those on
    /// record, unless the report tells another number. White has then moved once more than a Black that is at fault.
    fn completed_before(&self, by: Color, told: Option<u32>) -> [u32; 2] {
        let mut made = self.made_by_each();
        if let Some(told) = told.filter(|told| !made.contains(told)) {
            let more = made[(!by).index()].saturating_sub(made[by.index()]);
            made[by.index()] = told;
            made[(!by).index()] = told.saturating_add(more);
        }
        made
    }

    /// A pawn was left on its last rank, and has to become something still.
    fn promotion_unfinished(&mut self, fault: &Fault, undone: Undone) -> Answer {
        let Some((_, square)) = fault.way else {
            return Answer::no(fault.reason, &[Rule::PromotionLeft, Rule::IllegalRestored]);
        };
        if self.ruleset.switches.pressed_promotion == PressedPromotion::Announce {
            // Saying it is enough, and nobody has said it.
            self.lacks("promotion");
        }
        let answer = Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
            .with(Effect::FinishPromotion(square));
        self.clock_back(fault.by, undone, answer)
    }

    /// A king that moved into attack is found later.
    fn king_foul_found(&mut self, fault: &Fault, undone: Undone) -> Answer {
        let mut answer = self.king_foul(fault.by);
        if self.conclusion.is_some() {
            return answer;
        }
        self.replaces = true;
        let lost = self.note_touch();
        let bound = fault.way.and_then(|way| self.bind_touched(way));
        answer.effects.extend(bound);
        answer.effects.extend(lost);
        self.clock_back(fault.by, undone, answer)
    }

    /// What was played since then is taken back, and the offender's clock runs.
    fn clock_back(&mut self, side: Color, undone: Undone, answer: Answer) -> Answer {
        if undone.plies == 0 {
            return answer;
        }
        self.uncount(undone.last, undone.plies);
        answer.with(Effect::ClockRuns { side })
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

    /// What lets the arbiter penalise a side, and what he may choose from.
    pub(super) fn may_penalise(&self, side: Color, mut answer: Answer) -> Answer {
        answer.effects.push(Effect::MayBePenalised { side });
        let options = self.sanctions();
        if !options.is_empty() {
            answer.effects.extend(options);
            answer.rules.push(Rule::Sanctions);
        }
        answer.about(side)
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
                let answer = Answer::no(Reason::PositionIdentified, &[rule]);
                let mut answer = answer.with(Effect::LastIdentifiable);
                self.may_set_clocks(&mut answer);
                answer
            }
        }
    }

    /// Puts the board right after a fault and says what was wrong.
    fn mend(
        &mut self,
        fault: &Fault,
        waited: Option<Undone>,
        effects: &mut Vec<Effect>,
        rules: &mut Vec<Rule>,
    ) -> Reason {
        if let Some(undone) = waited {
            // What was played after it.
            self.uncount(undone.last, undone.plies.saturating_sub(1));
        }
        if let Some((from, to)) = fault.way.filter(|_| fault.reason == Reason::PromotionLeft)
            && let Some(refused) = self.queen(from, to)
        {
            // The move stands, and was pressed.
            self.unpressed = None;
            if waited.is_none() {
                self.press_clock(fault.by);
            }
            // Nothing is restored.
            rules.retain(|&rule| rule != Rule::IllegalRestored);
            effects.extend(refused);
            effects.push(Effect::BecomesQueen(to));
            effects.push(Effect::ClockRuns { side: !fault.by });
            return Reason::PromotionLeft;
        }
        effects.push(Effect::Restored);
        self.replaces = true;
        if waited.is_some() {
            self.uncount(fault.by, 1);
            effects.push(Effect::ClockRuns { side: fault.by });
        }
        // What was touched, and what was released by a legal move, binds the move that replaces it.
        // A legal move has given back what touching had ended.
        self.touched &= fault.played.is_none();
        if fault.reason != Reason::PressedNothing {
            effects.extend(self.note_touch());
        }
        match fault.played {
            Some(mv) if self.ruleset.switches.touch_move => {
                self.move_fixed = true;
                self.obliged = Some(vec![mv]);
                self.binding = Some(Rule::Release);
                rules.push(Rule::Release);
            }
            _ => {
                if let Some(way) = fault.way {
                    self.bind_touched(way);
                }
            }
        }
        effects.extend(self.obliged.clone().map(Effect::Obliged));
        match fault.reason {
            Reason::IllegalAttempt => Reason::IllegalFirst,
            other => other,
        }
    }

    /// Finishes a promotion with a queen: what becomes of an offer that it refuses; `None` if it could not be done.
    fn queen(&mut self, from: Square, to: Square) -> Option<Vec<Effect>> {
        if let Some(setup) = self.unruly.as_ref().and_then(|unruly| unruly.setup) {
            let queen = setup_moves::moved(&setup, from, to, Some(Piece::Queen));
            return Some(self.play_setup(queen, None));
        }
        let queen = uci::parse(self.board(), &format!("{from}{to}q"), self.variant);
        queen.ok().map(|mv| self.play(mv))
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

    pub(super) fn on_illegal_report(&mut self, actor: Option<Color>, report: &IllegalReport) -> Answer {
        if report.after_signature {
            // An illegal move is acted on while the game lasts.
            return self.on_signed();
        }
        if let Some(fault) = self.take_waiting(actor, report.side) {
            // Whatever the opponent has begun meanwhile is no reply.
            self.fault = None;
            return self.punish(fault, true, report);
        }
        let recorded = |fault: &mut Fault| report.side.is_none_or(|side| side == fault.by);
        let Some(fault) = self.fault.take_if(recorded) else {
            return match report {
                report if report.both_agree => self.correct_by_agreement(),
                report if !report.position_known => self.unrecorded(report),
                // However late it is reported: only the players can agree to correct it.
                _ if self.stood_before.is_some() => Answer::no(Reason::IllegalStands, &[Rule::IllegalStands]),
                _ => Answer::no(Reason::NoIllegalMove, &[Rule::IllegalRestored]),
            };
        };
        // Without a press the move is not complete: it is put right without a penalty.
        if self.counts_faults() {
            return match report.position_known {
                true => self.put_right(fault),
                false => self.unknown_position(Rule::PositionUnknown),
            };
        }
        self.punish(fault, false, report)
    }

    /// An illegal move that no event holds, and after which nobody knows the position before it.
    fn unrecorded(&mut self, report: &IllegalReport) -> Answer {
        if !self.counts_faults() || !self.ruleset.has(Rule::PositionUnknown) {
            return self.unknown_position(Rule::PositionUnknown);
        }
        let Some(by) = report.side else {
            // It costs time, or the game, and whom is not on record.
            self.lacks("side");
            return self.unknown_position(Rule::PositionUnknown);
        };
        self.punish(Fault::new(by, Reason::IllegalAttempt, None), true, report)
    }

    /// A fault before the press costs nothing; what it touched still binds.
    fn put_right(&mut self, fault: Fault) -> Answer {
        if let Some((_, square)) = fault.way.filter(|_| fault.reason == Reason::PromotionLeft) {
            self.fault = Some(fault);
            return Answer::no(Reason::PromotionUnfinished, &[Rule::PromotionLeft])
                .with(Effect::FinishPromotion(square));
        }
        if fault.reason == Reason::TwoHands {
            // The move is a legal one; only the press makes it illegal.
            let answer = Answer::no(fault.reason, &fault.rule.map_or(vec![], |rule| vec![rule]));
            self.fault = Some(fault);
            return answer;
        }
        Answer::no(fault.reason, &[Rule::IllegalRestored]).with(Effect::Restored)
    }

    /// A signed result stands, whether an article says so of results or of what is found after the game; where the ruleset
    /// lets the arbiter decide otherwise, that is his choice.
    pub(super) fn on_signed(&mut self) -> Answer {
        self.signed = true;
        if self.conclusion.is_none() {
            // What the players have signed nobody has reported.
            self.lacks("result");
        }
        let stated = [Rule::ResultSigned, Rule::FoundAfterwards];
        let stated = stated.into_iter().find(|&rule| self.ruleset.has(rule));
        let answer = Answer::no(Reason::ResultStands, &[stated.unwrap_or(Rule::IllegalRestored)]);
        if stated == Some(Rule::ResultSigned) && self.ruleset.switches.signed_result_may_change {
            return answer.with(Effect::Option(Choice::ChangeResult));
        }
        answer
    }
}
