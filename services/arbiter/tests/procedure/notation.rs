//! How moves are written (appendix C, 11.1, the lay texts): as they stand on score sheets and under seal.

use tabiya_arbiter::replay::{Effect, Reason};
use tabiya_rules::{Board, Variant, uci};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// Two knights reach d2, two rooks e1; a pawn promotes on d8 or c8; both sides may castle; a bishop takes on e5.
const KNIGHTS: &str = "4k3/4p3/8/8/8/5N2/8/1N2K3 w - - 0 1";
const ROOKS: &str = "4k3/8/8/8/8/8/p3K3/R6R w - - 0 1";
const FILES: &str = "R7/7k/8/8/8/8/4K3/R7 w - - 0 1";
const PAWN: &str = "2r4k/3P4/8/8/8/8/P7/K7 w - - 0 1";
const CASTLE: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const TAKES: &str = "4k3/8/8/4p3/3P4/2B5/8/4K3 w - - 0 1";
const PASSING: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
const MATES: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

/// A position, the ways to write a move in it, and the move.
const WRITTEN: &[(&str, &[&str], &str)] = &[
    // C.1, C.2, C.8: letter and square; C.3: figurines, and the letters of the player's own language.
    (
        START,
        &[
            "Nf3", "♘f3", "♞f3", "马f3", "馬f3", "Ng1f3", "Ng1-f3", "1.Nf3", "1. Nf3", "g1f3", "Sf3", "Cf3",
            "Sg1-f3", "Кf3",
        ],
        "g1f3",
    ),
    // C.4: a pawn has no letter; C.12: an offer is marked behind the move.
    (
        START,
        &[
            "e4",
            "e2e4",
            "e2-e4",
            "Pe4",
            "兵e4",
            "e4(=)",
            "e4 (=)",
            "e4（=）",
            "1. e4 (=)",
        ],
        "e2e4",
    ),
    // C.8, C.13: marks of captures and checks are optional.
    (TAKES, &["dxe5", "d4xe5", "d4e5", "d:e5"], "d4e5"),
    (
        MATES,
        &[
            "Ra8", "Ra8+", "Ra8#", "Ra8++", "Ra1-a8#", "车a8", "Ta8", "Ta8+", "Лa8",
        ],
        "a1a8",
    ),
    // C.9: in passing.
    (
        PASSING,
        &[
            "exd6",
            "exd6 e.p.",
            "exd6e.p.",
            "exd6 en pt",
            "exd6 en passant",
            "e5d6",
        ],
        "e5d6",
    ),
    // C.10: the file, the rank or both of the origin.
    (KNIGHTS, &["Nbd2", "N1d2", "Nb1d2", "Nb1-d2"], "b1d2"),
    (KNIGHTS, &["Nfd2", "N3d2", "Nf3d2"], "f3d2"),
    (ROOKS, &["Rae1", "Ra1e1"], "a1e1"),
    (FILES, &["R1a4", "Ra1a4"], "a1a4"),
    (FILES, &["R8a4", "Ra8-a4"], "a8a4"),
    // C.11: a promotion, with or without a sign.
    (
        PAWN,
        &[
            "d8Q", "d8=Q", "d8(Q)", "d8(=Q)", "d8/Q", "d8=Q+", "d7d8Q", "d7d8q", "d8D", "d8=D+", "d8(Ф)",
        ],
        "d7d8q",
    ),
    (PAWN, &["dxc8N", "dxc8=N", "d7xc8=N", "d7c8n"], "d7c8n"),
    // C.13: castling.
    (CASTLE, &["0-0", "O-O", "o-o", "0-0+", "e1g1", "短易位"], "e1g1"),
    (CASTLE, &["0-0-0", "O-O-O", "e1c1", "长易位"], "e1c1"),
];

