//! Every row of the perft case file, to every depth that it gives, and the castling forms of its FEN.

mod cases;

use cases::{rows, text};
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Variant, perft};

#[test]
fn perft_rows() {
    let Some(rows) = rows("perft_rows", "perft.jsonl") else {
        return;
    };
    assert_eq!(rows.len(), 61);
    for row in &rows {
        let id = text(row, "id");
        let variant = if row["chess960"].as_bool().unwrap() {
            Variant::Chess960
        } else {
            Variant::Standard
        };
        let read = |text: &str| fen::parse(text, FenMode::Analysis, variant).unwrap().board;
        let board = read(text(row, "fen"));
        for (depth, nodes) in row["perft"].as_object().unwrap() {
            assert_eq!(
                perft(&board, depth.parse().unwrap()),
                nodes.as_u64().unwrap(),
                "{id} depth {depth}"
            );
        }
        if variant == Variant::Chess960 {
            let (shredder, xfen) = (text(row, "shredder_fen"), text(row, "xfen"));
            assert_eq!(fen::shredder(&board), shredder, "{id}");
            assert_eq!(fen::xfen(&board), xfen, "{id}");
            assert_eq!(read(shredder), board, "{id}");
            assert_eq!(read(xfen), board, "{id}");
        }
    }
}
