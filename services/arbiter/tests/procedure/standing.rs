//! Rapid and blitz without enough arbiters: faults that wait for a claim, and illegal moves that stand.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Effect, Event, EventKind, Reason, replay},
};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// White's pawn is a step from its last rank; his king cannot be attacked at once.
const PAWN: &str = "1r5k/P7/8/8/8/8/8/6K1 w - - 0 1";
const BARE: &str = "7k/P7/8/8/8/8/8/6K1 w - - 0 1";
/// White is in check from e8.
const CHECKED: &str = "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1";

fn agreed() -> Event {
    at(
        ARBITER,
        EventKind::IllegalMoveReport {
            after_signature: false,
            position_known: true,
            times_known: true,
            both_agree: true,
            moves_before: None,
            side: None,
        },
    )
}

fn noted() -> Event {
    at(ARBITER, EventKind::IllegalPosition)
}

fn added(side: tabiya_rules::Color) -> Effect {
    Effect::TimeAdded {
        side,
        time: Duration::from_secs(60),
    }
}

/// A pawn left on its last rank and an empty press wait for a claim too, where nobody watches.
fn waiting() -> Vec<Case> {
    let left = |then: &[Event]| [&[mv(W, "a7a8"), press(W)][..], then].concat();
    let empty = |then: &[Event]| [&[press(W)][..], then].concat();
    let waits = || Rules(false, Reason::IllegalWaits);
    let stands = || Rules(true, Reason::IllegalStands);
    let made = || Rules(true, Reason::MoveMade);
    vec![
        case("", A5, left(&[]), waits(), &["7.5.2", "A.5.2"]).fen(PAWN),
        case("", B3, left(&[]), waits(), &["7.5.2", "A.5.2", "B.3"]).fen(PAWN),
        case("", A5, empty(&[]), waits(), &["7.5.3", "A.5.2"]).effect(Effect::ClockRuns { side: BLACK }),
        case("", B3, empty(&[]), waits(), &["7.5.3", "B.3"]),
        // With enough arbiters the rules of competition hold in full.
        case(
            "",
            A4,
            left(&[]),
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "A.3"],
        )
        .fen(PAWN)
        // The queen stands, and the other clock runs.
        .effect(Effect::ClockRuns { side: BLACK }),
        case("", B2, left(&[]), Rules(false, Reason::PromotionLeft), &["7.5.2"]).fen(PAWN),
        case(
            "",
            A4,
            empty(&[]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3", "A.3"],
        ),
        case(
            "",
            B2,
            empty(&[]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3"],
        ),
        // Claimed by the opponent, or seen by the arbiter, before the reply.
        case(
            "",
            A5,
            left(&[report(B, false, true)]),
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "7.5.5", "A.3"],
        )
        .fen(PAWN)
        .effect(Effect::BecomesQueen(sq("a8")))
        .effect(added(BLACK)),
        case(
            "",
            B3,
            left(&[report(ARBITER, false, true)]),
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "B.3"],
        )
        .fen(PAWN)
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        // The pawn is a queen, and Black is to move.
        case(
            "",
            A5,
            left(&[report(B, false, true), mv(B, "b8a8")]),
            made(),
            &[],
        )
        .fen(PAWN),
        case(
            "",
            A5,
            empty(&[report(B, false, true)]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3", "7.5.5"],
        )
        .effect(added(BLACK))
        .effect(Effect::Restored)
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            A5,
            empty(&[report(B, false, true), mv(W, "e2e4")]),
            made(),
            &[],
        ),
        // After the reply it stands: White has passed, or has a pawn on a8.
        case("", A5, empty(&[mv(B, "e7e5")]), stands(), &["A.5.2"]),
        case(
            "",
            A5,
            empty(&[mv(B, "e7e5"), press(B), mv(W, "e2e4")]),
            made(),
            &[],
        ),
        case(
            "",
            A5,
            empty(&[mv(B, "e7e5"), report(B, false, true)]),
            Rules(false, Reason::IllegalStands),
            &["A.5.2"],
        ),
        // A release replies as well as a move does (4.7): what stood before it stands.
        case(
            "",
            A5,
            vec![
                mv(W, "e2e5"),
                press(W),
                release(B, "b8", "c6", true),
                mv(W, "g1f3"),
                report(B, false, false),
            ],
            Rules(false, Reason::IllegalStands),
            &["A.5.2"],
        ),
        case("", A5, left(&[mv(B, "h8g7")]), stands(), &["A.5.2"]).fen(PAWN),
        case("", A5, left(&[mv(B, "Kg7"), press(B), mv(W, "Kf2")]), made(), &[]).fen(PAWN),
        // The pawn attacks nothing and may be taken; then play goes on as on any board.
        case("", A5, left(&[mv(B, "b8a8")]), stands(), &["A.5.2"]).fen(PAWN),
        case(
            "",
            A5,
            left(&[mv(B, "Rxa8"), press(B), touch(W, "g1", false)]),
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .fen(PAWN)
        .effect(exactly(
            "r6k/8/8/8/8/8/8/6K1 w - - 0 2",
            "g1f1 g1f2 g1g2 g1h1 g1h2",
        )),
        // While it waits, the opponent has the move.
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), press(W), touch(B, "d7", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        ),
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), press(W), mv(W, "e2e4")],
            Rules(false, Reason::NotOnMove),
            &["1.3"],
        ),
        // An illegal reply is one only once it is pressed; until then the first may be claimed.
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), press(W), mv(B, "e7e4"), report(B, false, true)],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1"],
        )
        .effect(added(BLACK)),
        case(
            "",
            A5,
            vec![
                mv(W, "e2e5"),
                press(W),
                mv(B, "d7d4"),
                press(B),
                report(W, false, true),
            ],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1"],
        )
        .effect(added(WHITE))
        .effect(Effect::IllegalCount {
            side: BLACK,
            count: 1,
        }),
        // Never pressed and replied to, it stands as well; elsewhere the opponent does not have the move yet.
        case("", A5, vec![mv(W, "e2e5"), mv(B, "d7d6")], stands(), &["A.5.2"]),
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), mv(B, "d7d6"), press(B), mv(W, "exd6")],
            made(),
            &[],
        ),
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), mv(B, "d7d6"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.2.2"],
        ),
        case("", A5, vec![mv(W, "a7a8"), mv(B, "Rxa8")], stands(), &["A.5.2"]).fen(PAWN),
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), mv(B, "d7d4")],
            Rules(false, Reason::NotOnMove),
            &["1.3"],
        ),
        case(
            "",
            A5,
            vec![mv(W, "e2e5"), mv(B, "d7d4"), mv(W, "e2e4")],
            made(),
            &[],
        ),
        case(
            "",
            A4,
            vec![mv(W, "e2e5"), mv(B, "d7d6")],
            Rules(false, Reason::NotOnMove),
            &["1.3"],
        ),
        // What was touched before the illegal move binds the one that replaces it.
        case(
            "",
            A5,
            vec![
                touch(W, "g1", false),
                mv(W, "b1b5"),
                press(W),
                report(B, false, true),
                mv(W, "b1c3"),
            ],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
    ]
}

