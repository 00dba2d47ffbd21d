//! Every row of the FEN case file, in all three modes.

mod cases;

use cases::{rows, text};
use tabiya_rules::fen::{self, FenMode, Reason, Stage};
use tabiya_rules::{Board, Variant};

fn variant(row: &serde_json::Value) -> Variant {
    match text(row, "mode") {
        "standard" => Variant::Standard,
        "chess960" => Variant::Chess960,
        other => panic!("variant {other}"),
    }
}

/// The board that the row says lenient reading gives.
fn expected(row: &serde_json::Value, text: &str) -> Board {
    fen::parse(text, FenMode::Analysis, variant(row)).unwrap().board
}

#[test]
fn fen_rows() {
    let Some(rows) = rows("fen_rows", "fen.jsonl") else {
        return;
    };
    assert_eq!(rows.len(), 65);
    for row in &rows {
        let (id, raw, variant) = (text(row, "id"), text(row, "raw"), variant(row));
        for (mode, field) in [(FenMode::Strict, "strict"), (FenMode::Analysis, "analysis")] {
            let read = fen::parse(raw, mode, variant);
            assert_eq!(
                read.is_ok(),
                text(row, field) == "accept",
                "{id} {field}: {read:?}"
            );
            if let Ok(read) = &read {
                assert!(read.repairs.is_empty(), "{id} {field}");
            }
        }

        let read = fen::parse(raw, FenMode::Lenient, variant);
        match text(row, "lenient") {
            "reject" => assert!(read.is_err(), "{id}: {read:?}"),
            "accept as written" => {
                let read = read.unwrap();
                assert!(read.repairs.is_empty(), "{id}: {:?}", read.repairs);
                let written = [fen::xfen(&read.board), fen::shredder(&read.board)];
                assert!(written.iter().any(|text| text == raw), "{id}: {written:?}");
            }
            other => {
                let wanted = other.strip_prefix("accept as: ").unwrap();
                let read = read.unwrap_or_else(|error| panic!("{id}: {error}"));
                assert!(!read.repairs.is_empty(), "{id}: a repair without a word");
                assert_eq!(read.board, expected(row, wanted), "{id}");
                assert_eq!(fen::xfen(&read.board), wanted, "{id}");
            }
        }

        // What the row says of the text must be what the reasons say of it.
        let reasons = fen::parse(raw, FenMode::Strict, variant).map_or_else(
            |error| error.reasons().iter().map(Reason::stage).collect(),
            |_| Vec::new(),
        );
        let syntax_ok = row["syntax_ok"].as_bool().unwrap();
        assert_eq!(!reasons.contains(&Stage::Syntax), syntax_ok, "{id}: {reasons:?}");
        if syntax_ok {
            let playable = row["playable"].as_bool().unwrap();
            assert_eq!(!reasons.contains(&Stage::Playable), playable, "{id}: {reasons:?}");
            if playable {
                let plausible = row["plausible"].as_bool().unwrap();
                assert_eq!(
                    !reasons.contains(&Stage::Plausible),
                    plausible,
                    "{id}: {reasons:?}"
                );
            }
        }
    }
}
