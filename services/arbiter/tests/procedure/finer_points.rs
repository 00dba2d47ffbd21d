//! Finer points, on which the rulesets part.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{EventKind, Reason, RecordingLapse},
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const F: &str = "fide-2023";
const CN: &str = "cn-classic";

/// A wrong claim oversteps the limit, as a flag does: a bare king does not win by it.
fn wrong_claims() -> Vec<Case> {
    let wrong = || vec![claim(W, ThreefoldRepetition, None, Some(200))];
    vec![
        case(
            "",
            CN,
            wrong(),
            Ends(DRAW, Reason::FlagDraw),
            &["10.13(2)", "10.5"],
        )
        .fen(ROOK),
        case(
            "",
            CN,
            wrong(),
            Ends(BLACK_WINS, Reason::ClaimWrongLoses),
            &["10.13(2)"],
        ),
    ]
}

/// Touching a piece ends rights by the FIDE laws only; elsewhere moving it does, and a released piece has moved.
fn touched_rights() -> Vec<Case> {
    let offered = |then| vec![mv(W, "e2e4"), offer(W), press(W), then, answer(B, true)];
    let claimed = |first| vec![first, claim(W, ThreefoldRepetition, None, None)];
    let agreed = || Ends(DRAW, Reason::Agreed);
    let closed = || Rules(false, Reason::NoOffer);
    let third = SHUFFLE.repeat(2);
    let release_knight = || release(W, "g1", "f3", true);
    vec![
        case("", CN, offered(touch(B, "e7", false)), agreed(), &["10.6"]),
        case(
            "",
            "popular",
            offered(touch(B, "e7", false)),
            agreed(),
            &["agreement"],
        ),
        case("", F, offered(touch(B, "e7", false)), closed(), &["9.1.2.1"]),
        case("", CN, offered(release(B, "e7", "e5", true)), closed(), &["10.7"]),
        case(
            "",
            CN,
            offered(release(B, "e7", "e5", false)),
            agreed(),
            &["10.6"],
        ),
        case(
            "",
            CN,
            claimed(touch(W, "g1", false)),
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.10(2)", "10.13(1)"],
        )
        .moves(&third),
        case(
            "",
            CN,
            claimed(release_knight()),
            Rules(false, Reason::ClaimTouched),
            &["10.11"],
        )
        .moves(&third),
        case(
            "",
            F,
            claimed(touch(W, "g1", false)),
            Rules(false, Reason::ClaimTouched),
            &["9.4"],
        )
        .moves(&third),
    ]
}

/// The sealed move was made before an offer of the adjournment, and refuses only what was offered before it.
fn offers_adjourned() -> Vec<Case> {
    let after = || vec![seal("d2d4", true), offer(B), resume(true, 0), answer(W, true)];
    let before = vec![offer(B), seal("d2d4", true), resume(true, 0), answer(W, true)];
    vec![
        case("", CN, after(), Ends(DRAW, Reason::Agreed), &["10.6"]),
        // By 5.2.3 both sides have to have moved.
        case("", F, after(), Ends(DRAW, Reason::Agreed), &["5.2.3"]).moves("g1f3 g8f6"),
        case("", CN, before, Rules(false, Reason::NoOffer), &["10.7"]),
    ]
}

/// Refusing to record loses only if recording is due, which the time left decides.
fn refusals() -> Vec<Case> {
    let refused = |seconds: Option<u64>| {
        let kind = EventKind::Recording {
            lapse: RecordingLapse::Refused,
            remaining: seconds.map(Duration::from_secs),
            increment: None,
        };
        vec![at(W, kind)]
    };
    vec![
        case(
            "",
            CN,
            refused(None),
            Rules(false, Reason::MissingFact),
            &["11.2"],
        ),
        case(
            "",
            CN,
            refused(Some(299)),
            Rules(true, Reason::NeedNotRecord),
            &["11.2"],
        ),
        case(
            "",
            CN,
            refused(Some(300)),
            Ends(BLACK_WINS, Reason::RecordingRefused),
            &["11.4"],
        ),
    ]
}

/// A release honours what was touched before, and an illegal one has touched its piece.
fn releases() -> Vec<Case> {
    let binds = || Rules(false, Reason::TouchBinds);
    let other = || vec![touch(W, "d2", false), release(W, "e2", "e4", true)];
    let illegal = |then| vec![release(W, "e2", "e5", true), mv(W, then)];
    vec![
        case("", CN, other(), binds(), &["7.2(1)"]),
        case("", F, other(), binds(), &["4.3.1"]),
        case("", CN, illegal("d2d4"), binds(), &["7.2(1)"]).effect(moves(START, "e2e3 e2e4")),
        case("", F, illegal("d2d4"), binds(), &["4.3.1"]),
        case("", CN, illegal("e2e4"), Rules(true, Reason::MoveMade), &[]),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [
        wrong_claims(),
        touched_rights(),
        offers_adjourned(),
        refusals(),
        releases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
