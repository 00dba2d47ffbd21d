//! Moves on the board that do not count: against touch-move, or unread; and what illegal ones touch.

use tabiya_arbiter::replay::{Effect, Event, EventKind, Reason};
use tabiya_rules::Piece;

use crate::{
    case::{Case, Want::Rules, case},
    events::*,
};

const PAWN: &str = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";

fn made() -> crate::case::Want {
    Rules(true, Reason::MoveMade)
}

/// A piece put somewhere, and let go.
fn put(from: &str, to: &str, promotion: Option<Piece>) -> Event {
    at(
        W,
        EventKind::Release {
            from: sq(from),
            to: sq(to),
            released: true,
            promotion,
            announced: None,
        },
    )
}

/// Releases bind the player on move only (4.3, 4.7).
fn off_move() -> Vec<Case> {
    [F, A5, CN, "cn-domestic"]
        .into_iter()
        .flat_map(|ruleset| {
            let off = release(B, "g8", "f6", true);
            [
                case(
                    "",
                    ruleset,
                    vec![off.clone()],
                    Rules(false, Reason::NotOnMove),
                    &[],
                ),
                // White is free.
                case("", ruleset, vec![off, mv(W, "e2e4")], made(), &[]),
            ]
        })
        .collect()
}

/// A breach of 4.3 is no illegal move of 7.5: it stands unless the opponent complains. A text that nobody reads is a missing
/// fact.
fn pressed() -> Vec<Case> {
    let bound = |then: &[Event]| {
        let first = [touch(W, "g1", false), mv(W, "e2e4"), press(W)];
        [&first[..], then].concat()
    };
    let complained = |then: &[Event]| bound(&[&[complaint(B, false, "", None)], then].concat());
    let unread = |text, then: &[Event]| [&[mv(W, text), press(W)][..], then].concat();
    let knights = "4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1";
    let mut cases = Vec::new();
    for ruleset in [F, A5, CN] {
        cases.extend([
            case("", ruleset, bound(&[]), Rules(false, Reason::TouchWaits), &[])
                .effect(Effect::ClockRuns { side: BLACK }),
            case(
                "",
                ruleset,
                complained(&[]),
                Rules(true, Reason::ComplaintUpheld),
                &[],
            )
            .effect(Effect::ClockRuns { side: WHITE })
            .effect(moves(START, "g1f3 g1h3")),
            case("", ruleset, complained(&[mv(W, "g1f3")]), made(), &[]),
            case("", ruleset, bound(&[mv(B, "e7e5")]), made(), &[]),
            case(
                "",
                ruleset,
                bound(&[mv(W, "g1f3")]),
                Rules(false, Reason::NotOnMove),
                &[],
            ),
            case(
                "",
                ruleset,
                unread("Nd2", &[]),
                Rules(false, Reason::MissingFact),
                &[],
            )
            .fen(knights),
            case(
                "",
                ruleset,
                unread("N?", &[]),
                Rules(false, Reason::MissingFact),
                &[],
            ),
            case("", ruleset, unread("N?", &[mv(W, "Nf3")]), made(), &[]),
            // The move was made by letting the piece go.
            case(
                "",
                ruleset,
                vec![put("g1", "f3", None), press(W)],
                Rules(true, Reason::MoveCompleted),
                &[],
            ),
            case(
                "",
                ruleset,
                vec![put("g1", "f3", None), mv(W, "g1f3"), press(W)],
                Rules(true, Reason::MoveCompleted),
                &[],
            ),
        ]);
    }
    cases.extend([
        // None of these has counted.
        case(
            "",
            F,
            complained(&[
                mv(W, "e2e4"),
                complaint(B, false, "", None),
                mv(W, "g1g4"),
                press(W),
            ]),
            Rules(false, Reason::IllegalFirst),
            &["7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        case(
            "",
            F,
            unread("N?", &[mv(W, "g1g4"), press(W)]),
            Rules(false, Reason::IllegalFirst),
            &["7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        // An illegal move that was replaced before the press is not what was pressed.
        case(
            "",
            F,
            vec![mv(W, "g1g4"), mv(W, "e2e4"), press(W)],
            Rules(false, Reason::TouchWaits),
            &["4.3.1", "4.8"],
        ),
        // A piece let go where it may not go, and the clock pressed.
        case(
            "",
            F,
            vec![put("g1", "g4", None), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["7.5.1", "7.5.5"],
        )
        .effect(Effect::Restored),
        case(
            "",
            F,
            vec![touch(W, "e2", false), put("g1", "f3", None), press(W)],
            Rules(false, Reason::TouchWaits),
            &["4.3.1", "4.8"],
        ),
        // In the hand it has not been moved.
        case(
            "",
            F,
            vec![release(W, "g1", "g4", false), press(W)],
            Rules(false, Reason::PressedNothing),
            &["7.5.3"],
        ),
    ]);
    cases
}

/// A pawn left on its last rank becomes a queen (7.5.2) where 4.3 and 4.4.4 leave it that.
fn pawns_left() -> Vec<Case> {
    let fixed = |then: &[Event]| [&[put("a7", "a8", Some(Piece::Knight)), mv(W, "a7a8")][..], then].concat();
    vec![
        case(
            "",
            F,
            vec![touch(W, "a1", false), mv(W, "a7a8")],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        )
        .fen(PAWN),
        case(
            "",
            F,
            vec![touch(W, "a1", false), mv(W, "a7a8"), press(W), mv(W, "Kb2")],
            made(),
            &[],
        )
        .fen(PAWN),
        case("", F, fixed(&[]), Rules(false, Reason::TouchBinds), &[]).fen(PAWN),
        case("", F, fixed(&[press(W), mv(W, "a8N")]), made(), &[]).fen(PAWN),
        case(
            "",
            F,
            vec![touch(W, "a7", false), mv(W, "a7a8"), press(W)],
            Rules(false, Reason::PromotionLeft),
            &["7.5.2"],
        )
        .fen(PAWN)
        .effect(Effect::BecomesQueen(sq("a8"))),
        // Elsewhere the promotion is finished, as what was touched allows.
        case(
            "",
            CN,
            vec![touch(W, "a1", false), mv(W, "a7a8"), press(W)],
            Rules(false, Reason::TouchBinds),
            &["7.2(1)"],
        )
        .fen(PAWN),
        case(
            "",
            CN,
            vec![touch(W, "a7", false), mv(W, "a7a8"), press(W)],
            Rules(false, Reason::PromotionUnfinished),
            &[],
        )
        .fen(PAWN),
    ]
}

/// Whoever attempts an illegal move has touched a piece, and that refuses an offer (9.1.2.1).
fn offers() -> Vec<Case> {
    let offered = |then: &[Event]| {
        let first = [
            mv(W, "e2e4"),
            offer(W),
            press(W),
            mv(B, "e7e5"),
            press(B),
            mv(W, "g1f3"),
            offer(W),
            press(W),
        ];
        [&first[..], then].concat()
    };
    let accepted = answer(B, true);
    let mut cases = Vec::new();
    for (ruleset, refuses) in [(F, true), (A5, true), (CN, false)] {
        for attempt in [
            mv(B, "b8b5"),
            release(B, "b8", "b5", true),
            release(B, "b8", "b5", false),
        ] {
            let want = match refuses {
                true => Rules(false, Reason::NoOffer),
                false => crate::case::Want::Ends(DRAW, Reason::Agreed),
            };
            cases.push(case(
                "",
                ruleset,
                offered(&[attempt, accepted.clone()]),
                want,
                &[],
            ));
        }
    }
    cases.push(
        case(
            "",
            F,
            offered(&[mv(B, "b8b5")]),
            Rules(false, Reason::IllegalAttempt),
            &[],
        )
        .effect(Effect::OfferClosed { by: WHITE }),
    );
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    [off_move(), pressed(), pawns_left(), offers()]
        .into_iter()
        .flatten()
        .collect()
}
