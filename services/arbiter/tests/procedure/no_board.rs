//! Touches, releases, claims, complaints and sealed moves where no board holds the position: they are understood as on any.

use tabiya_arbiter::{
    Claim,
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Effect, Event, Reason, Right},
};
use tabiya_rules::Move;

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// White leaves his king in check by playing a2-a3.
const CHECKED: &str = "4k2q/5p2/8/8/8/4r3/R7/4K3 w - - 0 1";
const PAWN: &str = "8/P6k/8/8/8/8/7K/8 w - - 0 1";

fn left_in_check(then: &[Event]) -> Vec<Event> {
    [&[mv(W, "a2a3"), press(W)][..], then].concat()
}

/// The pawn left on a8, and kings that go out and back twice, but for White's last move.
fn out_and_back(last: &[Event]) -> Vec<Event> {
    let mut events = vec![mv(W, "a7a8"), press(W)];
    for _ in 0..2 {
        for (side, text) in [(B, "h7h6"), (W, "h2h3"), (B, "h6h7"), (W, "h3h2")] {
            events.extend([mv(side, text), press(side)]);
        }
    }
    events.truncate(events.len() - 2);
    [&events[..], last].concat()
}

fn case_of(
    fen: &str,
    events: Vec<Event>,
    want: crate::case::Want,
    articles: &'static [&'static str],
) -> Case {
    case("", B3, events, want, articles).fen(fen)
}

