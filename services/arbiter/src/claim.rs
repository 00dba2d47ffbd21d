//! Draws that may be claimed.

use tabiya_rules::Move;

use crate::ruleset::Rule;

/// Why a draw may be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimGround {
    /// The same position for the third time (9.2).
    ThreefoldRepetition,
    /// 50 moves by each side without a pawn move or capture (9.3).
    FiftyMoves,
}

impl ClaimGround {
    /// Every ground, in the order in which claims are told.
    pub const ALL: [Self; 2] = [Self::ThreefoldRepetition, Self::FiftyMoves];

    /// The rule that lets a player claim on this ground: by the position on the board, or with a move that is announced.
    pub fn rule(self, announced: bool) -> Rule {
        match (self, announced) {
            (Self::ThreefoldRepetition, false) => Rule::ClaimRepetition,
            (Self::ThreefoldRepetition, true) => Rule::ClaimRepetitionAnnounced,
            (Self::FiftyMoves, false) => Rule::ClaimQuietMoves,
            (Self::FiftyMoves, true) => Rule::ClaimQuietMovesAnnounced,
        }
    }
}

/// A draw that the player on move may claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Why.
    pub ground: ClaimGround,
    /// The move to write down with the claim; `None` if the position on the board suffices.
    pub with_move: Option<Move>,
}

impl Claim {
    /// The rule that allows it.
    pub fn rule(&self) -> Rule {
        self.ground.rule(self.with_move.is_some())
    }
}
