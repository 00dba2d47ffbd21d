//! What lenient reading changed, and the log in which the modes differ.

use std::fmt;

use super::FenMode;
use super::castling::CastlingLetter;
use super::error::{EnPassantFlaw, Reason};
use crate::Square;

/// A change that [`FenMode::Lenient`] made to the text because no other reading was possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repair {
    /// A byte-order mark in front was dropped.
    ByteOrderMark,
    /// Tabs, line ends and surplus blanks became single blanks.
    Spacing,
    /// Underscores were read as blanks.
    Underscores,
    /// Empty-square digits in a row of the board were added together; the rank as 1 to 8.
    DigitsMerged(u8),
    /// The side to move was missing: White.
    SideAssumed,
    /// The side to move was in upper case.
    SideCase,
    /// The castling field was missing: no rights.
    CastlingAssumed,
    /// Castling letters came in another order or more than once.
    CastlingOrdered,
    /// File letters in a standard game became K, Q, k or q.
    CastlingLetters,
    /// A castling right without the king and rook for it was dropped.
    CastlingDropped(CastlingLetter),
    /// The en-passant field was missing: none.
    EnPassantAssumed,
    /// The en-passant square was in upper case.
    EnPassantCase,
    /// The en-passant square was dropped.
    EnPassantDropped(Square, EnPassantFlaw),
    /// A missing counter became 0 (half-moves) or 1 (move number).
    CounterAssumed,
    /// Leading zeros of a counter were dropped.
    LeadingZeros(u32),
    /// Move number 0 became 1.
    FullmoveRaised,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("byte-order mark dropped"),
            Self::Spacing => f.write_str("blanks between fields normalised"),
            Self::Underscores => f.write_str("underscores read as blanks"),
            Self::DigitsMerged(rank) => write!(f, "digits in a row added together on rank {rank}"),
            Self::SideAssumed => f.write_str("side to move missing, white assumed"),
            Self::SideCase => f.write_str("side to move read in lower case"),
            Self::CastlingAssumed => f.write_str("castling field missing, no rights assumed"),
            Self::CastlingOrdered => f.write_str("castling letters put in order"),
            Self::CastlingLetters => f.write_str("file letters of castling rights read as k and q"),
            Self::CastlingDropped(letter) => {
                write!(
                    f,
                    "castling right {letter} dropped, its king or rook is not in place"
                )
            }
            Self::EnPassantAssumed => f.write_str("en passant field missing, none assumed"),
            Self::EnPassantCase => f.write_str("en passant square read in lower case"),
            Self::EnPassantDropped(square, flaw) => write!(f, "en passant square {square} dropped, {flaw}"),
            Self::CounterAssumed => f.write_str("counter missing, its first value assumed"),
            Self::LeadingZeros(value) => write!(f, "leading zeros of {value} dropped"),
            Self::FullmoveRaised => f.write_str("move number 0 raised to 1"),
        }
    }
}

/// Reasons and repairs as reading goes along.
pub(super) struct Log {
    pub(super) mode: FenMode,
    pub(super) reasons: Vec<Reason>,
    pub(super) repairs: Vec<Repair>,
}

impl Log {
    pub(super) fn new(mode: FenMode) -> Self {
        Self {
            mode,
            reasons: Vec::new(),
            repairs: Vec::new(),
        }
    }

    pub(super) fn is_lenient(&self) -> bool {
        self.mode == FenMode::Lenient
    }

    /// Something with no repair.
    pub(super) fn refuse(&mut self, reason: Reason) {
        self.reasons.push(reason);
    }

    /// Something that lenient reading repairs and the other modes refuse.
    pub(super) fn flaw(&mut self, reason: Reason, repair: Repair) {
        if !self.is_lenient() {
            self.reasons.push(reason);
        } else if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }
}
