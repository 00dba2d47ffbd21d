//! The rows of the public bug reports that are about rules and notation.

mod cases;

use cases::{rows, text};
use serde_json::Value;
use tabiya_rules::fen::{self, FenMode, Reason};
use tabiya_rules::san::{self, SanErrorKind, SanMode};
use tabiya_rules::uci::UciError;
use tabiya_rules::{Board, Game, MoveList, Variant, uci};

fn variant(row: &Value) -> Variant {
    if row["input"]["chess960"] == true {
        Variant::Chess960
    } else {
        Variant::Standard
    }
}

fn board(row: &Value) -> Board {
    match row["input"]["fen"].as_str() {
        Some(text) => fen::parse(text, FenMode::Analysis, variant(row)).unwrap().board,
        None => Board::startpos(),
    }
}

/// Plays the row's moves and tells how often the position stood after each.
fn replay(row: &Value) -> (Game, Vec<u32>) {
    let mut game = Game::new(board(row));
    let mut counts = vec![1];
    for text in row["input"]["san"].as_str().unwrap_or("").split_whitespace() {
        let mv = san::parse(game.board(), text, SanMode::Lenient).unwrap();
        game.play(mv);
        counts.push(game.repetition_count());
    }
    (game, counts)
}

fn first(counts: &[u32], wanted: u32) -> Option<usize> {
    counts.iter().position(|&count| count == wanted)
}

fn intended_third(game: &Game) -> Vec<String> {
    let mut list = MoveList::new();
    game.board().legal_moves(&mut list);
    let repeats = list.iter().filter(|&&mv| game.repetition_count_after(mv) >= 3);
    repeats
        .map(|&mv| san::write(game.board(), mv).to_string())
        .collect()
}

#[test]
fn bug_rows() {
    let Some(rows) = rows("bug_rows", "bugs.jsonl") else {
        return;
    };
    let mut seen = 0;
    for row in &rows {
        seen += 1;
        let (game, counts) = match text(row, "id") {
            "bug-27" | "bug-33" | "bug-36" | "bug-38" | "bug-39" | "bug-40" | "bug-42" | "bug-43"
            | "bug-44" | "bug-45" => (Game::new(Board::startpos()), vec![]),
            _ => replay(row),
        };
        match text(row, "id") {
            "bug-01" => assert_eq!(first(&counts, 3), Some(9)),
            "bug-03" => assert_eq!(first(&counts, 3), Some(8)),
            "bug-04" => assert_eq!(first(&counts, 3), Some(10)),
            "bug-06" => {
                assert_eq!(first(&counts, 3), None);
                assert_eq!(game.repetition_count(), 2);
            }
            "bug-07" => {
                assert!(game.repetition_count() < 3);
                assert_eq!(intended_third(&game), ["Ng8"]);
            }
            "bug-09" => assert_eq!(game.board().halfmove_clock(), 50),
            "bug-10" => {
                assert!(game.board().is_checkmate());
                assert_eq!(game.board().halfmove_clock(), 100);
            }
            "bug-12" | "bug-13" => assert_eq!(first(&counts, 5), Some(16)),
            "bug-27" => {
                let error = san::parse(&board(row), "O-O-O", SanMode::Lenient).unwrap_err();
                assert_eq!(error.kind, SanErrorKind::Illegal);
            }
            "bug-29" => {
                assert_eq!(
                    game.board().castling_rooks(),
                    "h1".parse::<tabiya_rules::Square>().unwrap().bitboard()
                );
                let inner = "4k3/8/8/8/8/8/8/4K1RR w G - 0 1";
                let read = fen::parse(inner, FenMode::Strict, Variant::Chess960).unwrap();
                assert_eq!(fen::xfen(&read.board), inner);
            }
            "bug-30" => {
                let mv =
                    uci::parse(game.board(), row["input"]["uci"].as_str().unwrap(), variant(row)).unwrap();
                assert!(mv.is_castle());
                assert_eq!(&*san::write(game.board(), mv), "O-O");
            }
            "bug-32" => assert!(fen::xfen(game.board()).contains(" b Qq ")),
            "bug-33" => {
                let text = row["input"]["uci"].as_str().unwrap();
                assert_eq!(
                    uci::parse(&board(row), text, variant(row)),
                    Err(UciError::Illegal(text.into()))
                );
            }
            "bug-35" => {
                let text = row["input"]["fen"].as_str().unwrap();
                let error = fen::parse(text, FenMode::Strict, Variant::Standard).unwrap_err();
                assert!(
                    error
                        .reasons()
                        .iter()
                        .any(|reason| matches!(reason, Reason::EnPassantCheck(_)))
                );
                assert_eq!(game.board().en_passant(), None);
            }
            "bug-36" => {
                let board = board(row);
                let mv = uci::parse(&board, row["input"]["uci"].as_str().unwrap(), variant(row)).unwrap();
                assert_eq!(&*san::write(&board, mv), "Nd4");
                assert_eq!(san::parse(&board, "Nd4", SanMode::Strict), Ok(mv));
            }
            // Of the rows on flags, material and resignation only the notation is tested here.
            "bug-14" => assert!(game.board().in_check() && game.board().count_legal() == 1),
            "bug-23" => assert!(game.board().is_checkmate()),
            _ => seen -= 1,
        }
    }
    assert_eq!(seen, 18);
}
