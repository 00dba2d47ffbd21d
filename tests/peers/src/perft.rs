//! Perft with bulk counting at the last ply, single thread.

use std::hint::black_box;

use crate::race;

const POSITIONS: [(&str, &str, u32); 3] = [
    (
        "start",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        6,
    ),
    (
        "kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
    ),
    ("promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 6),
];

pub fn run(rounds: usize) {
    for (name, fen, depth) in POSITIONS {
        let ours = tabiya_rules::Board::from_fen(fen).unwrap();
        let cozy: cozy_chess::Board = fen.parse().unwrap();
        let shak: shakmaty::Chess = fen
            .parse::<shakmaty::fen::Fen>()
            .unwrap()
            .into_position(shakmaty::CastlingMode::Standard)
            .unwrap();
        race(
            &format!("perft {name} {depth}"),
            "nodes",
            rounds,
            &[
                (
                    "tabiya-rules",
                    Box::new(|| tabiya_rules::perft(black_box(&ours), depth)),
                ),
                (
                    "cozy-chess 0.3.4",
                    Box::new(|| cozy_perft(black_box(&cozy), depth)),
                ),
                (
                    "shakmaty 0.30.1",
                    Box::new(|| shakmaty::perft(black_box(&shak), depth)),
                ),
            ],
        );
    }
}

/// At the last ply the move sets are counted, not unfolded.
fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += cozy_perft(&child, depth - 1);
            }
        }
        false
    });
    nodes
}
