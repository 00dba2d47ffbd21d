//! Faults that are acted on only before the reply, or once they are noticed, and what stands after them.

use tabiya_rules::{Color, Piece, fen::Setup};

use super::{
    Answer, Effect, Fault, GameResult, Notation, Reason, Replay, fault::IllegalReport, setup_moves,
    setup_written, unruly::Unruly,
};
use crate::ruleset::Rule;

/// Faults that wait at once: a player who keeps pressing without a move lets the oldest stand.
const MOST_WAITING: usize = 4;

/// Faults of one game that nobody has noticed yet; the next is noticed at once.
const MOST_UNNOTICED: usize = 16;

impl Replay<'_> {
    /// Whether what is against the rules in the move at hand is passed over. Where it stands after the reply, it waits for
    /// that anyway.
    pub(super) fn overlooked(&self) -> bool {
        self.unnoticed
            && !self.ruleset.switches.illegal_stands_after_reply
            && self.waiting.len() < MOST_UNNOTICED
    }

    /// The clock was pressed on a fault: the opponent, or the arbiter, may act on it until the reply, or once it is found.
    pub(super) fn wait(&mut self, fault: Fault) -> Answer {
        let side = fault.by;
        let (reason, acted_on) = match fault.unnoticed {
            true => (Reason::IllegalUnnoticed, Rule::IllegalRestored),
            false => (Reason::IllegalWaits, Rule::IllegalStands),
        };
        let mut answer = Answer::no(reason, &[]);
        answer.rules.extend(fault.rule);
        answer.rules.push(acted_on);
        answer.effects.push(Effect::ClockRuns { side: !side });
        let refused = self.advance(fault);
        answer.effects.extend(refused);
        self.press_clock(side);
        self.unpressed = None;
        self.late = None;
        self.still_illegal().unwrap_or(answer)
    }

    /// Goes on from what a fault has left on the board; what becomes of an offer that it refuses.
    fn advance(&mut self, mut fault: Fault) -> Vec<Effect> {
        let (side, unnoticed) = (fault.by, fault.unnoticed);
        // An illegal move too replies to the one before; a press without a move is none.
        if fault.reason != Reason::PressedNothing {
            self.let_stand(side);
        }
        let moved = !matches!(fault.reason, Reason::PressedNothing | Reason::TwoHands);
        let refused = if moved { self.refuse(!side) } else { Vec::new() };
        // A legal move made with two hands stands on the board already.
        if fault.reason != Reason::TwoHands {
            let before = self.stage();
            let after = before.setup().and_then(|before| fault.after(&before));
            fault.before = Some(before);
            self.leave_turn(side);
            self.stand_on(after, !side);
        }
        self.waiting.push(fault);
        if !unnoticed && self.waiting.len() > MOST_WAITING {
            self.stood_before = self.waiting.remove(0).before;
        }
        refused
    }

    /// The opponent replies to an illegal move that was never pressed: it stands as well, or is not noticed.
    pub(super) fn pass_over(
        &mut self,
        by: Option<Color>,
        text: &str,
        notation: Option<Notation>,
    ) -> Vec<Effect> {
        let us = self.to_move();
        if by != Some(!us) {
            return Vec::new();
        }
        let stands = self.ruleset.switches.illegal_stands_after_reply;
        let left = (self.fault).take_if(|fault| fault.by == us && (stands || fault.unnoticed));
        let after = left
            .as_ref()
            .and_then(|fault| fault.after(&self.stage().setup()?));
        match (left, after) {
            (Some(fault), Some(after)) if setup_written::is_move(&after, text, notation) => {
                return self.advance(fault);
            }
            (left, _) => self.fault = left,
        }
        Vec::new()
    }

    /// A side has made its next move: the opponent's faults that waited stand. Whether any did.
    pub(super) fn let_stand(&mut self, side: Color) -> bool {
        if !self.ruleset.switches.illegal_stands_after_reply {
            return false;
        }
        let stand: Vec<Fault> = self.waiting.extract_if(.., |fault| fault.by != side).collect();
        let first = stand.into_iter().next();
        let any = first.is_some();
        if let Some(fault) = first {
            self.stood_before = fault.before;
        }
        any
    }

    /// The fault that is reported: the last that is not the reporter's own, if there is one. What came after it is undone.
    pub(super) fn take_waiting(&mut self, actor: Option<Color>, side: Option<Color>) -> Option<Fault> {
        let place = match side {
            Some(side) => self.waiting.iter().rposition(|fault| fault.by == side)?,
            None => {
                let others = self.waiting.iter().rposition(|fault| actor != Some(fault.by));
                others.or(self.waiting.len().checked_sub(1))?
            }
        };
        self.waiting.truncate(place + 1);
        self.waiting.pop()
    }

    /// Goes on from what stands on the board a ply later, known or not; a board holds it, or not.
    pub(super) fn stand_on(&mut self, setup: Option<Setup>, to_move: Color) {
        let plies = 1 + self.unruly.as_ref().map_or(0, |unruly| unruly.plies);
        match setup.and_then(|setup| setup.to_board().ok()) {
            Some(board) => {
                if self.unruly.is_some() {
                    self.illegal_position = None;
                }
                self.set_board(board, plies);
            }
            None => {
                let mut earlier = Vec::new();
                // Nothing before a capture or a pawn's move can recur.
                if let Some(before) = self.unruly.take()
                    && setup.is_some_and(|setup| setup.halfmove_clock > 0)
                {
                    earlier = before.earlier;
                    earlier.extend(before.setup);
                }
                self.unruly = Some(Unruly {
                    setup,
                    to_move,
                    plies,
                    earlier,
                });
            }
        }
    }

    /// Both players agree to correct an illegal move that stands.
    pub(super) fn correct_by_agreement(&mut self) -> Answer {
        let rules = [Rule::IllegalStands];
        if !self.ruleset.switches.illegal_stands_after_reply {
            return Answer::no(Reason::NoIllegalMove, &[Rule::IllegalRestored]);
        }
        let Some(before) = self.stood_before.take() else {
            return Answer::no(Reason::NoIllegalMove, &rules);
        };
        let (last, after) = (!self.to_move(), self.plies());
        self.go_back(before);
        self.new_turn();
        self.uncount(last, after.saturating_sub(self.plies()));
        self.fault = None;
        self.unpressed = None;
        self.late = None;
        let side = self.to_move();
        let mut answer = Answer::yes(Reason::CorrectedByAgreement, &rules)
            .with(Effect::Restored)
            .with(Effect::ClockRuns { side });
        self.may_set_clocks(&mut answer);
        answer
    }

    /// The arbiter has waited for the next move, and the position is still illegal.
    pub(super) fn still_illegal(&mut self) -> Option<Answer> {
        // A position that a board held since is another one.
        let since = self.plies() - self.unruly.as_ref()?.plies;
        let waited = |noted| since < noted && noted < self.plies();
        self.illegal_position.is_some_and(waited).then(|| {
            self.decide(
                GameResult::Draw,
                Reason::IllegalPositionDraw,
                &[Rule::IllegalPositionDraw],
            )
        })
    }

    /// Whether both kings are in check or a pawn stands on its last rank; `None` if what stands there is not known.
    fn is_illegal_position(&self) -> Option<bool> {
        let Some(unruly) = &self.unruly else {
            return Some(false);
        };
        let setup = unruly.setup?;
        let pawns = setup.placement.kind(Piece::Pawn);
        let left = pawns.into_iter().any(|square| matches!(square.rank(), 0 | 7));
        let checks = Color::ALL
            .into_iter()
            .all(|side| !setup_moves::is_safe(&setup, side));
        Some(left || checks)
    }

    pub(super) fn on_illegal_position(&mut self) -> Answer {
        let switches = &self.ruleset.switches;
        if switches.illegal_refused {
            return Answer::no(Reason::Unstated, &[]);
        }
        if !switches.illegal_position_draw {
            return self.on_illegal_position_found();
        }
        if let Some(answer) = self.still_illegal() {
            return answer;
        }
        if self.is_illegal_position() == Some(false) {
            return Answer::no(Reason::PositionLegal, &[Rule::IllegalPositionDraw]);
        }
        self.illegal_position = Some(self.plies());
        Answer::yes(Reason::PositionNoted, &[Rule::IllegalPositionDraw])
    }

    /// An illegal position comes of an illegal move: it is acted on if it is on record.
    fn on_illegal_position_found(&mut self) -> Answer {
        if self.fault.is_some() || !self.waiting.is_empty() {
            return self.on_illegal_report(None, &IllegalReport::AT_ONCE);
        }
        self.lacks("position");
        Answer::no(Reason::MissingFact, &[Rule::IllegalRestored])
    }
}
