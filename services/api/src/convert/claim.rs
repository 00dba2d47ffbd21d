use tabiya_arbiter::ClaimGround;

use crate::v1;

/// Why a draw may be claimed, as the wire names it.
pub(super) fn ground_message(ground: ClaimGround) -> v1::ClaimGround {
    match ground {
        ClaimGround::ThreefoldRepetition => v1::ClaimGround::ThreefoldRepetition,
        ClaimGround::FiftyMoves => v1::ClaimGround::FiftyMoves,
    }
}
