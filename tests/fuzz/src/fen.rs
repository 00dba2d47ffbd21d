//! FEN text of any shape, in each mode and variant; what is accepted must survive being written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{MoveList, Variant};

fuzz_target!(|text: &str| {
    for variant in [Variant::Standard, Variant::Chess960] {
        for mode in [FenMode::Analysis, FenMode::Strict, FenMode::Lenient] {
            let read = match fen::parse(text, mode, variant) {
                Ok(read) => read,
                Err(error) => {
                    assert!(!error.reasons().is_empty());
                    let _ = error.to_string();
                    continue;
                }
            };
            let mut moves = MoveList::new();
            read.board.legal_moves(&mut moves);
            assert_eq!(read.board.count_legal(), moves.len() as u64);
            for written in [fen::xfen(&read.board), fen::shredder(&read.board)] {
                // Shredder's letters need the variant in which a castling king may stand anywhere.
                let again = fen::parse(&written, FenMode::Analysis, Variant::Chess960);
                assert_eq!(again.expect(&written).board, read.board, "{written}");
            }
        }
    }
});