/// However late it is reported, what was replied to stands, unless both players agree to correct it.
fn reported_late() -> Vec<Case> {
    let on = |then: &[Event]| {
        let first = [
            mv(B, "e7e4"),
            press(B),
            mv(W, "g1f3"),
            press(W),
            mv(B, "g8f6"),
            press(B),
            mv(W, "f3g1"),
            press(W),
        ];
        [&first[..], then].concat()
    };
    let stands = || Rules(false, Reason::IllegalStands);
    let gone = |then: &[Event]| {
        let first = [mv(W, "e2e5"), press(W), mv(W, "e2e4"), press(W), mv(B, "e7e5")];
        [&first[..], then].concat()
    };
    vec![
        case("", A5, on(&[report(W, false, true)]), stands(), &["A.5.2"]).moves("d2d4"),
        case(
            "",
            B3,
            on(&[report(ARBITER, false, true)]),
            stands(),
            &["A.5.2", "B.3"],
        )
        .moves("d2d4"),
        case(
            "",
            A5,
            on(&[agreed()]),
            Rules(true, Reason::CorrectedByAgreement),
            &["A.5.2"],
        )
        .moves("d2d4")
        .effect(Effect::Restored),
        case(
            "",
            A5,
            on(&[agreed(), mv(B, "e7e5")]),
            Rules(true, Reason::MoveMade),
            &[],
        )
        .moves("d2d4"),
        case(
            "",
            A5,
            on(&[agreed(), report(W, false, true)]),
            Rules(false, Reason::NoIllegalMove),
            &["7.5.1"],
        )
        .moves("d2d4"),
        case(
            "",
            A5,
            vec![press(W), mv(B, "e7e5"), agreed(), mv(W, "e2e4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        // Elsewhere it was acted on at once, and nothing is left to report.
        case(
            "",
            "fide-2023",
            gone(&[report(B, false, true)]),
            Rules(false, Reason::NoIllegalMove),
            &["7.5.1"],
        ),
        case(
            "",
            "cn-classic",
            gone(&[report(B, false, true)]),
            Rules(false, Reason::NoIllegalMove),
            &["8.1"],
        ),
        case(
            "",
            "popular",
            gone(&[report(B, false, true)]),
            Rules(false, Reason::NoIllegalMove),
            &["moves"],
        ),
    ]
}

/// What was before an illegal move that stands still counts.
fn history() -> Vec<Case> {
    let king_and_rook = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let back = |last: &[Event]| {
        let first = [
            mv(W, "a1b3"),
            press(W),
            mv(B, "e8d8"),
            mv(W, "b3b1"),
            mv(B, "d8e7"),
            mv(W, "b1a1"),
        ];
        [&first[..], last].concat()
    };
    let claimed = || claim(W, ThreefoldRepetition, None, None);
    vec![
        case(
            "",
            A5,
            back(&[mv(B, "e7e8"), claimed()]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.2"],
        )
        .fen(king_and_rook)
        .moves("a1a2 e8d8 a2a1 d8e8"),
        case(
            "",
            A5,
            back(&[mv(B, "e7f8"), claimed()]),
            Rules(false, Reason::ClaimWrong),
            &["9.5.3", "A.3"],
        )
        .fen(king_and_rook)
        .moves("a1a2 e8d8 a2a1 d8e8"),
        case(
            "",
            A5,
            back(&[claim(B, ThreefoldRepetition, Some("Ke8"), None)]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.1"],
        )
        .fen(king_and_rook)
        .moves("a1a2 e8d8 a2a1 d8e8"),
        // By 9.6.1 the fifth occurrence draws, whatever stands between.
        case(
            "",
            A5,
            back(&[mv(B, "e7e8")]),
            Ends(DRAW, Reason::Repetition),
            &["9.6.1"],
        )
        .fen(king_and_rook)
        .moves(&"a1a2 e8d8 a2a1 d8e8 ".repeat(3)),
        // The same through a position that no board holds: White's king was left in check.
        case(
            "",
            A5,
            vec![
                mv(W, "a1a2"),
                press(W),
                mv(B, "Kh8"),
                mv(W, "Kd1"),
                mv(B, "Kg8"),
                mv(W, "Ra1"),
                mv(B, "Rd8+"),
                mv(W, "Ke1"),
                mv(B, "Re8+"),
                mv(W, "Kd1"),
                mv(B, "Rd8+"),
                mv(W, "Ke1"),
                mv(B, "Re8+"),
                claimed(),
            ],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.2"],
        )
        .fen(CHECKED),
    ]
}

/// A king left in check: the move stands all the same, and what follows is played on the board as it is.
fn king_in_check() -> Vec<Case> {
    let stood = |then: &[Event]| [&[mv(W, "a1a2"), press(W), mv(B, "g8g7")][..], then].concat();
    let both = |then: &[Event]| [&[mv(W, "a1g1"), press(W)][..], then].concat();
    vec![
        case("", A5, stood(&[]), Rules(true, Reason::IllegalStands), &["A.5.2"]).fen(CHECKED),
        case(
            "",
            B3,
            stood(&[]),
            Rules(true, Reason::IllegalStands),
            &["A.5.2", "B.3"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            stood(&[press(B), mv(W, "a2b2")]),
            Rules(false, Reason::IllegalAttempt),
            &["3.9.2"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            stood(&[press(B), mv(W, "e1f1")]),
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(CHECKED),
        // A king is never taken.
        case(
            "",
            A5,
            vec![mv(W, "a1a2"), press(W), mv(B, "e8e1")],
            Rules(false, Reason::IllegalAttempt),
            &["1.4.2"],
        )
        .fen(CHECKED),
        // A reply that mates.
        case(
            "",
            A5,
            vec![mv(W, "g1h1"), press(W), mv(B, "Qg2#")],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1"],
        )
        .fen("6k1/8/8/8/8/5q1b/8/6K1 w - - 0 1"),
        case(
            "",
            A5,
            vec![mv(W, "a1a2"), press(W), report(B, false, true)],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1", "3.9.2"],
        )
        .fen(CHECKED)
        .effect(Effect::Restored)
        .effect(added(BLACK)),
        // Both kings are in check: the arbiter waits for the next move, which answers it.
        case(
            "",
            A5,
            both(&[noted()]),
            Rules(true, Reason::PositionNoted),
            &["A.5.4"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            both(&[noted(), mv(B, "e8e7")]),
            Rules(false, Reason::IllegalAttempt),
            &["3.9.2"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            both(&[noted(), mv(B, "g8h8"), press(B), noted()]),
            Rules(false, Reason::PositionLegal),
            &["A.5.4"],
        )
        .fen(CHECKED),
        // The pawn is still there.
        case(
            "",
            A5,
            vec![mv(W, "a7a8"), press(W), noted(), mv(B, "h8g8"), press(B)],
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4"],
        )
        .fen(BARE),
        case(
            "",
            B3,
            vec![
                mv(W, "a7a8"),
                press(W),
                mv(B, "h8g8"),
                press(B),
                noted(),
                mv(W, "Kf2"),
                noted(),
            ],
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4", "B.3"],
        )
        .fen(BARE),
        // A bare king never wins; whether the other side can is not proved there.
        case(
            "",
            A5,
            vec![mv(W, "a7a8"), press(W), flag(W)],
            Ends(DRAW, Reason::FlagDraw),
            &["6.9", "A.5.3"],
        )
        .fen(BARE),
        case(
            "",
            A5,
            vec![mv(W, "a7a8"), press(W), flag(B)],
            Rules(false, Reason::Undecided),
            &["6.9"],
        )
        .fen(BARE),
        // An illegal move whose way nobody knows: what is touched then binds to nothing that anybody could say.
        case(
            "",
            A5,
            vec![mv(W, "Nd4"), press(W), touch(B, "h8", false)],
            Rules(false, Reason::MissingFact),
            &["A.5.2"],
        ),
        case(
            "",
            A5,
            vec![mv(W, "Nd4"), press(W), mv(B, "e7e5")],
            Rules(false, Reason::MissingFact),
            &["A.5.2"],
        ),
    ]
}

/// While a fault waits the opponent's clock runs, and a move taken back is not counted.
#[test]
fn clocks_of_a_fault_that_waits() {
    let control = guillotine(900);
    let ruleset = rulesets().find(A5).unwrap();
    let start = Game::new(Board::startpos());
    let mut events = vec![when(10, mv(W, "e2e5")), when(20, press(W)), when(50, noted())];
    let clocks = |events: &[Event]| {
        let report = replay(ruleset, &start, Variant::Standard, Some(&control), events);
        let clocks = report.clocks.unwrap();
        let left = clocks.sides.map(|side| side.remaining.as_secs());
        (left, clocks.running, clocks.sides[0].moves)
    };
    assert_eq!(clocks(&events), ([880, 870], Some(BLACK), 1));
    events.push(when(60, report(B, false, true)));
    events.push(when(65, noted()));
    // Black gets a minute, and White's clock runs again.
    assert_eq!(clocks(&events), ([875, 920], Some(WHITE), 0));
}

pub(crate) fn cases() -> Vec<Case> {
    [waiting(), reported_late(), history(), king_in_check()]
        .into_iter()
        .flatten()
        .collect()
}
