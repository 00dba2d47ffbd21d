//! Standard Algebraic Notation: `Nf3`, `exd5`, `O-O`, `a8=Q#`.
//!
//! [`SanMode::Strict`] reads the export form of the PGN standard (8.2.3) alone. [`SanMode::Lenient`] reads the
//! import form: digits or small letters for castling, long forms (`e2-e4`, `Ng1f3`), `:` for a capture, `a8Q`,
//! `a8/Q` and `a8(=Q)`, figurines, missing or wrong marks of check and capture, `e.p.`, `(=)`, and glyphs such as
//! `!?`.
//! It never guesses between two legal moves and never supplies a missing promotion; a small `b` is always a file.

mod error;
pub(crate) mod resolve;
mod strict;
#[cfg(test)]
mod tests;
mod token;
mod write;

pub use error::{SanError, SanErrorKind};
pub(crate) use token::SanToken;
pub use write::{SanText, write, write_to};
pub(crate) use write::{disambiguation, file, rank};

use crate::{Board, Move};
use resolve::resolve;

/// How much is asked of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SanMode {
    /// The import form: whatever can mean only one legal move.
    #[default]
    Lenient,
    /// The export form, to the letter.
    Strict,
}

/// The legal move that a text means.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse(board: &Board, text: &str, mode: SanMode) -> Result<Move, SanError> {
    match mode {
        SanMode::Lenient => SanToken::read(text).and_then(|token| resolve(board, token)),
        SanMode::Strict => strict::parse(board, text),
    }
    .map_err(|kind| SanError::new(kind, text))
}

/// [`parse`] in the mode [`SanMode::Lenient`] of bytes, with no text kept in the error: for readers of whole files.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_bytes(board: &Board, text: &[u8]) -> Result<Move, SanErrorKind> {
    let token = if text.is_ascii() {
        SanToken::read_ascii(text)?
    } else {
        SanToken::read(std::str::from_utf8(text).map_err(|_| SanErrorKind::Syntax)?)?
    };
    resolve(board, token)
}
