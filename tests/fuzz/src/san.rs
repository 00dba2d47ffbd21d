//! Move text on several boards; what is accepted must be legal, and its export form must mean the same move.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_rules::Board;
use tabiya_rules::san::{self, SanMode};

const BOARDS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
    "r1b1k2r/8/8/q7/1b6/2N1N3/3P4/R3K2R w KQkq - 0 1",
    "7k/8/8/Q2Q4/8/8/Q6K/8 w - - 0 1",
];

fuzz_target!(|text: &str| {
    for fen in BOARDS {
        let board = Board::from_fen(fen).unwrap();
        for mode in [SanMode::Lenient, SanMode::Strict] {
            match san::parse(&board, text, mode) {
                Ok(mv) => {
                    assert!(board.is_legal(mv), "{text:?} {mv}");
                    let written = san::write(&board, mv);
                    assert_eq!(san::parse(&board, &written, SanMode::Strict), Ok(mv), "{text:?}");
                    if mode == SanMode::Strict {
                        assert_eq!(&*written, text);
                    }
                }
                Err(error) => drop(error.to_string()),
            }
        }
    }
});
