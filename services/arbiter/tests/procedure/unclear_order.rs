//! Touches whose order nobody knows: the list of squares decides nothing that the facts do not.

use tabiya_arbiter::replay::Reason;

use crate::{
    case::{
        Case,
        Want::{self, Rules},
        case,
    },
    events::*,
};

const CASTLE: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

fn both(
    fen: &str,
    squares: [&str; 2],
    then: Option<&str>,
    want: fn() -> Want,
    articles: &'static [&'static str],
) -> Vec<Case> {
    let one = |squares: &str| {
        let mut events = vec![touch(W, squares, true)];
        events.extend(then.map(|text| mv(W, text)));
        case("", F, events, want(), articles).fen(fen)
    };
    squares.map(one).into()
}

/// The same pieces in either order of the list: each is a case.
pub(crate) fn cases() -> Vec<Case> {
    let king_and_rook = ["e1 h1", "h1 e1"];
    let unclear = || Rules(true, Reason::TouchOrder);
    let knights = ["g1 b1", "b1 g1"];
    [
        // King first: castling is due. Rook first: the rook moves. Both are allowed, and nothing else.
        both(CASTLE, king_and_rook, None, unclear, &["4.4.1", "4.4.2"]),
        both(
            CASTLE,
            king_and_rook,
            Some("e1g1"),
            || Rules(true, Reason::MoveMade),
            &[],
        ),
        both(
            CASTLE,
            king_and_rook,
            Some("h1h5"),
            || Rules(true, Reason::MoveMade),
            &[],
        ),
        both(
            CASTLE,
            king_and_rook,
            Some("e1c1"),
            || Rules(false, Reason::TouchBinds),
            &["4.4.1"],
        ),
        both(
            CASTLE,
            king_and_rook,
            Some("a1b1"),
            || Rules(false, Reason::TouchBinds),
            &["4.4.1"],
        ),
        both(START, knights, None, unclear, &["4.3.1"]),
        both(
            START,
            knights,
            Some("b1c3"),
            || Rules(true, Reason::MoveMade),
            &[],
        ),
        both(
            START,
            knights,
            Some("g1f3"),
            || Rules(true, Reason::MoveMade),
            &[],
        ),
        both(
            START,
            knights,
            Some("e2e4"),
            || Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        // Where every order leaves the same, it is not asked for: a rook that cannot move binds nobody.
        both(
            START,
            ["a1 g1", "g1 a1"],
            None,
            || Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        ),
        // Two enemy men that can be taken.
        both(
            "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1",
            ["c5 e5", "e5 c5"],
            None,
            unclear,
            &["4.3.2"],
        ),
        both(
            "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1",
            ["c5 e5", "e5 c5"],
            Some("d4d5"),
            || Rules(false, Reason::TouchBinds),
            &["4.3.2"],
        ),
        // 4.3.3: of two colours, the own man counts as the first.
        both(
            "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1",
            ["e5 d4", "d4 e5"],
            None,
            || Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn the_order_of_the_list_changes_nothing_and_is_asked_for_where_it_matters() {
    for (fen, squares, asked) in [
        (CASTLE, ["e1 h1", "h1 e1"], true),
        (CASTLE, ["e1 h1 a1", "a1 h1 e1"], true),
        (START, ["g1 b1", "b1 g1"], true),
        (START, ["a1 g1", "g1 a1"], false),
        (START, ["e2 d8", "d8 e2"], false),
    ] {
        let report = |squares: &str| {
            let events = vec![touch(W, squares, true)];
            case("", F, events, Rules(true, Reason::TouchOrder), &[])
                .fen(fen)
                .report()
        };
        let [one, other] = squares.map(report);
        let sorted = |report: &tabiya_arbiter::replay::Report| {
            let mut due = report.obligations.clone().unwrap();
            due.sort();
            due
        };
        assert_eq!(sorted(&one), sorted(&other), "{squares:?}");
        for report in [one, other] {
            let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
            let expected: &[&str] = if asked { &["order_unclear"] } else { &[] };
            assert_eq!(facts, expected, "{squares:?}");
        }
    }
}
