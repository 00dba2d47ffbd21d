//! Draws: agreed, offered, claimed, automatic.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Effect, EventKind, Reason, Right},
};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

fn handed() -> Vec<Case> {
    let f = "fide-2023";
    let perpetual = "b2b1 g1h2 b1b8 h2g1 ".to_owned() + &"b8b1 g1h2 b1b8 h2g1 ".repeat(4);
    let four = "g1h1 h8g7 h1g1 g7h8 ".repeat(4);
    let thirty = format!(
        "{four}b2b3 b7b6 {four}b3b4 b6b5 {four}c2c3 c7c6 {}g1h1 h8g7 h1g1",
        "g1h1 h8g7 h1g1 g7h8 ".repeat(2)
    );
    vec![
        case(
            "proc-agree-normal",
            f,
            vec![mv(W, "g1f3"), offer(W), answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves("e2e4 e7e5"),
        case(
            "proc-agree-too-early",
            f,
            vec![mv(W, "e2e4"), offer(W), answer(B, true)],
            Rules(false, Reason::AgreedEarly),
            &["5.2.3"],
        ),
        case(
            "proc-auto-3-popular",
            "popular",
            vec![mv(B, "f6g8")],
            Ends(DRAW, Reason::Repetition),
            &["repetition"],
        )
        .moves(&(SHUFFLE.to_owned() + "g1f3 g8f6 f3g1")),
        case(
            "proc-auto-50-popular",
            "popular",
            vec![mv(W, "e1e2")],
            Ends(DRAW, Reason::Quiet),
            &["quiet"],
        )
        .set("popular_source", "001")
        .fen(&format!("{FIFTY_ROOKS}99 90")),
        case(
            "",
            "popular",
            vec![mv(W, "e1e2")],
            Ends(DRAW, Reason::Quiet),
            &["quiet"],
        )
        .fen(&format!("{FIFTY_ROOKS}59 90")),
        case(
            "proc-auto-75-mate",
            f,
            vec![mv(W, "a1a8")],
            Ends(WHITE_WINS, Reason::Mate),
            &["5.1.1", "9.6.2"],
        )
        .fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 90"),
        case(
            "proc-both-kings-in-check-rapid",
            "fide-2023-rapid-a5",
            vec![
                mv(W, "a1g1"),
                press(W),
                at(ARBITER, EventKind::IllegalPosition),
                mv(B, "e8e7"),
                press(B),
            ],
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4"],
        )
        .fen("4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1"),
        case(
            "proc-check-10-platform",
            "online-platform",
            vec![],
            Ends(DRAW, Reason::ChecksInARow),
            &["checks"],
        )
        .fen("6k1/6p1/7p/8/8/8/1q4P1/6K1 b - - 0 1")
        .moves(&perpetual),
        case(
            "proc-check-30-platform",
            "online-platform",
            vec![],
            Ends(DRAW, Reason::ChecksInTotal),
            &["checks"],
        )
        .fen("7k/1pp5/8/8/8/8/1PP5/K5R1 w - - 0 1")
        .moves(&thirty),
        case(
            "proc-claim-3-intended",
            f,
            vec![claim(B, ThreefoldRepetition, Some("f6g8"), None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.1", "9.5.2", "11.12"],
        )
        .moves(&(SHUFFLE.to_owned() + "g1f3 g8f6 f3g1")),
        case(
            "proc-claim-3-not-on-move",
            f,
            vec![claim(B, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimNotOnMove),
            &["9.2"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-ok-cn",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, None, None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.10(2)"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-touched",
            f,
            vec![touch(W, "g1", false), claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimTouched),
            &["9.4"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case(
            "proc-claim-3-wrong",
            f,
            vec![claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3"],
        )
        .moves(SHUFFLE)
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(120),
        }),
        case(
            "proc-claim-3-wrong-rapid",
            "fide-2023-rapid-a4",
            vec![claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3", "A.3"],
        )
        .moves(SHUFFLE)
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(60),
        }),
        case(
            "proc-claim-50-extended-cn",
            "cn-classic",
            vec![claim(W, FiftyMoves, None, Some(3600))],
            Rules(false, Reason::ClaimWrong),
            &["10.12"],
        )
        .set("listed_endings", "KR-KR:75")
        .fen(&format!("{FIFTY_ROOKS}120 90")),
        case(
            "proc-claim-50-ok",
            f,
            vec![claim(W, FiftyMoves, None, None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.2"],
        )
        .fen(&format!("{FIFTY_ROOKS}100 90")),
        case(
            "proc-claim-withdraw",
            f,
            vec![
                claim(W, ThreefoldRepetition, None, None),
                at(W, EventKind::Withdrawal),
            ],
            Rules(false, Reason::ClaimStands),
            &["9.5.1"],
        ),
        case(
            "proc-claim-wrong-cn",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, Some("e2e4"), Some(301))],
            Rules(false, Reason::ClaimWrong),
            &["10.13(2)"],
        )
        .effect(Effect::UsedTimeAdded {
            side: WHITE,
            time: Duration::from_secs(300),
        })
        .effect(moves(START, "e2e4")),
        case(
            "proc-claim-wrong-cn-flag",
            "cn-classic",
            vec![claim(W, ThreefoldRepetition, None, Some(300))],
            Ends(BLACK_WINS, Reason::ClaimWrongLoses),
            &["10.13(2)"],
        ),
        case(
            "proc-claim-wrong-intended-illegal",
            f,
            vec![claim(W, ThreefoldRepetition, Some("e2e5"), None)],
            Rules(false, Reason::ClaimIllegalMove),
            &["9.5.3"],
        )
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(120),
        })
        .effect(moves(START, "e2e3 e2e4")),
        case(
            "proc-offer-alternate-popular",
            "popular",
            vec![offer(W), answer(B, false), offer(B), answer(W, false), offer(W)],
            Rules(true, Reason::OfferUnstated),
            &["offers"],
        ),
        case(
            "",
            "popular",
            vec![offer(W), answer(B, false), offer(W)],
            Rules(false, Reason::OfferAlternate),
            &["offers"],
        ),
        case(
            "proc-offer-before-move-cn",
            "cn-classic",
            vec![offer(W)],
            Rules(true, Reason::OfferDeferred),
            &["10.9"],
        )
        .effect(Effect::AnswerMayWait),
        case(
            "proc-offer-on-opponent-time",
            f,
            vec![offer(B)],
            Rules(true, Reason::OfferUnusual),
            &["9.1.2.1", "11.5"],
        )
        .effect(Effect::MayBePenalised { side: BLACK }),
        case(
            "proc-offer-platform-early",
            "online-platform",
            vec![offer(W)],
            Rules(false, Reason::OfferEarly),
            &["offers"],
        )
        .moves(&rounds(15)),
        case(
            "",
            "online-platform",
            vec![offer(W)],
            Rules(true, Reason::OfferMade),
            &["offers"],
        )
        .moves(&rounds(16)),
        case(
            "proc-offer-platform-fourth",
            "online-platform",
            vec![
                offer(W),
                answer(B, false),
                offer(W),
                answer(B, false),
                offer(W),
                answer(B, false),
                offer(W),
            ],
            Rules(false, Reason::OfferLimit),
            &["offers"],
        )
        .moves(&rounds(20)),
        case(
            "proc-offer-withdraw",
            f,
            vec![mv(W, "e2e4"), offer(W), at(W, EventKind::Withdrawal)],
            Rules(false, Reason::OfferStands),
            &["9.1.2.1"],
        ),
        case(
            "proc-dead-auto",
            f,
            vec![mv(W, "e2d3")],
            Ends(DRAW, Reason::Dead),
            &["5.2.2"],
        )
        .fen("8/8/4k3/8/8/3p4/4B3/4K3 w - - 0 1"),
        case("proc-dead-locked-cn", "cn-classic", vec![], GoesOn, &[]).fen(LOCKED),
        case(
            "proc-kbk-cn",
            "cn-classic",
            vec![],
            Ends(DRAW, Reason::Dead),
            &["10.4"],
        )
        .fen("8/8/4k3/8/2B5/3K4/8/8 b - - 0 1"),
        case("proc-kk-platform", "online-platform", vec![], GoesOn, &[]).fen("8/8/4k3/8/8/3K4/8/8 w - - 0 1"),
        case("proc-knn-fide", f, vec![], GoesOn, &[]).fen("8/8/4k3/8/2NN4/3K4/8/8 b - - 0 1"),
        case("", "popular", vec![], Ends(DRAW, Reason::LineUp), &["material"])
            .fen("8/8/4k3/8/2NN4/3K4/8/8 b - - 0 1"),
    ]
}

fn switches() -> Vec<Case> {
    let f = "fide-2023";
    let consented = |consent| offer_with(W, consent);
    let display = at(
        W,
        EventKind::Claim {
            ground: ThreefoldRepetition,
            with_move: None,
            remaining: None,
            display_only: true,
        },
    );
    // Black has to complete the 75th move: no mate can ever be played.
    let forced = "7k/8/2R3K1/8/8/8/8/8 b - - 149 100";
    let mates = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90";
    vec![
        case(
            "",
            f,
            vec![mv(W, "e2e4"), offer(W)],
            Rules(false, Reason::OfferConsent),
            &["9.1.1"],
        )
        .set("offers_need_consent", "true"),
        case(
            "",
            f,
            vec![consented(Some(true))],
            Rules(true, Reason::OfferUnusual),
            &["9.1.2.1"],
        )
        .set("offers_need_consent", "true"),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), press(W), mv(B, "e7e5"), offer(B), answer(W, true)],
            Rules(false, Reason::AgreedEarly),
            &["9.1.1"],
        )
        .set("agreement_moves", "30"),
        case(
            "",
            f,
            vec![display],
            Rules(false, Reason::ClaimDisplays),
            &["6.12.2"],
        )
        .moves(&SHUFFLE.repeat(2)),
        case("", f, vec![], GoesOn, &[]).fen(forced),
        case("", f, vec![flag(B)], Ends(WHITE_WINS, Reason::FlagLoss), &["6.9"]).fen(forced),
        case("", f, vec![], Ends(DRAW, Reason::Dead), &["5.2.2"])
            .fen(forced)
            .set("unwinnable_by_count", "true"),
        case(
            "",
            f,
            vec![claim(W, FiftyMoves, Some("a1a8"), None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.1"],
        )
        .fen(mates),
        case(
            "",
            f,
            vec![claim(W, FiftyMoves, Some("Ra8#"), None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3"],
        )
        .fen(mates)
        .set("announced_mate_claims", "false"),
        case(
            "",
            f,
            vec![claim(B, ThreefoldRepetition, Some("马g8"), None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.1"],
        )
        .moves(&(SHUFFLE.to_owned() + "g1f3 g8f6 f3g1")),
        case(
            "",
            f,
            vec![claim(W, ThreefoldRepetition, Some("g1g3"), None)],
            Rules(false, Reason::ClaimIllegalMove),
            &["9.5.3", "3.6"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        // The listed ending has its own count; another keeps 50.
        case(
            "",
            "cn-classic",
            vec![claim(W, FiftyMoves, None, Some(3600))],
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.12"],
        )
        .set("listed_endings", "KRB-KR:75")
        .fen(&format!("{FIFTY_ROOKS}120 90")),
        case(
            "",
            "popular",
            vec![offer(W), answer(B, false)],
            Rules(true, Reason::OfferRefused),
            &["offers"],
        )
        .effect(Effect::RightLost {
            side: WHITE,
            right: Right::Offer,
        }),
        case(
            "",
            "popular",
            vec![offer(W), answer(B, false), offer(B), answer(W, false)],
            Rules(true, Reason::OfferRefused),
            &["offers"],
        )
        .effect(Effect::RightRegained {
            side: WHITE,
            right: Right::Offer,
        }),
        case(
            "",
            "club",
            vec![offer(W), answer(B, false), offer(B)],
            Rules(true, Reason::OfferUnstated),
            &["offers"],
        )
        .effect(Effect::RightRegained {
            side: WHITE,
            right: Right::Offer,
        }),
        // The round in progress, as the other reading counts it.
        case(
            "",
            "online-platform",
            vec![resign(B)],
            Rules(false, Reason::ResignedEarly),
            &["resignation"],
        )
        .moves(&(rounds(14) + " g1f3")),
        case(
            "",
            "online-platform",
            vec![resign(B)],
            Ends(WHITE_WINS, Reason::Resigned),
            &["resignation"],
        )
        .moves(&(rounds(14) + " g1f3"))
        .set("rounds_in_progress", "true"),
        // Repetition "two times or more", by the other reading.
        case(
            "",
            "popular",
            vec![mv(B, "f6g8")],
            Ends(DRAW, Reason::Repetition),
            &["repetition"],
        )
        .moves("g1f3 g8f6 f3g1")
        .set("automatic_repetition", "2"),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [handed(), switches()].into_iter().flatten().collect()
}
