//! Cases that rest on a proof of what can still be mated.

use tabiya_arbiter::replay::Reason;

use crate::{
    case::{Case, Want::Ends, case},
    events::*,
};

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let pawn = "8/8/8/4k3/4p3/4N3/4K3/8 b - - 0 1";
    vec![
        case(
            "proc-dead-locked",
            f,
            vec![],
            Ends(DRAW, Reason::Dead),
            &["5.2.2"],
        )
        .fen(LOCKED),
        case(
            "proc-flag-knight-v-pawn",
            f,
            vec![flag(B)],
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["6.9"],
        )
        .fen(pawn),
    ]
}
