//! Flags, late players, resignations, conduct.

use std::time::Duration;

use tabiya_arbiter::replay::{Breach, Choice, Effect, GameResult, Reason};

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
    let eve = "f2f3 e7e5 g2g4";
    vec![
        case(
            "proc-flag-after-agreement-cn",
            "cn-classic",
            vec![mv(W, "e2e4"), offer(W), answer(B, true), flag(W)],
            Ends(DRAW, Reason::Agreed),
            &["12.7"],
        ),
        case(
            "proc-flag-after-mate",
            f,
            vec![mv(B, "d8h4"), flag(B)],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1", "6.2.1.1"],
        )
        .moves(eve),
        case(
            "proc-flag-bare-king",
            f,
            vec![flag(W)],
            Ends(DRAW, Reason::FlagDraw),
            &["6.9"],
        )
        .fen(ROOK),
        case(
            "proc-flag-bare-king-cn",
            "cn-classic",
            vec![flag(W)],
            Ends(DRAW, Reason::FlagDraw),
            &["10.14", "10.5"],
        )
        .fen(ROOK),
        case(
            "proc-flag-before-move-released",
            f,
            vec![flag(B), mv(B, "a2a1")],
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["6.9", "6.8"],
        )
        .fen("6k1/5ppp/8/8/8/8/q4PPP/R5K1 b - - 0 1"),
        case(
            "proc-flag-both-not-last",
            f,
            vec![both_flags(false)],
            Rules(false, Reason::FlagsContinue),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            f,
            vec![both_flags(true)],
            Ends(DRAW, Reason::FlagsDraw),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            f,
            vec![flag(None)],
            Rules(false, Reason::MissingFact),
            &["III.3.1"],
        )
        .set("guideline_iii", "true"),
        case(
            "proc-flag-fivefold-first",
            f,
            vec![mv(B, "f6g8"), flag(W)],
            Ends(DRAW, Reason::Repetition),
            &["9.6.1"],
        )
        .moves(&(SHUFFLE.repeat(3) + "g1f3 g8f6 f3g1")),
        case(
            "proc-flag-move-not-pressed",
            f,
            vec![mv(W, "g2g4"), flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.9", "6.2.1"],
        )
        .moves("f2f3 e7e5"),
        case(
            "proc-flag-move-not-pressed-cn",
            "cn-classic",
            vec![mv(W, "e2e4"), flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["10.14", "6.5"],
        ),
        case(
            "proc-flag-normal",
            f,
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.9"],
        ),
        case(
            "proc-flag-platform-late",
            "online-platform",
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["time", "rounds"],
        )
        .moves(&rounds(6)),
        case(
            "",
            "online-platform",
            vec![flag(W)],
            Void(Reason::FlagVoid),
            &["time", "rounds"],
        )
        .moves(&rounds(5)),
        case(
            "proc-late-both-fide",
            f,
            vec![arrival(W, 10, true, false), late(B, 15)],
            Rules(true, Reason::InTime),
            &["6.7.1"],
        )
        .told(0, &["6.7.2"])
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            time: Duration::from_secs(600),
        }),
        case(
            "",
            f,
            vec![arrival(W, 10, true, false)],
            Rules(true, Reason::WhiteWaits),
            &["6.7.2"],
        )
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            time: Duration::from_secs(600),
        }),
        case(
            "proc-late-cn-59",
            "cn-classic",
            vec![late(B, 59)],
            Rules(true, Reason::InTime),
            &["10.15"],
        ),
        case(
            "proc-late-cn-61",
            "cn-classic",
            vec![late(B, 61)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15"],
        ),
        case(
            "",
            "cn-domestic",
            vec![late(B, 16)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15", "preface"],
        ),
        case(
            "proc-late-fide-30",
            f,
            vec![late(B, 0), late(W, 20)],
            Rules(true, Reason::InTime),
            &["6.7.1"],
        )
        .set("late_limit_minutes", "30")
        .effect(Effect::TimeLost {
            side: WHITE,
            time: Duration::from_secs(1200),
        }),
        case(
            "proc-resign-bare-cn",
            "cn-classic",
            vec![resign(W)],
            Ends(DRAW, Reason::ResignedDraw),
            &["10.5", "10.2"],
        )
        .fen(ROOK),
        case(
            "proc-resign-normal",
            f,
            vec![resign(W)],
            Ends(BLACK_WINS, Reason::Resigned),
            &["5.1.2"],
        ),
        case(
            "proc-resign-platform-early",
            "online-platform",
            vec![resign(W)],
            Rules(false, Reason::ResignedEarly),
            &["resignation"],
        )
        .moves(&rounds(14)),
        case(
            "proc-score",
            f,
            vec![mv(W, "a1a8")],
            Ends(WHITE_WINS, Reason::Mate),
            &[],
        )
        .fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
        case(
            "proc-score-both-lost",
            "cn-classic",
            vec![breach(ARBITER, Breach::BothRefuse)],
            Ends(GameResult::BothLose, Reason::BothRefuse),
            &["10.17"],
        ),
        case(
            "proc-refuse-both",
            f,
            vec![breach(ARBITER, Breach::BothRefuse)],
            Ends(GameResult::BothLose, Reason::BothRefuse),
            &["11.8"],
        ),
        case(
            "proc-device",
            f,
            vec![breach(W, Breach::DeviceOnPlayer)],
            Ends(BLACK_WINS, Reason::Device),
            &["11.3.2.2"],
        ),
        case(
            "proc-penalty-list-cn",
            "cn-classic",
            vec![breach(W, Breach::Other)],
            Rules(true, Reason::Breach),
            &["16.5"],
        )
        .effect(Effect::Option(Choice::Warning))
        .effect(Effect::Option(Choice::TakeOwnTime))
        .effect(Effect::Option(Choice::AddOpponentTime))
        .effect(Effect::Option(Choice::Loss)),
    ]
}
