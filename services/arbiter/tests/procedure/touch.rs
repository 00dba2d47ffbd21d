//! Touched and released pieces.

use tabiya_arbiter::replay::{Effect, Reason};

use crate::{
    case::{Case, Want::Rules, case},
    events::*,
};

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let castle = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    vec![
        case(
            "proc-touch-adjust-not-on-move",
            f,
            vec![adjust(B, "g8", None)],
            Rules(false, Reason::AdjustNotOnMove),
            &["4.2.1", "6.2.5"],
        ),
        case(
            "proc-touch-both-illegal",
            f,
            vec![touch(W, "b1 d5", false)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-claim-late",
            f,
            vec![complaint(W, true, "", None)],
            Rules(false, Reason::ComplaintLate),
            &["4.8"],
        ),
        case(
            "proc-touch-enemy",
            f,
            vec![touch(W, "d5", false)],
            Rules(true, Reason::TouchedEnemy),
            &["4.3.2"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "e4d5")),
        case(
            "proc-touch-king-rook-illegal",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastleIllegal),
            &["4.4.3"],
        )
        .fen(castle),
        case(
            "proc-touch-order-unclear",
            f,
            vec![touch(W, "d5 b1", true)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-own",
            f,
            vec![touch(W, "g1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            f,
            vec![touch(W, "g1", false), mv(W, "e2e4")],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case(
            "proc-touch-own-immobile",
            f,
            vec![touch(W, "a1", false)],
            Rules(true, Reason::TouchedFree),
            &["4.5"],
        )
        .effect(Effect::Free),
        case(
            "proc-touch-rook-king-cn",
            cn,
            vec![touch(W, "h1 e1", false)],
            Rules(true, Reason::TouchedRookFirst),
            &["5.1(3)"],
        )
        .fen(rook),
        case(
            "",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(rook)
        .effect(moves(rook, "e1g1")),
        case(
            "proc-not-released-intl",
            f,
            vec![release(W, "g1", "f3", false)],
            Rules(true, Reason::NotReleased),
            &["4.7"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            "cn-domestic",
            vec![release(W, "g1", "f3", false)],
            Rules(true, Reason::Released),
            &["preface"],
        )
        .effect(moves(START, "g1f3")),
    ]
}
