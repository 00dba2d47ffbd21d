//! Why a line is no record.

use std::fmt;

use crate::fen::{FenError, excerpt};
use crate::san::SanError;

/// What is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EpdError {
    /// Fewer than four fields of a position.
    Fields(usize),
    /// The position.
    Position(FenError),
    /// An opcode that is not a letter followed by at most fourteen letters, digits and underscores.
    Opcode(String),
    /// An opcode that came before.
    Repeated(String),
    /// A text without its closing quote.
    OpenQuote {
        /// The opcode.
        opcode: String,
    },
    /// An operand of the wrong kind.
    Operand {
        /// The opcode.
        opcode: String,
        /// The operand.
        value: String,
        /// What it should have been.
        expected: &'static str,
    },
    /// An operand that is no legal move.
    Move {
        /// The opcode.
        opcode: String,
        /// Why not.
        error: SanError,
    },
}

impl EpdError {
    pub(super) fn operand(opcode: &str, value: &str, expected: &'static str) -> Self {
        Self::Operand {
            opcode: opcode.to_owned(),
            value: excerpt(value),
            expected,
        }
    }
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields(count) => write!(f, "position: {count} of four fields"),
            Self::Position(error) => write!(f, "position: {error}"),
            Self::Opcode(text) => write!(f, "opcode {text:?}: not a letter followed by letters and digits"),
            Self::Repeated(opcode) => write!(f, "operation {opcode}: given twice"),
            Self::OpenQuote { opcode } => write!(f, "operation {opcode}: closing quote missing"),
            Self::Operand {
                opcode,
                value,
                expected,
            } => {
                write!(f, "operation {opcode}: operand {value:?} instead of {expected}")
            }
            Self::Move { opcode, error } => write!(f, "operation {opcode}: {error}"),
        }
    }
}

impl std::error::Error for EpdError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Position(error) => Some(error),
            Self::Move { error, .. } => Some(error),
            _ => None,
        }
    }
}
