//! What a ruleset has to state, by its switches.

use super::{
    Rule, Switches,
    choice::{BothFlags, Category, ClaimPenalty, DeadPosition, LateLimit, LossDraw, Sealing, WrongSetup},
};

impl Rule {
    /// The rules that a ruleset with these switches must name articles for.
    pub fn required(switches: &Switches) -> Vec<Self> {
        let on = |cond: bool, rule: Self| cond.then_some(rule);
        let s = switches;
        let claims = s.claim_repetition > 0 || s.claim_quiet_moves > 0;
        [
            Some(Self::Turn),
            Some(Self::IllegalMove),
            Some(Self::IllegalRestored),
            Some(Self::Checkmate),
            Some(Self::Stalemate),
            Some(Self::Resignation),
            Some(Self::Agreement),
            Some(Self::Offer),
            Some(Self::OfferWithdrawn),
            Some(Self::FlagLoss),
            Some(Self::PromotionLeft),
            on(s.dead_position != DeadPosition::None, Self::DeadPosition),
            on(s.claim_repetition > 0, Self::ClaimRepetition),
            on(s.claim_quiet_moves > 0, Self::ClaimQuietMoves),
            on(claims, Self::ClaimNeedsTurn),
            on(claims, Self::ClaimTouched),
            on(claims, Self::ClaimWithdrawn),
            on(claims, Self::ClaimUpheld),
            on(claims || s.claim_penalty != ClaimPenalty::None, Self::ClaimWrong),
            on(s.automatic_repetition > 0, Self::AutomaticRepetition),
            on(
                s.automatic_quiet_moves > 0 || s.quiet_moves_bishop_knight > 0,
                Self::AutomaticQuietMoves,
            ),
            on(s.checks_in_a_row > 0, Self::ChecksInARow),
            on(s.checks_in_total > 0, Self::ChecksInTotal),
            on(s.flag_draw != LossDraw::Never, Self::FlagDraw),
            on(s.resignation_draw != LossDraw::Never, Self::ResignationDraw),
            on(s.resignation_rounds > 0, Self::ResignationEarly),
            on(s.flag_void_rounds > 0, Self::FlagVoid),
            on(s.offer_rounds > 0, Self::OfferEarly),
            on(s.offer_limit > 0, Self::OfferLimit),
            on(s.offers_alternate, Self::OfferAlternate),
            on(s.offers_need_consent, Self::OfferConsent),
            on(s.illegal_penalty_seconds > 0, Self::IllegalPenalty),
            on(s.illegal_limit > 0, Self::IllegalLoss),
            on(s.king_fouls_limit > 0, Self::KingFouls),
            on(s.illegal_stands_after_reply, Self::IllegalStands),
            on(s.illegal_position_draw, Self::IllegalPositionDraw),
            on(s.late_limit != LateLimit::None, Self::Late),
            on(s.wrong_setup != WrongSetup::Unstated, Self::WrongSetup),
            on(
                s.colours_reversed_moves > 0 || s.colours_reversed_quarter,
                Self::ColoursReversed,
            ),
            on(s.recording, Self::Recording),
            on(s.setup_claim_moves > 0, Self::SetupLate),
            on(s.flag_needs_confirmation, Self::FlagConfirmed),
            on(s.category != Category::Any, Self::Category),
            on(s.recording_exempt_seconds > 0, Self::RecordingExempt),
            on(s.both_flags != BothFlags::Unstated, Self::BothFlags),
            on(s.touch_move, Self::TouchOwn),
            on(s.touch_move, Self::TouchEnemy),
            on(s.touch_move, Self::TouchBoth),
            on(s.touch_move, Self::TouchRookFirst),
            on(s.touch_move, Self::TouchCastleIllegal),
            on(s.touch_move, Self::TouchFree),
            on(s.touch_move, Self::Adjust),
            on(s.sealing != Sealing::None, Self::Seal),
            on(s.sealing != Sealing::None, Self::SealedInvalid),
            on(s.device_loses, Self::Device),
            on(!s.sanctions.is_empty(), Self::Sanctions),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
