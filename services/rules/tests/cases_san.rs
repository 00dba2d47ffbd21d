//! Every row of the SAN case file.

mod cases;

use cases::{rows, text};
use tabiya_rules::fen::Reason;
use tabiya_rules::san::{self, SanErrorKind, SanMode};
use tabiya_rules::{Board, Color, Move, Variant, uci};

fn name(kind: SanErrorKind) -> &'static str {
    match kind {
        SanErrorKind::Syntax => "reject:syntax",
        SanErrorKind::NullMove => "reject:null-move",
        SanErrorKind::Illegal => "reject:illegal",
        SanErrorKind::Ambiguous => "reject:ambiguous",
        SanErrorKind::MissingPromotion => "reject:missing-promotion",
        SanErrorKind::Notation => "reject:notation",
        SanErrorKind::Overspecified => "reject:overspecified",
        SanErrorKind::CaptureMark => "reject:capture-mark",
        SanErrorKind::CheckMark => "reject:check-mark",
    }
}

#[test]
fn san_rows() {
    let Some(rows) = rows("san_rows", "san.jsonl") else {
        return;
    };
    assert_eq!(rows.len(), 59);
    for row in &rows {
        let id = text(row, "id");
        let board = match Board::from_fen(text(row, "fen")) {
            Ok(board) => board,
            Err(error) => {
                // In this row Black is in check with White to move: what it wants refused is refused a step earlier.
                assert_eq!(
                    (id, error.reasons()),
                    ("san-three-queens", &[Reason::OppositeCheck(Color::Black)][..])
                );
                assert_eq!([text(row, "strict"), text(row, "lenient")], ["reject:illegal"; 2]);
                continue;
            }
        };
        let expected: Option<Move> = row["uci"]
            .as_str()
            .map(|text| uci::parse(&board, text, Variant::Standard).unwrap());
        for (mode, field) in [(SanMode::Strict, "strict"), (SanMode::Lenient, "lenient")] {
            match san::parse(&board, text(row, "san"), mode) {
                Ok(mv) => {
                    assert_eq!("accept", text(row, field), "{id} {field}");
                    assert_eq!(Some(mv), expected, "{id} {field}");
                    assert_eq!(*san::write(&board, mv), *text(row, "canonical"), "{id}");
                }
                Err(error) => assert_eq!(name(error.kind), text(row, field), "{id} {field}"),
            }
        }
    }
}
