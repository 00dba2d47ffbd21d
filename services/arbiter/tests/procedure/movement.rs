//! How the men move, under every code that says so: what an illegal move breaks, and that a legal one breaks nothing.

use tabiya_arbiter::replay::{Effect, Event, Reason};
use tabiya_rules::Board;

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const OPEN: &str = "4k3/8/8/8/8/8/8/RNBQK2R w - - 0 1";
const PINNED: &str = "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1";

/// Moves that break a rule of movement each: the article of the FIDE laws, of the older code, and of the lay texts.
const BROKEN: [(&str, &str, [&str; 3]); 22] = [
    // Nothing moves onto an own man, or across the board.
    (START, "a1a2", ["3.1", "4.1", "moves"]),
    (OPEN, "c1e2", ["3.2", "5.4", "bishop-move"]),
    (OPEN, "a1b3", ["3.3", "5.3", "rook-move"]),
    (OPEN, "d1e3", ["3.4", "5.2", "queen-move"]),
    (OPEN, "b1b3", ["3.6", "5.5", "knight-move"]),
    // Bishop, rook and queen do not jump.
    (START, "f1b5", ["3.5", "4.2", "moves"]),
    (START, "a1a3", ["3.5", "4.2", "moves"]),
    (START, "d1d4", ["3.5", "4.2", "moves"]),
    // Pawns: forward, two squares from the first one, aside only to capture, in passing at once only.
    (START, "e2e5", ["3.7.1", "5.6(1)", "pawn-move"]),
    (
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1",
        "e4e3",
        ["3.7.1", "5.6(1)", "pawn-move"],
    ),
    (
        "4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1",
        "e2e4",
        ["3.7.2", "5.6(2)", "pawn-move"],
    ),
    (
        "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
        "e3e5",
        ["3.7.2", "5.6(2)", "pawn-move"],
    ),
    (START, "e2d3", ["3.7.3", "5.6(2)", "pawn-move"]),
    (
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
        "e5d6",
        ["3.7.3.2", "5.6(3)", "en-passant"],
    ),
    (
        "2r4k/3P4/8/8/8/8/8/K7 w - - 0 1",
        "d7d8k",
        ["3.7.3.3", "5.6(4)", "promotion"],
    ),
    // The king: a square at a time, and two for castling while nothing bars it.
    (OPEN, "e1e3", ["3.8.1", "5.1(1)", "king-move"]),
    (OPEN, "e1g1", ["3.8.2.1", "5.1(5)", "castling"]),
    (
        "4kr2/8/8/8/8/8/8/4K2R w K - 0 1",
        "e1g1",
        ["3.8.2.2", "5.1(6)", "castling"],
    ),
    (START, "e1g1", ["3.8.2.2", "5.1(6)", "castling"]),
    // No move leaves the own king attacked, a pinned man's least of all.
    (PINNED, "e2d2", ["3.9.2", "9.1", "king"]),
    (
        "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1",
        "a1a2",
        ["3.9.2", "9.1", "king"],
    ),
    // 3.1.3, 3.9.1: a pinned man attacks all the same.
    (
        "k7/8/8/8/8/b7/1r6/B1K5 w - - 0 1",
        "c1b2",
        ["3.9.2", "9.1", "king"],
    ),
];

fn broken() -> Vec<Case> {
    let attempt = || Rules(false, Reason::IllegalAttempt);
    let mut cases = Vec::new();
    for (fen, text, articles) in BROKEN {
        for (ruleset, article) in [F, CN, "popular"].into_iter().zip(articles) {
            let foul = ruleset == "popular" && text == "c1b2";
            let want = match foul {
                true => Rules(false, Reason::KingFoul),
                false => attempt(),
            };
            let article: &'static [&'static str] = Box::leak(Box::new([article]));
            cases.push(case("", ruleset, vec![mv(W, text)], want, article).fen(fen));
        }
    }
    cases
}

/// The program of the platform refuses a move at once, whatever it breaks.
fn refused() -> Vec<Case> {
    let refused = |fen: &str, text, article| {
        let want = Rules(false, Reason::IllegalRefused);
        case("", "online-platform", vec![mv(W, text)], want, article).fen(fen)
    };
    vec![
        refused(START, "a1a2", &["moves"]),
        refused(START, "e2e5", &["pawn"]),
        refused("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", &["pawn"]),
        refused(OPEN, "e1g1", &["castling"]),
        // Row 54: the line on a king in check is missing in the text, and holds.
        refused("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", &["castling"]),
    ]
}

/// White moves first, and then the players in turn; whoever has the move is not asked whether he has pressed.
fn turns() -> Vec<Case> {
    let mut cases = Vec::new();
    for (ruleset, articles) in [
        (F, &["1.3"] as &'static [&'static str]),
        (CN, &["3.1"]),
        ("popular", &["turn"]),
        ("club", &["turn"]),
        ("online-platform", &["moves"]),
    ] {
        let out_of_turn = || Rules(false, Reason::NotOnMove);
        cases.push(case("", ruleset, vec![mv(B, "e7e5")], out_of_turn(), articles));
        let twice = vec![mv(W, "e2e4"), mv(W, "d2d4")];
        cases.push(case("", ruleset, twice, out_of_turn(), articles));
        let replied = vec![mv(W, "e2e4"), mv(B, "e7e5")];
        cases.push(case("", ruleset, replied, Rules(true, Reason::MoveMade), &[]));
    }
    cases
}

