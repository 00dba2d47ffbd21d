//! What a position ends by itself, under every ruleset, and when two positions are the same.

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Event, GameStatus, Reason},
};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

/// 1.4.1, 5.1.1, 10.1: mate wins, whoever's aim it was; 5.2.1, 10.3: stalemate is a draw, here as everywhere.
fn mates_and_stalemates() -> Vec<Case> {
    let of = |ruleset, mate: &'static [&'static str], stalemate: &'static [&'static str]| {
        let stale = "7k/8/5KQ1/8/8/8/8/8 w - - 0 10";
        [
            case(
                "",
                ruleset,
                vec![mv(B, "d8h4")],
                Ends(BLACK_WINS, Reason::Mate),
                mate,
            )
            .moves("f2f3 e7e5 g2g4"),
            case(
                "",
                ruleset,
                vec![mv(W, "g6f7")],
                Ends(DRAW, Reason::Stalemate),
                stalemate,
            )
            .fen(stale),
        ]
    };
    [
        of(F, &["5.1.1"], &["5.2.1"]),
        of(A5, &["5.1.1"], &["5.2.1"]),
        of(CN, &["10.1"], &["10.3"]),
        of("cn-domestic", &["10.1"], &["10.3"]),
        of("popular", &["mate"], &["stalemate"]),
        of("club", &["mate"], &["stalemate"]),
        of("online-platform", &["mate"], &["stalemate"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// 1.5, 5.2.2: nobody can mate any more. 10.4 lists men, and nothing else is drawn by it.
fn nobody_can_mate() -> Vec<Case> {
    // White takes the last pawn, and these men are left.
    let left = |men: &str, ruleset, want, articles| {
        let fen = format!("8/{men}/7k/8/8/3Kp3/8/8 w - - 0 40");
        case("", ruleset, vec![mv(W, "d3e3")], want, articles).fen(&fen)
    };
    let drawn = || Ends(DRAW, Reason::Dead);
    let goes_on = || Rules(true, Reason::MoveMade);
    let mut cases = Vec::new();
    for (men, dead, listed) in [
        ("8", true, true),
        ("1N6", true, true),
        ("1n6", true, true),
        ("1B6", true, true),
        ("1b6", true, true),
        // Bishops on squares of one colour: b7, d7 and f7 are light.
        ("1B1b4", true, true),
        // More than one each are dead all the same; the list has one each.
        ("1B1b1B2", true, false),
        ("1Bb5", false, false),
        ("1B1n4", false, false),
        ("1N1n4", false, false),
        ("1NN5", false, false),
        ("1N1B4", false, false),
    ] {
        for (ruleset, holds, article) in [
            (F, dead, &["5.2.2"] as &'static [&'static str]),
            (B3, dead, &["5.2.2"]),
            ("club", dead, &["material"]),
            (CN, listed, &["10.4"]),
            ("cn-domestic", listed, &["10.4"]),
        ] {
            cases.push(match holds {
                true => left(men, ruleset, drawn(), article),
                false => left(men, ruleset, goes_on(), &[]),
            });
        }
        // Nothing is said of it there: 5.2.2 would rule it otherwise.
        let silent: &[&str] = if dead { &["not-mentioned"] } else { &[] };
        cases.push(left(men, "online-platform", goes_on(), silent));
    }
    // A blocked position: by its men anybody could mate, by its pawns nobody can.
    let pawns = "4k3/8/8/p2p2p1/P2P4/6P1/8/4K3 w - - 0 40";
    for (ruleset, want, articles) in [
        (F, drawn(), &["5.2.2"] as &'static [&'static str]),
        ("club", drawn(), &["material"]),
        ("popular", drawn(), &["material"]),
        (CN, goes_on(), &[]),
        ("online-platform", goes_on(), &[]),
    ] {
        cases.push(case("", ruleset, vec![mv(W, "g3g4")], want, articles).fen(pawns));
    }
    cases
}

/// The rook goes out and back, and the right to castle with it is gone: from then on it is another position.
const CASTLING: &str = "k7/8/8/8/8/8/P7/4K2R w K - 0 1";
const ROOK_OUT_AND_BACK: &str = "h1g1 a8b8 g1h1 b8a8 ";

/// The pawn on d4 may take in passing, and a move later it may not.
const PASSING: &str = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
/// It is pinned, and may not take at all.
const PINNED: &str = "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1";
const PASSED_AND_BACK: &str = "e8d8 e1d1 d8e8 d1e1 ";
const PINNED_AND_BACK: &str = "d8c8 e1e2 c8d8 e2e1 ";

/// White's rook takes three moves where Black's king takes two: the same men, and the other player to move.
const TRIANGLE: &str = "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1";
const AND_BACK: &str = " e8d8 a1b1 d8e8 b1a1";
const TEMPO_LOST: &str = "a1b1 e8d8 b1c1 d8e8 c1a1";

/// 9.2.3, 10.10: the same player to move, the same men on the same squares, the same possible moves.
fn identity() -> Vec<Case> {
    let claimed = |ruleset, actor, fen: &str, line: String, right: bool, articles| {
        let want = match right {
            true => Ends(DRAW, Reason::ClaimUpheld),
            false => Rules(false, Reason::ClaimWrong),
        };
        let claim = claim(actor, ThreefoldRepetition, None, Some(3600));
        case("", ruleset, vec![claim], want, articles)
            .fen(fen)
            .moves(&line)
    };
    let mut cases = Vec::new();
    let rooks = |rounds| ROOK_OUT_AND_BACK.repeat(rounds);
    let passed = |rounds| format!("e2e4 {}", PASSED_AND_BACK.repeat(rounds));
    let pinned = |rounds| format!("e2e4 {}", PINNED_AND_BACK.repeat(rounds));
    let tempo = |rounds| format!("{TEMPO_LOST}{}", AND_BACK.repeat(rounds));
    for (ruleset, wrong, right) in [
        (
            F,
            &["9.2.2", "9.2.3", "9.5.3"] as &'static [&'static str],
            &["9.2.2", "9.5.2"] as &'static [&'static str],
        ),
        (CN, &["10.10(2)", "10.10", "10.13(2)"], &["10.10(2)", "10.13(1)"]),
    ] {
        cases.extend([
            claimed(ruleset, W, CASTLING, rooks(2), false, wrong),
            claimed(ruleset, W, CASTLING, rooks(3), true, right),
            claimed(ruleset, B, PASSING, passed(2), false, wrong),
            claimed(ruleset, B, PASSING, passed(3), true, right),
            claimed(ruleset, B, PINNED, pinned(2), true, right),
            claimed(ruleset, B, TRIANGLE, tempo(1), false, wrong),
            claimed(ruleset, B, TRIANGLE, tempo(2), true, right),
        ]);
    }
    // 9.3 and 10.12 ask for moves, whatever stands on the board.
    cases.push(
        case(
            "",
            F,
            vec![claim(W, FiftyMoves, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.3.2", "9.5.3"],
        )
        .fen("4k3/8/8/8/8/8/8/R3K3 w - - 98 80"),
    );
    // Without a claim: where the third occurrence draws by itself, and where the fifth does.
    let automatic = |ruleset, fen: &str, line: String, draws: bool, articles| {
        let want = if draws {
            Ends(DRAW, Reason::Repetition)
        } else {
            GoesOn
        };
        case("", ruleset, vec![], want, articles).fen(fen).moves(&line)
    };
    for ruleset in ["popular", "club"] {
        cases.extend([
            automatic(ruleset, CASTLING, rooks(2), false, &[]),
            automatic(ruleset, CASTLING, rooks(3), true, &["repetition"]),
            automatic(ruleset, PASSING, passed(2), false, &[]),
            automatic(ruleset, PASSING, passed(3), true, &["repetition"]),
            automatic(ruleset, TRIANGLE, tempo(1), false, &[]),
            automatic(ruleset, TRIANGLE, tempo(2), true, &["repetition"]),
        ]);
    }
    cases.extend([
        automatic(F, CASTLING, rooks(4), false, &[]),
        automatic(F, CASTLING, rooks(5), true, &["9.6.1"]),
        automatic("online-platform", CASTLING, rooks(6), false, &[]),
    ]);
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    [mates_and_stalemates(), nobody_can_mate(), identity()]
        .into_iter()
        .flatten()
        .collect()
}

/// 2.1 to 2.3, 1.1 to 2.2 of the older code: who says nothing of the position has the standard one, in which White moves
/// first and nothing has ended.
#[test]
fn the_standard_position_is_the_one_that_the_laws_describe() {
    let men = tabiya_rules::Board::startpos();
    let rank = |number: u8| -> String {
        ('a'..='h')
            .map(|file| {
                let square = sq(&format!("{file}{number}"));
                men.piece_on(square)
                    .map_or('.', |piece| piece.letter().to_ascii_uppercase())
            })
            .collect()
    };
    assert_eq!([rank(1), rank(8)], ["RNBQKBNR", "RNBQKBNR"]);
    assert_eq!([rank(2), rank(7)], ["PPPPPPPP", "PPPPPPPP"]);
    assert_eq!([rank(3), rank(6)], ["........", "........"]);
    for color in tabiya_rules::Color::ALL {
        assert_eq!(men.colors(color).count(), 16);
    }
    let start: Vec<Event> = vec![mv(W, "e2e4")];
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
        let report = case("", ruleset, start.clone(), GoesOn, &[]).report();
        assert_eq!(report.status, GameStatus::Ongoing, "{ruleset}");
    }
}
