//! A.4 and A.5, B.2 and B.3: one arbiter for few games that are all recorded has the full rules; otherwise less is asked
//! of everybody, and less is acted on.

use std::time::Duration;

use tabiya_arbiter::replay::{Effect, Event, EventKind, Reason, SetupFault};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// An illegal move of Black's that nobody sees before White's reply.
fn replied(last: Event) -> Vec<Event> {
    vec![unnoticed(B, "e7e4"), press(B), mv(W, "g1f3"), press(W), last]
}

fn minute() -> Effect {
    Effect::TimeAdded {
        side: WHITE,
        time: Duration::from_secs(60),
    }
}

/// A.5.2: seen before the reply or not at all; 7.5.1 knows no such limit.
fn illegal_moves() -> Vec<Case> {
    let found = |ruleset, want, articles| {
        case("", ruleset, replied(report(W, false, true)), want, articles).moves("d2d4")
    };
    let restored = || Rules(false, Reason::IllegalFirst);
    let stands = || Rules(false, Reason::IllegalStands);
    let at_once = |ruleset, articles| {
        let events = vec![mv(B, "e7e4"), press(B), report(W, false, true)];
        let first = Rules(false, Reason::IllegalFirst);
        case("", ruleset, events, first, articles)
            .moves("d2d4")
            .effect(minute())
    };
    vec![
        found(F, restored(), &["7.5.1", "7.5.5"]).effect(Effect::TimeAdded {
            side: WHITE,
            time: Duration::from_secs(120),
        }),
        found(A4, restored(), &["7.5.1", "7.5.5", "A.3"]).effect(minute()),
        found(B2, restored(), &["7.5.1", "7.5.5", "B.2"]).effect(minute()),
        found(A5, stands(), &["A.5.2"]),
        found(B3, stands(), &["A.5.2", "B.3"]),
        at_once(A5, &["7.5.1", "7.5.5", "A.3"]),
        at_once(B3, &["7.5.1", "7.5.5", "A.3", "B.3"]),
    ]
}

/// A.5.1: after ten moves by each the board stays as it is; 7.2.2 knows no such limit.
fn setups() -> Vec<Case> {
    let turned = |ruleset, moves, want, articles| {
        let events = vec![setup(SetupFault::BoardTurned, None)];
        case("", ruleset, events, want, articles)
            .moves(&rounds(moves))
            .set("automatic_repetition", "0")
    };
    let carried = || Rules(true, Reason::BoardTurned);
    let late = || Rules(false, Reason::SetupTooLate);
    vec![
        turned(A4, 10, carried(), &["7.2.2"]),
        turned(B2, 10, carried(), &["7.2.2"]),
        turned(A5, 9, carried(), &["7.2.2"]),
        turned(A5, 10, late(), &["A.5.1"]),
        turned(B3, 10, late(), &["A.5.1", "B.3"]),
    ]
}

/// A.5.3, A.5.5: who calls the flag, and what it costs; A.5.4: what is illegal on the board for a move longer.
fn the_rest() -> Vec<Case> {
    let flagged = |ruleset, articles| {
        case(
            "",
            ruleset,
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            articles,
        )
    };
    let bare = |ruleset, articles| {
        case("", ruleset, vec![flag(W)], Ends(DRAW, Reason::FlagDraw), articles).fen(ROOK)
    };
    let in_check = "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1";
    let both = |ruleset, want, articles| {
        let events = vec![
            unnoticed(W, "a1g1"),
            press(W),
            at(ARBITER, EventKind::IllegalPosition),
        ];
        case("", ruleset, events, want, articles).fen(in_check)
    };
    vec![
        flagged(A4, &["6.9", "6.8"]),
        flagged(B2, &["6.9", "6.8"]),
        flagged(A5, &["6.9", "A.5.3", "A.5.5"]),
        flagged(B3, &["6.9", "A.5.3", "A.5.5", "B.3"]),
        bare(A4, &["6.9"]),
        bare(A5, &["6.9", "A.5.3"]),
        bare(B2, &["6.9"]),
        bare(B3, &["6.9", "A.5.3", "B.3"]),
        // Where it is supervised, the illegal move that led there is acted on.
        both(A4, Rules(false, Reason::IllegalFirst), &["7.5.1", "A.3"]),
        both(B2, Rules(false, Reason::IllegalFirst), &["7.5.1", "B.2"]),
        both(A5, Rules(true, Reason::PositionNoted), &["A.5.4"]),
        both(B3, Rules(true, Reason::PositionNoted), &["A.5.4", "B.3"]),
        // A.2: nobody has to record rapid games, nor unsupervised blitz.
        case(
            "",
            A4,
            vec![record(600)],
            Rules(true, Reason::NobodyRecords),
            &["A.2"],
        ),
        case(
            "",
            A5,
            vec![record(600)],
            Rules(true, Reason::NobodyRecords),
            &["A.2"],
        ),
        case(
            "",
            B3,
            vec![record(600)],
            Rules(true, Reason::NobodyRecords),
            &["A.2", "B.3"],
        ),
        case(
            "",
            B2,
            vec![record(600)],
            Rules(false, Reason::MustRecord),
            &["8.1.1"],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [illegal_moves(), setups(), the_rest()]
        .into_iter()
        .flatten()
        .collect()
}
