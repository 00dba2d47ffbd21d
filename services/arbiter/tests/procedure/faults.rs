//! Faults and presses: before the press, after the reply, and late.

use tabiya_arbiter::{
    ClaimGround::FiftyMoves,
    replay::{Effect, Reason},
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// Not pressed, an illegal move that is reported is put right and costs nothing.
fn unpressed() -> Vec<Case> {
    let f = "fide-2023";
    let reported = |then: &[tabiya_arbiter::replay::Event]| {
        [&[mv(W, "e2e5"), report(B, false, true)][..], then].concat()
    };
    vec![
        case(
            "",
            f,
            reported(&[]),
            Rules(false, Reason::IllegalAttempt),
            &["7.5.1"],
        )
        .effect(Effect::Restored),
        case(
            "",
            f,
            reported(&[mv(W, "d2d4")]),
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        // The press without a move is the first fault that counts.
        case(
            "",
            f,
            reported(&[press(W)]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        case(
            "",
            f,
            vec![mv(W, "a7a8"), report(B, false, true)],
            Rules(false, Reason::PromotionUnfinished),
            &["7.5.2"],
        )
        .fen("7k/P7/8/8/8/8/8/K7 w - - 0 1")
        .effect(Effect::FinishPromotion(sq("a8"))),
    ]
}

/// A player may press after the reply, once.
fn late_presses() -> Vec<Case> {
    let f = "fide-2023";
    let late = |then: &[tabiya_arbiter::replay::Event]| {
        [&[mv(W, "e2e4"), mv(B, "e7e5"), press(W)][..], then].concat()
    };
    vec![
        case("", f, late(&[]), Rules(true, Reason::MoveCompleted), &["6.2.2"]),
        case(
            "",
            f,
            late(&[press(B)]),
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            f,
            late(&[press(W)]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3"],
        ),
        // The opponent's illegal move is no reply: the press completes the own move, or changes nothing.
        case(
            "",
            f,
            vec![mv(W, "e2e4"), mv(B, "e7e4"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        )
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), press(W), mv(B, "e7e4"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.2.1", "6.2.2"],
        ),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), press(W), mv(B, "e7e4"), press(W), press(B)],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1"],
        )
        .effect(Effect::IllegalCount {
            side: BLACK,
            count: 1,
        }),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), press(W), mv(B, "e7e4"), press(W), mv(B, "e7e5")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            "cn-classic",
            vec![mv(W, "e2e4"), mv(B, "e7e4"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.5"],
        ),
    ]
}

/// An illegal move that stands is one of the quiet moves, if no pawn moved and nothing was taken.
fn standing() -> Vec<Case> {
    let a5 = "fide-2023-rapid-a5";
    let quiet = "4k3/8/8/8/8/8/8/R3K3 w - - 98 80";
    let replied = |text| {
        vec![
            mv(W, text),
            press(W),
            mv(B, "e8d8"),
            claim(W, FiftyMoves, None, Some(3600)),
        ]
    };
    vec![
        case(
            "",
            a5,
            replied("a1b3"),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.2"],
        )
        .fen(quiet),
        case(
            "",
            a5,
            replied("a1b3"),
            Rules(false, Reason::ClaimWrong),
            &["9.5.3"],
        )
        .fen("4k3/8/8/8/8/1p6/8/R3K3 w - - 98 80"),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [unpressed(), late_presses(), standing()]
        .into_iter()
        .flatten()
        .collect()
}
