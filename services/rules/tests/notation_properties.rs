//! Readers on arbitrary text: whatever comes in, they answer, and what they accept comes back.

use proptest::prelude::*;
use tabiya_rules::epd::Epd;
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::san::{self, SanMode};
use tabiya_rules::{Board, MoveList, Variant, chinese, uci};

const VARIANTS: [Variant; 2] = [Variant::Standard, Variant::Chess960];
const MODES: [FenMode; 3] = [FenMode::Analysis, FenMode::Strict, FenMode::Lenient];

/// Six fields that are often nearly right, so that the later steps of reading are reached too.
fn fen_like() -> impl Strategy<Value = String> {
    let rank = prop::string::string_regex("[pnbrqkPNBRQK1-8]{1,8}").unwrap();
    let ranks = prop::collection::vec(rank, 8).prop_map(|ranks| ranks.join("/"));
    let few = prop::collection::vec(
        prop::sample::select(vec![
            "8", "4k3", "R3K2R", "r3k2r", "1p6", "P7", "3pP3", "K6k", "QQQQQQQQ", "1R2K1R1",
        ]),
        8,
    )
    .prop_map(|ranks| ranks.join("/"));
    let board = prop_oneof![ranks, few];
    (
        board,
        "[wbWB]",
        "(-|[KQkqA-Ha-h]{1,4})",
        "(-|[a-h][1-8]|[A-H][36])",
        "[0-9]{1,6}",
        "[0-9]{1,6}",
    )
        .prop_map(|(board, side, castling, en_passant, half, full)| {
            format!("{board} {side} {castling} {en_passant} {half} {full}")
        })
}

fn move_like() -> impl Strategy<Value = String> {
    prop_oneof![
        "[KQRBNPkqrnp]?[a-h]?[1-8]?[x:-]?[a-h][1-8](=?[QRBNKqrbn])?[+#!?]{0,2}",
        "[王后车象马兵車馬KQRBN吃x升变将军死短长易位a-hA-H1-8（）()=+#０-９ａ-ｈ ]{1,12}",
        ".{0,16}",
    ]
}

/// All that must hold of a text that may be a position.
fn check_fen(text: &str) {
    for variant in VARIANTS {
        for mode in MODES {
            match fen::parse(text, mode, variant) {
                Ok(read) => {
                    let written = fen::xfen(&read.board);
                    let again = fen::parse(&written, FenMode::Analysis, variant).unwrap();
                    assert_eq!(again.board, read.board);
                    assert_eq!(fen::xfen(&again.board), written);
                    let mut list = MoveList::new();
                    read.board.legal_moves(&mut list);
                }
                Err(error) => {
                    assert!(!error.reasons().is_empty());
                    assert!(!error.to_string().is_empty());
                }
            }
        }
        // What strict reading accepts, analysis accepts; what analysis accepts, lenient reading leaves as it is.
        let [analysis, strict, lenient] = MODES.map(|mode| fen::parse(text, mode, variant));
        if strict.is_ok() {
            assert!(analysis.is_ok());
        }
        if let Ok(analysis) = analysis {
            assert_eq!(lenient.unwrap().board, analysis.board);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fen_of_arbitrary_text(text in ".{0,100}") {
        check_fen(&text);
    }

    #[test]
    fn fen_of_text_that_looks_like_one(text in fen_like()) {
        check_fen(&text);
    }

    #[test]
    fn moves_of_arbitrary_text(text in move_like()) {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/1P4P1/8/3pP3/8/8/1p4p1/R3K2R w KQkq d6 0 1",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            for mode in [SanMode::Strict, SanMode::Lenient] {
                if let Ok(mv) = san::parse(&board, &text, mode) {
                    prop_assert!(list.contains(&mv), "{text}");
                    if mode == SanMode::Strict {
                        prop_assert_eq!(&*san::write(&board, mv), &text);
                    }
                }
            }
            let bytes = san::parse_bytes(&board, text.as_bytes());
            prop_assert_eq!(bytes.ok(), san::parse(&board, &text, SanMode::Lenient).ok());
            for variant in VARIANTS {
                if let Ok(mv) = uci::parse(&board, &text, variant) {
                    prop_assert!(list.contains(&mv), "{text}");
                }
            }
            if let Ok(mv) = chinese::parse(&board, &text) {
                prop_assert!(list.contains(&mv), "{text}");
            }
        }
    }

    #[test]
    fn epd_of_arbitrary_operations(text in "([a-z][a-z0-9]{0,3}( [^;]{0,8}| \"[^\"]{0,8}\")?;? ?){0,4}|.{0,60}") {
        for line in [format!("4k3/8/8/8/8/8/8/4K2R w K - {text}"), text.clone()] {
            if let Ok(epd) = Epd::parse(&line, Variant::Standard) {
                let _ = (epd.best_moves(), epd.avoided_moves(), epd.principal_variation(), epd.mate_in());
                let written = epd.to_string();
                let again = Epd::parse(&written, Variant::Standard).unwrap();
                prop_assert_eq!(again.to_string(), written);
            }
        }
    }
}
