//! Where in a PGN stream something was found.

use std::fmt;

/// A place in a PGN stream.
///
/// Offsets count bytes of the text after decompression and conversion to UTF-8; for an uncompressed UTF-8 file
/// they are file offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Number of the game in the stream, from 1.
    pub game: u64,
    /// Bytes before this place.
    pub offset: u64,
    /// Line number, from 1. LF, CRLF and a bare CR each end a line.
    pub line: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}, byte {}", self.game, self.line, self.offset)
    }
}
