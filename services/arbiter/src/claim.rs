//! Draws that may be claimed.

use tabiya_rules::Move;

/// Why a draw may be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimGround {
    /// The same position for the third time (9.2).
    ThreefoldRepetition,
    /// 50 moves by each side without a pawn move or capture (9.3).
    FiftyMoves,
}

/// A draw that the player on move may claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Why.
    pub ground: ClaimGround,
    /// The move to write down with the claim; `None` if the position on the board suffices.
    pub with_move: Option<Move>,
}
