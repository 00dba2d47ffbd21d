//! Sealed moves and adjourned games.

use tabiya_arbiter::replay::{Effect, Reason};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules, Void},
        case,
    },
    events::*,
};

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let stalemate = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    vec![
        case(
            "proc-seal-ambiguous",
            f,
            vec![seal("Nd2", true), resume(true, 0)],
            Ends(DRAW, Reason::SealInvalidDraw),
            &["I.8.1"],
        )
        .fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1"),
        case(
            "proc-seal-change-cn",
            cn,
            vec![seal("e2e4", false), seal("d2d4", false)],
            Rules(true, Reason::SealChanged),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-change-late-cn",
            cn,
            vec![seal("e2e4", true), seal("d2d4", false)],
            Rules(false, Reason::SealLate),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-draw-agreed-invalid-cn",
            cn,
            vec![seal("Qh8", true), offer(W), answer(B, true), resume(true, 0)],
            Ends(DRAW, Reason::Agreed),
            &["14.2(1)"],
        ),
        case(
            "proc-seal-illegal-bare-king-cn",
            cn,
            vec![seal("h1g3", true), resume(true, 0)],
            Ends(DRAW, Reason::SealInvalidDraw),
            &["10.16", "10.5"],
        )
        .fen(ROOK),
        case(
            "",
            cn,
            vec![seal("h1g3", true), resume(true, 0)],
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["10.16"],
        ),
        case(
            "proc-seal-lost-all-cn",
            cn,
            vec![seal("e2e4", true), envelope_lost(Some(false), true)],
            Void(Reason::EnvelopeAnnuls),
            &["14.5(2)"],
        ),
        case(
            "proc-seal-mate-late-sealer-cn",
            cn,
            vec![seal("a1a8", true), resume(true, 61)],
            Ends(WHITE_WINS, Reason::Mate),
            &["10.15(1)"],
        )
        .fen(mate),
        case(
            "",
            cn,
            vec![seal("a1a7", true), resume(true, 61)],
            Ends(BLACK_WINS, Reason::SealerTooLate),
            &["10.15"],
        )
        .fen(mate),
        case(
            "proc-seal-non-sealer-absent-cn",
            cn,
            vec![seal("e2e4", true), resume(false, 0)],
            Rules(false, Reason::EnvelopeShut),
            &["14.3"],
        )
        .effect(Effect::EnvelopeShut)
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "proc-seal-ok",
            f,
            vec![seal("Nf3", true), resume(true, 0)],
            Rules(true, Reason::Resumed),
            &["I.9.1"],
        ),
        case(
            "proc-seal-played-on-board-cn",
            cn,
            vec![mv(W, "e2e4"), seal("d2d4", true)],
            Rules(false, Reason::SealMustMatch),
            &["13.1(1)"],
        ),
        case(
            "proc-seal-stalemate-late-cn",
            cn,
            vec![seal("g6f7", true), resume(true, 61)],
            Ends(DRAW, Reason::Stalemate),
            &["10.15(2)"],
        )
        .fen(stalemate),
    ]
}
