//! Sealed moves and adjourned games.

use std::time::Duration;

use tabiya_arbiter::replay::{Choice, Effect, EnvelopeItem, EventKind, GameResult, Reason};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules, Void},
        case,
    },
    events::*,
};

fn handed() -> Vec<Case> {
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
            &["14.3", "14.1"],
        )
        .effect(Effect::EnvelopeShut)
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "proc-seal-ok",
            f,
            vec![seal("Nf3", true), resume(true, 0)],
            Rules(true, Reason::Resumed),
            &["I.9.1", "I.5"],
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

fn absent() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let sealed = || seal("e2e4", true);
    let absent = || resumption(true, false, 0, 0);
    let reply = |text| seal_by(B, text, true, None);
    vec![
        case(
            "",
            f,
            vec![sealed(), absent()],
            Rules(true, Reason::SealerAbsent),
            &["I.9.1", "I.9.3", "I.5"],
        )
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "",
            cn,
            vec![sealed(), absent(), reply("e7e5")],
            Rules(true, Reason::ReplySealed),
            &["14.4"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            f,
            vec![sealed(), absent(), reply("e7e5"), late(W, 0)],
            Rules(true, Reason::Resumed),
            &["I.9.1"],
        )
        .set("late_limit_minutes", "30"),
        case(
            "",
            cn,
            vec![sealed(), absent(), reply("e7e4"), late(W, 59)],
            Ends(WHITE_WINS, Reason::SealInvalid),
            &["10.16(3)"],
        ),
        case(
            "",
            cn,
            vec![sealed(), absent(), late(W, 61)],
            Ends(BLACK_WINS, Reason::SealerTooLate),
            &["10.15"],
        ),
        case(
            "",
            cn,
            vec![sealed(), absent(), flag(B)],
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["10.14", "10.15(3)"],
        ),
        case(
            "",
            cn,
            vec![sealed(), absent(), mv(B, "e7e5")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        // Both are absent: the replier's clock runs; both too late: both lose.
        case(
            "",
            f,
            vec![sealed(), resumption(false, false, 0, 0)],
            Rules(false, Reason::EnvelopeShut),
            &["I.7", "I.11"],
        )
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "",
            cn,
            vec![sealed(), resumption(true, true, 61, 61)],
            Ends(GameResult::BothLose, Reason::BothTooLate),
            &["10.17"],
        ),
        case(
            "",
            cn,
            vec![arrival(W, 61, true, false)],
            Ends(GameResult::BothLose, Reason::BothTooLate),
            &["10.17"],
        ),
        case(
            "",
            f,
            vec![arrival(W, 1, true, false)],
            Ends(GameResult::BothLose, Reason::BothTooLate),
            &["6.7.1"],
        ),
        case(
            "",
            f,
            vec![arrival(W, 45, false, true)],
            Rules(true, Reason::LateExcused),
            &["6.7.1"],
        ),
        // The replier is too late: he loses, unless the sealed move ended the game.
        case(
            "",
            f,
            vec![sealed(), resumption(true, true, 0, 31)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["I.10"],
        )
        .set("late_limit_minutes", "30"),
        case(
            "",
            f,
            vec![seal("g6f7", true), resumption(true, true, 0, 31)],
            Ends(DRAW, Reason::Stalemate),
            &["5.2.1"],
        )
        .fen("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
        .set("late_limit_minutes", "30"),
        case(
            "",
            cn,
            vec![sealed(), resume(false, 0), late(B, 10)],
            Rules(true, Reason::Resumed),
            &["14.2"],
        ),
        case(
            "",
            cn,
            vec![sealed(), resume(false, 0), late(B, 61)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15"],
        ),
    ]
}

fn envelopes() -> Vec<Case> {
    use EnvelopeItem::{MoveNumber, Names, Offer, Position, Resumption, Sealer, Times};

    let f = "fide-2023";
    let cn = "cn-classic";
    let sealed = || seal("e2e4", true);
    let checked = |items: &[EnvelopeItem]| {
        let items = items.to_vec();
        at(ARBITER, EventKind::EnvelopeChecked { items })
    };
    let five = [Names, Position, Times, Sealer, MoveNumber];
    vec![
        case(
            "",
            cn,
            vec![sealed(), checked(&five)],
            Rules(true, Reason::EnvelopeComplete),
            &["13.2", "13.3"],
        ),
        case(
            "",
            f,
            vec![sealed(), checked(&five)],
            Rules(false, Reason::EnvelopeIncomplete),
            &["I.2", "I.3"],
        )
        .effect(Effect::CompleteEnvelope(vec![Resumption])),
        case(
            "",
            f,
            vec![sealed(), offer(B), checked(&five)],
            Rules(false, Reason::EnvelopeIncomplete),
            &["I.2"],
        )
        .told(1, &["I.4"])
        .effect(Effect::CompleteEnvelope(vec![Offer, Resumption])),
        case(
            "",
            cn,
            vec![sealed(), offer(W)],
            Rules(true, Reason::OfferDeferred),
            &["10.9"],
        )
        .effect(Effect::AnswerMayWait),
        case(
            "",
            f,
            vec![sealed(), offer(B), answer(W, true)],
            Ends(DRAW, Reason::Agreed),
            &["I.6"],
        )
        .moves("d2d4 d7d5"),
        case(
            "",
            f,
            vec![sealed(), resign(B)],
            Ends(WHITE_WINS, Reason::Resigned),
            &["I.6"],
        ),
        case(
            "",
            f,
            vec![seal_by(W, "e2e4", true, Some(20))],
            Rules(true, Reason::Sealed),
            &["I.1.2"],
        )
        .effect(Effect::UsedTimeAdded {
            side: WHITE,
            time: Duration::from_secs(1200),
        }),
        case(
            "",
            cn,
            vec![seal_by(W, "e2e4", true, Some(20))],
            Rules(true, Reason::Sealed),
            &["13.1(2)"],
        )
        .effect(Effect::ClocksPaused),
        case(
            "",
            f,
            vec![sealed(), envelope_lost(Some(true), false)],
            Rules(true, Reason::EnvelopeResumes),
            &["I.12"],
        )
        .effect(Effect::Option(Choice::SetClocks)),
        case(
            "",
            cn,
            vec![sealed(), envelope_lost(Some(true), false)],
            Rules(true, Reason::EnvelopeResumes),
            &["14.5(3)"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            cn,
            vec![sealed(), envelope_lost(None, true)],
            Rules(false, Reason::MissingFact),
            &["14.5(1)"],
        ),
        case(
            "",
            cn,
            vec![seal("??", true), resume(true, 0)],
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["10.16(2)"],
        ),
        case(
            "",
            f,
            vec![seal("Nd2", true), resume(true, 0)],
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["I.8.1"],
        )
        .fen("4k3/7p/8/8/8/8/4K3/1N3N2 w - - 0 1"),
        case(
            "",
            cn,
            vec![seal("马f3", true), resume(true, 0)],
            Rules(true, Reason::Resumed),
            &["14.2"],
        ),
        case("", "popular", vec![sealed()], Rules(false, Reason::Unstated), &[]),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [handed(), absent(), envelopes()].into_iter().flatten().collect()
}
