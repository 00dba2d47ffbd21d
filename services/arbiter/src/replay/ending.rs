//! How a game ends.

use super::{Answer, Conclusion, GameResult, GameStatus, Reason, Replay, position};
use crate::ruleset::Rule;

impl Replay<'_> {
    /// Ends the game with a result.
    pub(super) fn decide(&mut self, result: GameResult, reason: Reason, rules: &[Rule]) -> Answer {
        self.conclude(GameStatus::Decided, Some(result), reason, rules, Vec::new());
        Answer::yes(reason, rules)
    }

    /// Ends the game without one.
    pub(super) fn annul(&mut self, reason: Reason, rules: &[Rule]) -> Answer {
        self.conclude(GameStatus::Void, None, reason, rules, Vec::new());
        Answer::yes(reason, rules)
    }

    pub(super) fn conclude(
        &mut self,
        status: GameStatus,
        result: Option<GameResult>,
        reason: Reason,
        rules: &[Rule],
        also: Vec<Reason>,
    ) {
        self.obliged = None;
        self.open = [None; 2];
        self.suspended = false;
        self.referred = false;
        self.conclusion = Some(Conclusion {
            status,
            result,
            reason,
            articles: self.articles(rules),
            event: self.event,
            ply: self.plies(),
            also,
        });
    }

    /// Ends the game if its position does.
    pub(super) fn end_by_position(&mut self) {
        let endings = position::endings(&self.game, &self.ruleset.switches, &mut self.doubts);
        if let Some(&(reason, rule, result)) = endings.first() {
            let also: Vec<Reason> = endings[1..].iter().map(|&(reason, ..)| reason).collect();
            let mut rules = vec![rule];
            if reason == Reason::Mate && also.contains(&Reason::Quiet) && self.ruleset.has(Rule::MateFirst) {
                rules.push(Rule::MateFirst);
            }
            self.conclude(GameStatus::Decided, Some(result), reason, &rules, also);
        }
    }

    /// Whether the last move ended the game.
    pub(super) fn ended_on_board(&self) -> bool {
        let reason = self.conclusion.as_ref().map(|end| end.reason);
        matches!(
            reason,
            Some(Reason::Mate | Reason::Stalemate | Reason::Dead | Reason::LineUp)
        )
    }

    /// Why a flag that is found after the end changes nothing.
    pub(super) fn rule_before_flag(&self) -> Rule {
        match self.conclusion.as_ref().map(|end| end.reason) {
            Some(Reason::Agreed | Reason::Resigned | Reason::ResignedDraw) => Rule::FlagAfterResult,
            Some(
                Reason::Mate
                | Reason::Stalemate
                | Reason::Dead
                | Reason::LineUp
                | Reason::Repetition
                | Reason::Quiet
                | Reason::ChecksInARow
                | Reason::ChecksInTotal,
            ) => Rule::MoveEndsGame,
            // What ended it came before the flag was seen.
            _ => Rule::FlagSeen,
        }
    }
}
