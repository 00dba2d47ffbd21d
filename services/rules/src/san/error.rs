//! Why a text is no move.

use std::fmt;

use crate::fen::excerpt;

/// What is wrong with the text of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SanErrorKind {
    /// Not of the form of a move.
    Syntax,
    /// A null move (`--`, `Z0`, `0000`), which no game can contain.
    NullMove,
    /// No legal move of the position.
    Illegal,
    /// Several legal moves fit.
    Ambiguous,
    /// A pawn reaches the last rank and the text does not say what it becomes.
    MissingPromotion,
    /// Strict reading: castling written as a king's move.
    Notation,
    /// Strict reading: more of the origin than is needed.
    Overspecified,
    /// Strict reading: a capture without its mark, or a mark without a capture.
    CaptureMark,
    /// Strict reading: the mark of check or mate is missing or wrong.
    CheckMark,
}

impl fmt::Display for SanErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not of the form of a move",
            Self::NullMove => "a null move is no legal move",
            Self::Illegal => "not legal here",
            Self::Ambiguous => "several legal moves fit",
            Self::MissingPromotion => "what the pawn becomes is missing",
            Self::Notation => "castling is written with o's",
            Self::Overspecified => "more of the origin than is needed",
            Self::CaptureMark => "capture mark missing or wrong",
            Self::CheckMark => "mark of check or mate missing or wrong",
        })
    }
}

/// A text that is no move, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SanError {
    /// What is wrong.
    pub kind: SanErrorKind,
    /// The text, cut to 64 bytes.
    pub text: String,
}

impl SanError {
    pub(crate) fn new(kind: SanErrorKind, text: &str) -> Self {
        Self {
            kind,
            text: excerpt(text),
        }
    }
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {:?}: {}", self.text, self.kind)
    }
}

impl std::error::Error for SanError {}
