//! Earlier events taken back or corrected, and the arbiter's word after the end.

use tabiya_arbiter::replay::{Reason, replay};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let shot = || vec![mv(W, "f2f3"), mv(B, "e7e5"), mv(W, "g2g4"), mv(B, "d8h4")];
    let with = |mut events: Vec<_>, more| {
        events.push(more);
        events
    };
    vec![
        case(
            "",
            f,
            with(shot(), retract(3)),
            Rules(true, Reason::Retracted),
            &[],
        ),
        case(
            "",
            f,
            with(shot(), retract(4)),
            Rules(false, Reason::NothingToRetract),
            &[],
        ),
        case(
            "",
            f,
            with(with(shot(), retract(3)), retract(3)),
            Rules(false, Reason::NothingToRetract),
            &[],
        ),
        case(
            "",
            f,
            with(with(shot(), retract(3)), mv(B, "b8c6")),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            f,
            with(shot(), correct(2, mv(W, "b1c3"))),
            Rules(true, Reason::Corrected),
            &[],
        ),
        case(
            "",
            f,
            with(with(shot(), retract(2)), correct(2, mv(W, "b1c3"))),
            Rules(false, Reason::NothingToRetract),
            &[],
        ),
        case(
            "",
            f,
            with(shot(), correct(3, retract(0))),
            Rules(false, Reason::NothingToRetract),
            &[],
        ),
        // A flag that was not a flag, and a move that was another.
        case(
            "",
            f,
            vec![flag(W), retract(0), mv(W, "e2e4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            f,
            vec![
                mv(W, "f2f4"),
                mv(B, "e7e5"),
                mv(W, "g2g4"),
                mv(B, "d8h5"),
                correct(0, mv(W, "f2f3")),
                correct(3, mv(B, "d8h4")),
            ],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1"],
        ),
        // A correction is corrected.
        case(
            "",
            f,
            vec![
                mv(W, "f2f3"),
                mv(B, "e7e5"),
                mv(W, "a2a3"),
                mv(B, "d8h4"),
                correct(2, mv(W, "h2h4")),
                correct(2, mv(W, "g2g4")),
            ],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1"],
        ),
    ]
}

#[test]
fn a_correction_shows_what_is_ruled_otherwise_now() {
    let ruleset = rulesets().find("fide-2023").unwrap();
    let start = Game::new(Board::startpos());
    let events = [
        mv(W, "e2e4"),
        mv(B, "e7e5"),
        mv(W, "e4e5"),
        correct(1, mv(B, "d7d5")),
    ];
    let report = replay(ruleset, &start, Variant::Standard, None, &events);
    // What was ruled when it was ruled stays.
    assert_eq!(report.rulings[2].reason, Reason::IllegalAttempt);
    let replayed = &report.rulings[3].replayed;
    assert_eq!(replayed.len(), 1);
    assert_eq!((replayed[0].event, replayed[0].reason), (2, Reason::MoveMade));
}
