//! UCI moves on several boards; what is accepted must be legal and survive being written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Variant, uci};

const BOARDS: [(&str, Variant); 4] = [
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        Variant::Standard,
    ),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", Variant::Standard),
    ("8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", Variant::Standard),
    ("1rkr4/8/8/8/8/8/8/RK5R w HAdb - 0 1", Variant::Chess960),
];

fuzz_target!(|text: &str| {
    for (fen, variant) in BOARDS {
        let board = fen::parse(fen, FenMode::Analysis, variant).unwrap().board;
        match uci::parse(&board, text, variant) {
            Ok(mv) => {
                assert!(board.is_legal(mv), "{text:?} {mv}");
                assert_eq!(
                    uci::parse(&board, &uci::write(mv, variant), variant),
                    Ok(mv),
                    "{text:?}"
                );
            }
            Err(error) => drop(error.to_string()),
        }
    }
});
