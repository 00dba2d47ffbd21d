//! Moves made with two hands: moves until the clock is pressed, and illegal ones after it.

use std::time::Duration;

use tabiya_arbiter::replay::{Effect, Event, Reason};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const CASTLE: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
const MATE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

/// By 5.1.1 and 5.2.1 a move ends the game if it kept to 3 and 4.2 to 4.7: one hand is 4.1.
fn ending() -> Vec<Case> {
    let stalemate = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    let dead = "8/8/4k3/8/8/3p4/4B3/4K3 w - - 0 1";
    let ends = |ruleset, text, end, articles| case("", ruleset, vec![two_hands(W, text)], end, articles);
    vec![
        ends(F, "a1a8", Ends(WHITE_WINS, Reason::Mate), &["5.1.1"]).fen(MATE),
        ends(A5, "a1a8", Ends(WHITE_WINS, Reason::Mate), &["5.1.1"]).fen(MATE),
        ends(F, "g6f7", Ends(DRAW, Reason::Stalemate), &["5.2.1"]).fen(stalemate),
        ends(F, "e2d3", Ends(DRAW, Reason::Dead), &["5.2.2"]).fen(dead),
        case(
            "",
            F,
            vec![two_hands(W, "a1a8"), press(W)],
            Ends(WHITE_WINS, Reason::Mate),
            &["5.1.1"],
        )
        .fen(MATE),
        // An illegal move mates nobody.
        case(
            "",
            F,
            vec![two_hands(W, "a1b8"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["3.3", "7.5.1"],
        )
        .fen(MATE),
    ]
}

/// The move is made: the opponent has the move, and a press that comes after his reply completes it.
fn unpressed() -> Vec<Case> {
    let made = |then: &[Event]| [&[two_hands(W, "e2e4")][..], then].concat();
    vec![
        case("", F, made(&[]), Rules(true, Reason::TwoHands), &["4.1", "7.5.4"]),
        case("", F, made(&[mv(B, "e7e5")]), Rules(true, Reason::MoveMade), &[]),
        case(
            "",
            F,
            made(&[mv(B, "e7e5"), press(W)]),
            Rules(true, Reason::MoveCompleted),
            &["6.2.1", "6.2.2"],
        ),
        // Not pressed it is no illegal move, and nothing is restored.
        case(
            "",
            F,
            made(&[report(B, false, true)]),
            Rules(false, Reason::TwoHands),
            &["7.5.4"],
        ),
        case(
            "",
            F,
            made(&[report(B, false, true), mv(B, "e7e5")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            F,
            made(&[mv(W, "d2d4")]),
            Rules(false, Reason::NotOnMove),
            &["1.3"],
        ),
        // Where no article speaks of hands, it is a move like any other.
        case(
            "",
            "cn-classic",
            vec![two_hands(W, "e2e4"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.5"],
        ),
    ]
}

/// Pressed, it is restored, and 4.7 binds the move that replaces it: what was released stays.
fn pressed() -> Vec<Case> {
    let pressed = |then: &[Event]| [&[two_hands(W, "e2e4"), press(W)][..], then].concat();
    let binds = || Rules(false, Reason::TouchBinds);
    vec![
        case(
            "",
            F,
            pressed(&[]),
            Rules(false, Reason::TwoHands),
            &["7.5.4", "7.5.1", "4.7"],
        )
        .effect(Effect::Restored)
        .effect(moves(START, "e2e4"))
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(120),
        }),
        case("", F, pressed(&[mv(W, "d2d4")]), binds(), &["4.7"]),
        case("", F, pressed(&[mv(W, "e2e3")]), binds(), &["4.7"]),
        case(
            "",
            F,
            pressed(&[mv(W, "e2e4")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            F,
            pressed(&[mv(B, "e7e5")]),
            Rules(false, Reason::NotOnMove),
            &["1.3"],
        ),
        case(
            "",
            F,
            pressed(&[two_hands(W, "e2e4"), press(W)]),
            Ends(BLACK_WINS, Reason::IllegalLoses),
            &["7.5.5"],
        ),
        case(
            "",
            F,
            vec![two_hands(W, "e1g1"), press(W)],
            Rules(false, Reason::TwoHands),
            &["7.5.4"],
        )
        .fen(CASTLE)
        .effect(moves(CASTLE, "e1g1")),
        // The same for a move that breaks article 3, by what was touched.
        case(
            "",
            F,
            vec![two_hands(W, "g1g3"), press(W), mv(W, "e2e4")],
            binds(),
            &["4.3.1", "7.5.1"],
        ),
        case(
            "",
            F,
            vec![mv(W, "g1g3"), press(W), mv(W, "e2e4")],
            binds(),
            &["4.3.1", "7.5.1"],
        ),
        case(
            "",
            F,
            vec![mv(W, "g1g3"), press(W), mv(W, "g1f3")],
            Rules(true, Reason::MoveMade),
            &["7.5.1"],
        ),
        // Both colours touched: the capture is illegal, so the first that can move or be captured.
        case(
            "",
            F,
            vec![mv(W, "b1d5"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1"],
        )
        .fen(CENTRE)
        .effect(exactly(CENTRE, "b1a3 b1c3")),
    ]
}

/// Without enough arbiters it waits for a claim, as every illegal move does.
fn waiting() -> Vec<Case> {
    let pressed = |then: &[Event]| [&[two_hands(W, "e2e4"), press(W)][..], then].concat();
    vec![
        case(
            "",
            A5,
            pressed(&[]),
            Rules(false, Reason::IllegalWaits),
            &["7.5.4", "A.5.2"],
        ),
        case(
            "",
            A5,
            pressed(&[report(B, false, true)]),
            Rules(false, Reason::TwoHands),
            &["7.5.4", "4.7", "A.3"],
        )
        .effect(Effect::Restored)
        .effect(moves(START, "e2e4"))
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(60),
        }),
        case(
            "",
            A5,
            pressed(&[mv(B, "e7e5")]),
            Rules(true, Reason::IllegalStands),
            &["A.5.2"],
        ),
        case(
            "",
            A5,
            pressed(&[mv(B, "e7e5"), press(B), report(B, false, true)]),
            Rules(false, Reason::IllegalStands),
            &["A.5.2"],
        ),
        case(
            "",
            A5,
            pressed(&[mv(B, "e7e5"), press(B), mv(W, "g1f3")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [ending(), unpressed(), pressed(), waiting()]
        .into_iter()
        .flatten()
        .collect()
}
