//! PGN bytes, plain or compressed: read in both modes and by both layers; what was read must survive being
//! written, and the pieces in which it arrives must not matter.

#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use tabiya_rules::pgn::{GameTree, Games, MainLine, Mode, Reader, decompress};

struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len()).min(3);
        let (head, rest) = self.0.split_at(length);
        buffer[..length].copy_from_slice(head);
        self.0 = rest;
        Ok(length)
    }
}

fn games(input: impl Read) -> Vec<GameTree> {
    Games::new(input, Mode::Lenient).filter_map(Result::ok).collect()
}

fuzz_target!(|bytes: &[u8]| {
    // Compressed input may unfold to far more than a fuzzer can wait for.
    let stream = decompress(bytes).unwrap().take(1 << 16);
    let whole = games(stream);
    for game in Games::new(bytes, Mode::Strict).flatten() {
        assert!(game.defects().is_empty());
    }
    let mut reader = Reader::new(bytes);
    let mut line = MainLine::default();
    while reader.read_game(&mut line).unwrap() {}
    if std::str::from_utf8(bytes).is_ok() {
        assert_eq!(games(bytes), games(Trickle(bytes)));
    }
    for game in whole {
        let written = game.to_string();
        let again = games(written.as_bytes());
        assert_eq!(again.len(), 1, "{written}");
        assert_eq!(again[0].move_count(), game.move_count(), "{written}");
        assert_eq!(
            again[0].errors().count(),
            0,
            "{written}\n{:?}",
            again[0].defects()
        );
        assert_eq!(games(again[0].to_string().as_bytes())[0], again[0], "{written}");
    }
});