/// 1.4.2: a king is never taken, though one that could be was left standing; 3.9.2: nor is the own one left in check where
/// no board holds the position.
fn kings() -> Vec<Case> {
    let left = "4r1k1/8/8/8/8/8/P7/4K2R w K - 0 1";
    let attempt = || Rules(false, Reason::IllegalAttempt);
    let mut cases = Vec::new();
    for ruleset in [A5, B3] {
        for taken in [
            mv(B, "e8e1"),
            mv(B, "Rxe1"),
            mv(B, "Rxe1+"),
            release(B, "e8", "e1", true),
        ] {
            let list = vec![mv(W, "a2a3"), press(W), taken];
            cases.push(case("", ruleset, list, attempt(), &["1.4.2"]).fen(left));
        }
    }
    // Of the lay texts, and where nobody has noticed.
    for (ruleset, article) in [(F, &["1.4.2"]), ("popular", &["mate"])] {
        let list = vec![unnoticed(W, "a2a3"), press(W), mv(B, "e8e1")];
        cases.push(case("", ruleset, list, attempt(), article).fen(left));
    }
    // A king that walks into attack is a foul there, too.
    let beside = "4k3/8/8/8/8/4r3/6P1/3QK3 w - - 0 1";
    let foul = Effect::IllegalCount {
        side: BLACK,
        count: 1,
    };
    let walks = vec![unnoticed(W, "g2g3"), press(W), mv(B, "e8d8")];
    cases.push(
        case("", "popular", walks, Rules(false, Reason::KingFoul), &["king"])
            .fen(beside)
            .effect(foul),
    );
    // The rook stands between its king and White's; White has left a pawn on its last rank.
    let pinned = "6k1/P5r1/8/8/8/8/7K/6R1 w - - 0 1";
    let stands = || Rules(true, Reason::IllegalStands);
    for (text, want, articles) in [
        ("g7b7", attempt(), &["3.9.2"][..]),
        ("Rb7", attempt(), &["3.9.2"]),
        // Along the file it may go, and take what pins it; it is no bishop.
        ("g7g3", stands(), &[]),
        ("g7g1", stands(), &[]),
        ("g7f6", attempt(), &["3.10.2"]),
    ] {
        let list = vec![mv(W, "a7a8"), press(W), mv(B, text)];
        cases.push(case("", B3, list, want, articles).fen(pinned));
    }
    cases
}

/// 9.3 of the older code: check need not be announced; 9.2: it is answered at once, and a check without an answer is mate.
fn checks() -> Vec<Case> {
    let made = || Rules(true, Reason::MoveMade);
    let unanswered = "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1";
    let mut cases = Vec::new();
    for text in ["Qh5", "Qh5+", "Qh5#"] {
        cases.push(case("", CN, vec![mv(W, text)], made(), &[]).moves("e2e4 f7f6"));
    }
    cases.push(
        case(
            "",
            CN,
            vec![mv(W, "a1a2"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["9.1", "8.1"],
        )
        .fen(unanswered)
        .effect(Effect::Restored),
    );
    cases.push(
        case(
            "",
            CN,
            vec![mv(B, "d8h4")],
            Ends(BLACK_WINS, Reason::Mate),
            &["10.1"],
        )
        .moves("f2f3 e7e5 g2g4"),
    );
    cases
}

/// What a legal move does to the board, as the moves after it show: they would not be legal otherwise.
fn allowed() -> Vec<Case> {
    let lines = [
        // 3.1.1, 4.3: the captured bishop is gone, so the rook passes its square.
        (
            "4k2r/8/8/4b3/8/8/8/B5K1 w - - 0 1",
            "a1e5 e8d7 e5g7 h8e8 g1f1 e8e2",
        ),
        // 3.7.3.1, 5.6(3): the pawn that was passed is gone, and the queen goes where it stood.
        ("1q2k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1", "e7e5 d5e6 b8e5"),
        // 3.8.2, 5.1(2): one move for king and rook, on either side.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8 f1e1 d8d2 g1f1"),
        // An attacked rook, or its attacked way, bars nothing on the long side.
        ("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1 e8e7 d1d7"),
        // 3.7.3.4, 3.7.3.5, 5.6(4): a third queen, which acts at once.
        ("6k1/2P5/8/8/8/7p/8/KQQ5 w - - 0 1", "c7c8q g8g7 c8h3"),
        // 3.6, 5.5: knights jump.
        (START, "b1c3 g8f6 c3d5"),
    ];
    let mut cases = Vec::new();
    for (fen, line) in lines {
        for ruleset in [
            F,
            A4,
            A5,
            B2,
            B3,
            CN,
            "cn-domestic",
            "popular",
            "club",
            "online-platform",
        ] {
            let mut side = Board::from_fen(fen).unwrap().side_to_move();
            let mut events: Vec<Event> = Vec::new();
            for text in line.split(' ') {
                events.push(mv(Some(side), text));
                side = !side;
            }
            cases.push(case("", ruleset, events, Rules(true, Reason::MoveMade), &[]).fen(fen));
        }
    }
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    [broken(), refused(), turns(), kings(), checks(), allowed()]
        .into_iter()
        .flatten()
        .collect()
}
