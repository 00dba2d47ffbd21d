//! Sanity of the network that the repository ships.

use tabiya_evaluator::{Network, evaluate_reference};

use crate::record::tests::record_from_fen;

fn centipawns(fen: &str) -> i32 {
    let network = Network::default_network();
    let position = record_from_fen(fen).packed().expect("a position");
    network.to_centipawns(evaluate_reference(&network, &position))
}

#[test]
fn level_positions_are_level() {
    let start = centipawns("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(
        (0..=60).contains(&start),
        "the first move is worth a little: {start}"
    );
    let pawns = centipawns("8/5pkp/6p1/8/8/6P1/5PKP/8 w - - 0 1");
    assert!(pawns.abs() <= 60, "{pawns}");
}

#[test]
fn extra_material_counts_for_the_side_that_has_it() {
    // White's view, with a floor for each.
    let leads = [
        ("8/8/4k3/8/8/3QK3/8/8 w - - 0 1", 500),
        ("8/8/4k3/8/8/3RK3/8/8 w - - 0 1", 200),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 400),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", -60),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 1",
            -60,
        ),
        ("rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 150),
        ("4k3/8/8/3P4/8/8/8/4K3 w - - 0 1", 50),
    ];
    for (fen, floor) in leads {
        let white = centipawns(fen);
        assert!(white >= floor, "{fen}: {white} is below {floor}");
        let black = centipawns(&fen.replace(" w ", " b "));
        if floor > 0 {
            assert!(-black >= floor / 2, "{fen} with Black to move: {black}");
        }
    }
}

/// Exchanging the colours changes nothing at all; nor does reflecting the files where the network is mirrored.
#[test]
fn symmetric_positions_have_the_same_value() {
    let white = centipawns("2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1 w - - 0 26");
    let black = centipawns("2r3k1/1p3pp1/p4n1p/3p4/1P1N4/P3P2P/5PP1/2R3K1 b - - 0 26");
    assert_eq!(white, black);
    if Network::default_network().architecture().king_buckets.mirror {
        let files: Vec<String> = "2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1"
            .split('/')
            .map(|rank| rank.chars().rev().collect())
            .collect();
        assert_eq!(white, centipawns(&format!("{} w - - 0 26", files.join("/"))));
    }
}