fn touched() -> Vec<Case> {
    let touched = |then: &[Event]| left_in_check(&[&[touch(B, "f7", false)][..], then].concat());
    let released = |then: &[Event]| left_in_check(&[&[release(B, "f7", "f6", true)][..], then].concat());
    vec![
        case_of(CHECKED, touched(&[]), Rules(true, Reason::TouchedOwn), &["4.3.1"]),
        // The pawn has to move.
        case_of(
            CHECKED,
            touched(&[mv(B, "h8h1")]),
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case_of(
            CHECKED,
            touched(&[mv(B, "f7f5")]),
            Rules(true, Reason::IllegalStands),
            &["A.5.2", "4.3.1"],
        ),
        // Touching gives up the claim and the complaint.
        case_of(
            CHECKED,
            touched(&[claim(B, ThreefoldRepetition, None, None)]),
            Rules(false, Reason::ClaimTouched),
            &["9.4"],
        )
        .effect(Effect::RightLost {
            side: BLACK,
            right: Right::Claim,
        }),
        // Nothing that was touched can be captured: the choice is free.
        case_of(
            CHECKED,
            left_in_check(&[touch(B, "e1", false), mv(B, "h8h1")]),
            Rules(true, Reason::IllegalStands),
            &["A.5.2"],
        )
        .effect(Effect::Free),
        case_of(CHECKED, released(&[]), Rules(true, Reason::Released), &["4.7"]),
        case_of(
            CHECKED,
            released(&[mv(B, "f7f5")]),
            Rules(false, Reason::TouchBinds),
            &["4.7"],
        ),
        case_of(
            CHECKED,
            released(&[press(B)]),
            Rules(true, Reason::MoveCompleted),
            &["6.2.1", "A.5.2"],
        ),
        // The queen's release mates, and that ends the game: no press is needed.
        case_of(
            "6k1/8/8/8/8/5q1b/8/6K1 w - - 0 1",
            vec![mv(W, "g1h1"), press(W), release(B, "f3", "g2", true)],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1"],
        ),
        // White replies before Black presses: the released move is made.
        case_of(
            CHECKED,
            released(&[mv(W, "e1d2")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]
}

fn claimed() -> Vec<Case> {
    let wrong = [claim(B, ThreefoldRepetition, None, None)];
    vec![
        case_of(
            CHECKED,
            left_in_check(&wrong),
            Rules(false, Reason::ClaimWrong),
            &["9.2.2", "9.5.3", "A.3", "B.3"],
        ),
        case_of(
            PAWN,
            out_and_back(&[mv(W, "h3h2"), press(W), claim(B, ThreefoldRepetition, None, None)]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.2"],
        ),
        case_of(
            PAWN,
            out_and_back(&[claim(W, ThreefoldRepetition, Some("Kh2"), None)]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.2.1"],
        ),
        case_of(
            PAWN,
            out_and_back(&[claim(W, ThreefoldRepetition, Some("Kg2"), None), mv(W, "Kh2")]),
            Rules(false, Reason::TouchBinds),
            &["9.5.3"],
        ),
        case_of(
            "4k2q/5p2/8/8/8/4r3/R7/4K3 w - - 99 80",
            left_in_check(&[claim(B, FiftyMoves, None, None)]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.2"],
        ),
        case_of(
            "4k2q/5p2/8/8/8/4r3/R7/4K3 w - - 98 80",
            left_in_check(&[claim(B, FiftyMoves, None, None)]),
            Rules(false, Reason::ClaimWrong),
            &["9.3.2"],
        ),
        case_of(
            "4k2q/5p2/8/8/8/4r3/R7/4K3 w - - 98 80",
            left_in_check(&[claim(B, FiftyMoves, Some("Qh1"), None)]),
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.1"],
        ),
    ]
}

fn complained() -> Vec<Case> {
    vec![
        // The illegal move did not honour what was touched; the position before it is held.
        case(
            "",
            B3,
            vec![mv(W, "e2e5"), press(W), complaint(B, false, "g1", Some(true))],
            Rules(true, Reason::ComplaintUpheld),
            &["4.8", "4.3.1"],
        )
        .effect(Effect::Restored)
        .effect(moves(START, "g1f3 g1h3")),
        case_of(
            CHECKED,
            left_in_check(&[complaint(B, false, "e1", Some(true))]),
            Rules(true, Reason::ComplaintUpheld),
            &["4.8", "4.3.1"],
        ),
        // Black moved where no board was, and had touched another man.
        case_of(
            CHECKED,
            left_in_check(&[
                mv(B, "f7f6"),
                press(B),
                complaint(W, false, "h8", Some(true)),
                mv(B, "f7f6"),
            ]),
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        )
        .told(4, &["4.8"]),
        case_of(
            CHECKED,
            left_in_check(&[mv(B, "f7f6"), press(B), complaint(W, false, "f7", Some(true))]),
            Rules(false, Reason::ComplaintUnfounded),
            &["4.8"],
        ),
    ]
}

fn sealed() -> Vec<Case> {
    let seals = |then: &[Event]| left_in_check(&[&[seal_by(B, "f6", true, None)][..], then].concat());
    vec![
        case("", A5, seals(&[]), Rules(true, Reason::Sealed), &["I.1.1"]).fen(CHECKED),
        case(
            "",
            A5,
            seals(&[resume(true, 0)]),
            Rules(true, Reason::Resumed),
            &["I.9.1"],
        )
        .fen(CHECKED),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [touched(), claimed(), complained(), sealed()]
        .into_iter()
        .flatten()
        .collect()
}

/// What binds and what may be claimed is told as on any board.
#[test]
fn obligations_and_claims_are_told() {
    let told = |case: Case| case.report();
    let mut due = told(case_of(
        CHECKED,
        left_in_check(&[touch(B, "f7", false)]),
        Rules(true, Reason::TouchedOwn),
        &[],
    ))
    .obligations
    .unwrap();
    due.sort_by_key(ToString::to_string);
    let pawn = [("f7", "f5"), ("f7", "f6")].map(|(from, to)| Move::normal(sq(from), sq(to)));
    assert_eq!(due, pawn);
    let third = told(case_of(
        PAWN,
        out_and_back(&[]),
        Rules(true, Reason::MoveCompleted),
        &[],
    ));
    let announced = Claim {
        ground: ThreefoldRepetition,
        with_move: Some(Move::normal(sq("h3"), sq("h2"))),
    };
    assert_eq!(third.claimable, [announced]);
    // A press on the released pawn's move is no press without a move.
    let pressed = told(case_of(
        CHECKED,
        left_in_check(&[release(B, "f7", "f6", true), press(B)]),
        Rules(true, Reason::MoveCompleted),
        &[],
    ));
    let counted = |effect: &Effect| matches!(effect, Effect::IllegalCount { .. });
    assert!(
        !pressed
            .rulings
            .iter()
            .any(|ruling| ruling.effects.iter().any(counted))
    );
    assert_eq!(pressed.missing_facts, []);
}
