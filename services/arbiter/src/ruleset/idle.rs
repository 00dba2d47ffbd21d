//! Which switches have nothing to decide in a ruleset.

use super::{
    Rule, Ruleset,
    choice::{BothFlags, ClaimPenalty, DeadPosition, LateLimit, LossDraw},
};

impl Ruleset {
    /// What a switch would need to have an effect here, if it has none.
    pub(super) fn needs(&self, name: &str) -> Option<&'static str> {
        let s = &self.switches;
        let claims = s.claim_repetition > 0 || s.claim_quiet_moves > 0;
        let announced = (s.claim_repetition > 0 && self.has(Rule::ClaimRepetitionAnnounced))
            || (s.claim_quiet_moves > 0 && self.has(Rule::ClaimQuietMovesAnnounced));
        let proofs = matches!(
            s.dead_position,
            DeadPosition::Unwinnable | DeadPosition::PopularLineUps
        ) || [s.flag_draw, s.resignation_draw, s.illegal_loss_draw]
            .contains(&LossDraw::Unwinnable);
        let quiet = s.automatic_quiet_moves > 0 || s.quiet_moves_bishop_knight > 0;
        let rounds = [
            s.flag_void_rounds,
            s.resignation_rounds,
            s.offer_rounds,
            s.colours_reversed_moves,
            s.setup_claim_moves,
        ];
        let quickplay = [
            Rule::QuickplayIncrement,
            Rule::QuickplayNormalMeans,
            Rule::QuickplayUnsupervised,
        ];
        let (works, needed) = match name {
            "listed_endings" => (s.claim_quiet_moves > 0, "claim_quiet_moves"),
            "announced_mate_claims" => (announced, "a claim with an announced move"),
            "unwinnable_by_count" => (
                proofs && quiet,
                "automatic_quiet_moves, and proofs that nobody can win",
            ),
            "claim_penalty" => (claims, "a claim"),
            "claim_penalty_seconds" => (
                claims && s.claim_penalty != ClaimPenalty::None,
                "a claim and a claim_penalty",
            ),
            "illegal_loss_draw" => (s.illegal_limit > 0, "illegal_limit"),
            "offers_alternate_refused" => (s.offers_alternate, "offers_alternate"),
            "rounds_in_progress" => (rounds.iter().any(|&count| count > 0), "a rule that counts rounds"),
            "illegal_penalty_seconds"
            | "illegal_limit"
            | "king_fouls_limit"
            | "illegal_stands_after_reply" => {
                (!s.illegal_refused, "illegal moves that are not refused at once")
            }
            "late_limit_minutes" => (s.late_limit != LateLimit::None, "late_limit"),
            "colours_reversed_moves" => (
                !s.colours_reversed_quarter,
                "colours_reversed_quarter to be false",
            ),
            "colours_reversed_restart" => (s.colours_reversed_quarter, "colours_reversed_quarter"),
            "signed_result_may_change" => (self.has(Rule::ResultSigned), "an article on signed results"),
            "unknown_position" => (
                self.has(Rule::PositionUnknown) || self.has(Rule::DisplacedLater),
                "an article on positions that are not known",
            ),
            "clock_fault_before_flag" => (self.has(Rule::ClockDefect), "an article on defective clocks"),
            "recording_refusal_loses" | "recording_exempt_seconds" => (s.recording, "recording"),
            "recording_increment_seconds" => (
                s.recording && s.recording_exempt_seconds > 0,
                "recording and recording_exempt_seconds",
            ),
            "sheet_on_own_move" => (self.has(Rule::BorrowSheet), "an article on borrowed sheets"),
            "guideline_iii" => (
                s.both_flags == BothFlags::Announced || quickplay.into_iter().any(|rule| self.has(rule)),
                "an article of guideline III",
            ),
            "touch_ends_rights" | "promotion_touch_binds" | "adjust_needs_consent" | "release_binds" => {
                (s.touch_move, "touch_move")
            }
            "captain_consult" => (
                self.has(Rule::Captain) || !s.sanctions.is_empty(),
                "an article on captains",
            ),
            _ => (true, ""),
        };
        (!works).then_some(needed)
    }
}