/// The move that a text under seal means is the one that is played on resumption.
fn sealed() -> Vec<Case> {
    let mut cases = Vec::new();
    for &(fen, texts, meant) in WRITTEN {
        let board = Board::from_fen(fen).unwrap();
        let meant = uci::parse(&board, meant, Variant::Standard).unwrap();
        for &text in texts {
            for (ruleset, articles) in [(F, &["I.9.1"] as &'static [&'static str]), (CN, &["14.2"])] {
                let events = vec![seal(text, true), resume(true, 0)];
                let mates = board.after(meant);
                let want = match !mates.has_legal_move() {
                    true => Ends(WHITE_WINS, Reason::Mate),
                    false => Rules(true, Reason::Resumed),
                };
                cases.push(
                    case("", ruleset, events, want, articles)
                        .fen(fen)
                        .effect(Effect::SealedMove(meant)),
                );
            }
        }
    }
    cases
}

/// 1.3 to 1.5, C.5 to C.7: files from a to h and ranks from 1 to 8, whoever is on move.
fn named_squares() -> Vec<Case> {
    let mut cases = Vec::new();
    for (ruleset, lay) in [
        (F, false),
        (CN, false),
        ("popular", true),
        ("club", true),
        ("online-platform", true),
    ] {
        let made = || Rules(true, Reason::MoveMade);
        for text in ["h2h4", "h4", "a3", "Na3", "马a3"] {
            cases.push(case("", ruleset, vec![mv(W, text)], made(), &[]));
        }
        for text in ["h7h5", "h5", "Nh6", "马h6"] {
            cases.push(case("", ruleset, vec![mv(B, text)], made(), &[]).moves("e2e4"));
        }
        // There is no ninth rank, and no file after the eighth.
        for text in ["e9", "i4", "e2e9", "Nj3", "?"] {
            let want = Rules(false, Reason::Unreadable);
            let article: &[&str] = match (ruleset, lay) {
                (F, _) => &["3.10.2"],
                (CN, _) => &["4.1"],
                _ => &["moves"],
            };
            cases.push(case("", ruleset, vec![mv(W, text)], want, article));
        }
    }
    cases
}

/// What fits two moves, and what fits none, is not guessed at.
fn unclear() -> Vec<Case> {
    let moved = |fen: &str, text, want| case("", F, vec![mv(W, text)], want, &[]).fen(fen);
    let ambiguous = || Rules(false, Reason::Ambiguous);
    vec![
        moved(KNIGHTS, "Nd2", ambiguous()),
        moved(FILES, "Ra4", ambiguous()),
        moved(FILES, "Raa4", ambiguous()),
        // Queen's or pawn's: a capital file is one in Chinese.
        moved(
            "4k3/8/8/4p3/3P3Q/8/8/4K3 w - - 0 1",
            "Dxe5",
            Rules(true, Reason::MoveMade),
        ),
        moved(
            "4k3/8/8/4p3/3P4/2Q5/8/4K3 w - - 0 1",
            "De5",
            Rules(true, Reason::MoveMade),
        ),
        moved("4k3/8/8/4p3/3P4/8/7Q/4K3 w - - 0 1", "Dxe5", ambiguous()),
        moved(PAWN, "d8", Rules(false, Reason::PromotionLeft)),
        moved(PAWN, "d8=", Rules(false, Reason::Unreadable)),
    ]
}

/// Source 000's own way: the file or the rank of the origin before the letter, and what was taken behind the square.
fn lay() -> Vec<Case> {
    let moved = |fen: &str, text| {
        case(
            "",
            "popular",
            vec![mv(W, text)],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(fen)
    };
    let pawn = ["d8(=Q)", "c8x(=N)", "dc8x(=N)"].map(|text| moved(PAWN, text));
    let knights = ["fNd2", "3Nd2", "bNd2", "1Nd2"].map(|text| moved(KNIGHTS, text));
    let takes = ["e5x", "de5x", "Pe5x", "dxe5"].map(|text| moved(TAKES, text));
    let passing =
        ["ed6x e.p.", "ed6x en pt", "d6x en pt", "exd6 en passant"].map(|text| moved(PASSING, text));
    let castles = ["0-0", "0-0-0"].map(|text| moved(CASTLE, text));
    pawn.into_iter()
        .chain(knights)
        .chain(takes)
        .chain(passing)
        .chain(castles)
        .collect()
}

pub(crate) fn cases() -> Vec<Case> {
    [sealed(), named_squares(), unclear(), lay()]
        .into_iter()
        .flatten()
        .collect()
}
