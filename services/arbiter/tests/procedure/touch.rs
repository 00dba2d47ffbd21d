//! Touched and released pieces.

use tabiya_arbiter::replay::{Effect, Event, EventKind, Reason, Right};
use tabiya_rules::Piece;

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

fn handed() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let castle = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    vec![
        case(
            "proc-touch-adjust-not-on-move",
            f,
            vec![adjust(B, "g8", None)],
            Rules(false, Reason::AdjustNotOnMove),
            &["4.2.1", "6.2.5"],
        ),
        case(
            "proc-touch-both-illegal",
            f,
            vec![touch(W, "b1 d5", false)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-claim-late",
            f,
            vec![complaint(W, true, "", None)],
            Rules(false, Reason::ComplaintLate),
            &["4.8"],
        ),
        case(
            "proc-touch-enemy",
            f,
            vec![touch(W, "d5", false)],
            Rules(true, Reason::TouchedEnemy),
            &["4.3.2"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "e4d5")),
        case(
            "proc-touch-king-rook-illegal",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastleIllegal),
            &["4.4.3"],
        )
        .fen(castle),
        case(
            "proc-touch-order-unclear",
            f,
            vec![touch(W, "d5 b1", true)],
            Rules(true, Reason::TouchedBoth),
            &["4.3.3"],
        )
        .fen(CENTRE)
        .effect(moves(CENTRE, "b1a3 b1c3")),
        case(
            "proc-touch-own",
            f,
            vec![touch(W, "g1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            f,
            vec![touch(W, "g1", false), mv(W, "e2e4")],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case(
            "proc-touch-own-immobile",
            f,
            vec![touch(W, "a1", false)],
            Rules(true, Reason::TouchedFree),
            &["4.5"],
        )
        .effect(Effect::Free),
        case(
            "proc-touch-rook-king-cn",
            cn,
            vec![touch(W, "h1 e1", false)],
            Rules(true, Reason::TouchedRookFirst),
            &["5.1(3)"],
        )
        .fen(rook),
        case(
            "",
            f,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(rook)
        .effect(moves(rook, "e1g1")),
        case(
            "proc-not-released-intl",
            f,
            vec![release(W, "g1", "f3", false)],
            Rules(true, Reason::NotReleased),
            &["4.7"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            "cn-domestic",
            vec![release(W, "g1", "f3", false)],
            Rules(true, Reason::Released),
            &["preface"],
        )
        .effect(moves(START, "g1f3")),
    ]
}

fn rights() -> Vec<Case> {
    let f = "fide-2023";
    let accident = brush(W, "e2");
    let promotes = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    let placed = |piece| {
        at(
            W,
            EventKind::Release {
                from: sq("a7"),
                to: sq("a8"),
                released: false,
                promotion: Some(piece),
                announced: None,
            },
        )
    };
    let castle = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    vec![
        case(
            "",
            f,
            vec![accident],
            Rules(true, Reason::TouchedByAccident),
            &["4.2.2"],
        ),
        case(
            "",
            f,
            vec![touch(W, "g1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(Effect::RightLost {
            side: WHITE,
            right: Right::Claim,
        })
        .effect(Effect::RightLost {
            side: WHITE,
            right: Right::Complaint,
        }),
        case(
            "",
            f,
            vec![touch(W, "g1", false), mv(W, "g1f3")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .effect(Effect::RightRegained {
            side: WHITE,
            right: Right::Claim,
        }),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), offer(W), touch(B, "e7", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(Effect::OfferClosed { by: WHITE }),
        case(
            "",
            "club",
            vec![adjust(W, "e2", None)],
            Rules(false, Reason::AdjustConsent),
            &["adjusting"],
        ),
        case(
            "",
            "club",
            vec![adjust(W, "e2", Some(true))],
            Rules(true, Reason::Adjusted),
            &["adjusting"],
        ),
        case(
            "",
            "club",
            vec![adjust(W, "e2", Some(false))],
            Rules(false, Reason::AdjustConsent),
            &["adjusting"],
        ),
        case(
            "",
            f,
            vec![placed(Piece::Rook), mv(W, "a7a8q")],
            Rules(false, Reason::TouchBinds),
            &["4.4.4"],
        )
        .fen(promotes)
        .effect(moves(promotes, "a7a8r")),
        // The king released for castling: only that castling.
        case(
            "",
            f,
            vec![release(W, "e1", "g1", true)],
            Rules(true, Reason::Released),
            &["4.7.2"],
        )
        .fen(castle)
        .effect(moves(castle, "e1g1")),
        case(
            "",
            "cn-classic",
            vec![release(W, "e1", "c1", true)],
            Rules(true, Reason::Released),
            &["6.3"],
        )
        .fen(castle)
        .effect(moves(castle, "e1c1")),
        case(
            "",
            "online-platform",
            vec![touch(W, "a1", false)],
            Rules(true, Reason::NoTouchMove),
            &[],
        ),
    ]
}

/// A complaint in time comes before the ending that the move complained about brought.
fn complaints() -> Vec<Case> {
    let f = "fide-2023";
    // White touched his knight and mated with the queen.
    let fen = "6k1/5ppp/8/8/8/8/3Q4/1N4K1 w - - 0 1";
    let mate = || mv(W, "d2d8");
    let knight = || moves(fen, "b1a3 b1c3");
    vec![
        case(
            "",
            f,
            vec![mate(), complaint(B, false, "b1", Some(true))],
            Rules(true, Reason::ComplaintUpheld),
            &["4.8", "4.3.1"],
        )
        .fen(fen)
        .effect(Effect::Restored)
        .effect(knight())
        .effect(Effect::MayBePenalised { side: WHITE }),
        case(
            "",
            f,
            vec![mate(), complaint(B, true, "b1", Some(true))],
            Ends(WHITE_WINS, Reason::Mate),
            &["4.8", "5.1.1"],
        )
        .fen(fen),
        case(
            "",
            f,
            vec![mate(), complaint(B, false, "b1", Some(false))],
            Ends(WHITE_WINS, Reason::Mate),
            &["4.8"],
        )
        .fen(fen),
        case(
            "",
            f,
            vec![mate(), complaint(B, false, "d2", Some(true))],
            Ends(WHITE_WINS, Reason::Mate),
            &["4.8", "4.3.1"],
        )
        .fen(fen),
        case(
            "",
            f,
            vec![mate(), complaint(B, false, "b1", None)],
            Ends(WHITE_WINS, Reason::Mate),
            &["4.8"],
        )
        .fen(fen),
        case(
            "",
            "cn-classic",
            vec![mate(), complaint(B, false, "b1", Some(true))],
            Rules(true, Reason::ComplaintUpheld),
            &["7.4", "7.2(1)"],
        )
        .fen(fen),
        // After a resignation nothing is taken back.
        case(
            "",
            f,
            vec![mv(W, "d2d4"), resign(B), complaint(B, false, "b1", Some(true))],
            Rules(false, Reason::GameOver),
            &[],
        )
        .fen(fen),
    ]
}

/// Pieces touched one by one bind as they do when they are reported together, in their order.
fn one_by_one() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let barred = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let each = |squares: &str| -> Vec<Event> { squares.split(' ').map(|s| touch(W, s, false)).collect() };
    let then = |squares: &str, text| [each(squares), vec![mv(W, text)]].concat();
    let touched = |reason| Rules(true, reason);
    let binds = || Rules(false, Reason::TouchBinds);
    let both = |ruleset, squares, article, list| {
        case("", ruleset, each(squares), touched(Reason::TouchedBoth), article)
            .fen(CENTRE)
            .effect(exactly(CENTRE, list))
    };
    vec![
        both(f, "e4 d5", &["4.3.3"], "e4d5"),
        both(f, "d5 e4", &["4.3.3"], "e4d5"),
        both(f, "b1 d5", &["4.3.3"], "b1a3 b1c3"),
        both(f, "d5 b1", &["4.3.3"], "e4d5"),
        both(cn, "e4 d5", &["7.2(2)"], "e4d5"),
        both(cn, "b1 d5", &["7.2(2)"], "b1a3 b1c3"),
        both("popular", "e4 d5", &["touch"], "e4d5"),
        case("", f, then("e4 d5", "e4e5"), binds(), &["4.3.3"]).fen(CENTRE),
        // The first that can move decides.
        case("", f, each("a1 g1"), touched(Reason::TouchedOwn), &["4.3.1"]).effect(moves(START, "g1f3 g1h3")),
        case("", f, each("g1 b1"), touched(Reason::TouchedOwn), &["4.3.1"]).effect(moves(START, "g1f3 g1h3")),
        case("", f, each("e8 d5"), touched(Reason::TouchedEnemy), &["4.3.2"])
            .fen(CENTRE)
            .effect(moves(CENTRE, "e4d5")),
        // King then rook: castling; rook then king: none on that side.
        case("", f, each("e1 h1"), touched(Reason::TouchedCastle), &["4.4.1"])
            .fen(rook)
            .effect(moves(rook, "e1g1")),
        case("", f, then("e1 h1", "e1e2"), binds(), &[]).fen(rook),
        case("", f, then("h1 e1", "e1g1"), binds(), &["4.4.2"]).fen(rook),
        case(
            "",
            f,
            then("h1 e1", "h1h5"),
            touched(Reason::MoveMade),
            &["4.4.2"],
        )
        .fen(rook),
        case("", cn, then("h1 e1", "e1g1"), binds(), &["5.1(3)"]).fen(rook),
        case("", "popular", then("h1 e1", "e1g1"), binds(), &["castling-order"]).fen(rook),
        case(
            "",
            f,
            each("e1 h1"),
            touched(Reason::TouchedCastleIllegal),
            &["4.4.3"],
        )
        .fen(barred)
        .effect(exactly(barred, "e1d1 e1d2 e1e2 e1c1")),
        case(
            "",
            cn,
            each("e1 h1"),
            touched(Reason::TouchedCastleIllegal),
            &["5.1(4)"],
        )
        .fen(barred)
        .effect(exactly(barred, "e1d1 e1d2 e1e2 e1c1")),
        // A king without a move leaves the choice free.
        case("", f, each("e1 h1"), touched(Reason::TouchedFree), &["4.4.3"]).effect(Effect::Free),
        case(
            "",
            f,
            then("e1 h1", "e2e4"),
            touched(Reason::MoveMade),
            &["4.4.3"],
        ),
        // A knight that cannot move does not come between them, and a capture touched later does not undo castling.
        case(
            "",
            f,
            each("b1 e1 h1"),
            touched(Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(PINNED)
        .effect(moves(PINNED, "e1g1")),
        case(
            "",
            f,
            each("e1 h1 h7"),
            touched(Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen("4k3/7p/8/8/8/8/8/4K2R w K - 0 1"),
        // A piece released stays, and castling is finished with its rook.
        case(
            "",
            f,
            vec![release(W, "e1", "g1", true), touch(W, "h1", false)],
            touched(Reason::TouchedCastle),
            &["4.4.1", "4.7.2"],
        )
        .fen(rook)
        .effect(moves(rook, "e1g1")),
        case(
            "",
            f,
            vec![release(W, "g1", "f3", true), touch(W, "e2", false)],
            binds(),
            &["4.7"],
        )
        .effect(moves(START, "g1f3")),
        // Set down and not released, the king still may castle once the rook is touched.
        case(
            "",
            f,
            vec![release(W, "e1", "g1", false), touch(W, "h1", false)],
            touched(Reason::TouchedCastle),
            &["4.4.1"],
        )
        .fen(rook),
        // Touched in another turn, it binds nothing.
        case(
            "",
            f,
            vec![
                touch(W, "g1", false),
                mv(W, "g1f3"),
                mv(B, "e7e5"),
                touch(W, "b1", false),
            ],
            touched(Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(exactly(
            "rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2",
            "b1a3 b1c3",
        )),
    ]
}

/// White's knight on b1 has no move; he may castle.
const PINNED: &str = "4k3/8/8/8/8/P1P5/3P4/rN2K2R w K - 0 1";

#[test]
fn touches_one_by_one_oblige_as_one_touch_does() {
    for fen in [
        CENTRE,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    ] {
        let board = tabiya_rules::Board::from_fen(fen).unwrap();
        let men: Vec<String> = board.occupied().into_iter().map(|s| s.to_string()).collect();
        for (a, b) in men.iter().flat_map(|a| men.iter().map(move |b| (a, b))) {
            let c = &men[(a.len() + b.as_bytes()[0] as usize * 7) % men.len()];
            let ask = |events| {
                case("", "fide-2023", events, Rules(true, Reason::GoesOn), &[])
                    .fen(fen)
                    .report()
            };
            let each = ask([a, b, c].map(|s| touch(W, s, false)).to_vec());
            let whole = ask(vec![touch(W, &format!("{a} {b} {c}"), false)]);
            assert_eq!(each.obligations, whole.obligations, "{fen} {a} {b} {c}");
            assert_eq!(
                each.rulings[2].reason, whole.rulings[0].reason,
                "{fen} {a} {b} {c}"
            );
        }
    }
}

pub(crate) fn cases() -> Vec<Case> {
    [handed(), rights(), complaints(), one_by_one()]
        .into_iter()
        .flatten()
        .collect()
}
