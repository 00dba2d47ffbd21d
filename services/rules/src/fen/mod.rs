//! Positions as text: Forsyth-Edwards Notation, its superset X-FEN, and Shredder-FEN.
//!
//! Text climbs a ladder of types, each step with its own reasons to refuse:
//!
//! 1. text → [`FenRecord`]: six well-formed fields;
//! 2. record → [`Setup`]: pieces, the side to move, and castling letters resolved to rooks;
//! 3. set-up → [`Board`]: a position that can be played.
//!
//! [`parse`] climbs all of it and, when it refuses, lists every reason that it found on any step.
//!
//! | mode | accepts |
//! |---|---|
//! | [`FenMode::Analysis`] | well-formed text of a position that can be played |
//! | [`FenMode::Strict`] | the same, if it also passes cheap necessary tests of reachability and is written as X-FEN wants it |
//! | [`FenMode::Lenient`] | also text with flaws that have one possible repair; the [`Repair`]s are listed |
//!
//! Sources: PGN standard (S. J. Edwards, 1994), section 16.1; X-FEN (R. Scharnagl); Shredder-FEN
//! (castling rights as the files of the rooks).

mod castling;
mod error;
mod field;
mod format;
mod placement;
mod plausible;
mod playable;
mod record;
mod repair;
mod setup;
#[cfg(test)]
mod tests;

pub use castling::CastlingLetter;
pub use error::{EnPassantFlaw, FenError, Field, Reason, Stage};
pub(crate) use field::excerpt;
pub(crate) use format::epd_fields;
pub use format::{shredder, xfen};
pub use placement::Placement;
pub use record::FenRecord;
pub use repair::Repair;
pub use setup::Setup;

use crate::{Board, Variant};
use record::Partial;
use repair::Log;

/// How much is asked of the text of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FenMode {
    /// Well-formed and playable.
    #[default]
    Analysis,
    /// Also plausible (it passes cheap necessary tests of reachability) and clean X-FEN.
    Strict,
    /// What has exactly one possible repair is repaired.
    Lenient,
}

/// A position read from text.
#[derive(Clone, Debug)]
pub struct Fen {
    /// The position.
    pub board: Board,
    /// What [`FenMode::Lenient`] changed; empty in the other modes.
    pub repairs: Vec<Repair>,
}

/// Reads a position.
///
/// # Errors
///
/// Every reason against the text that the mode knows, in the order of the fields.
///
/// ```
/// use tabiya_rules::fen::{self, FenMode, Reason};
/// use tabiya_rules::{Color, Variant};
///
/// let fen = fen::parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1", FenMode::Strict, Variant::Standard).unwrap();
/// assert_eq!(fen::xfen(&fen.board), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
///
/// let refused = fen::parse("8/8/8/8/8/8/8/4K2R x K - 0 1", FenMode::Analysis, Variant::Standard).unwrap_err();
/// assert!(refused.reasons().contains(&Reason::KingMissing(Color::Black)));
/// assert_eq!(refused.reasons().len(), 2);
/// ```
pub fn parse(text: &str, mode: FenMode, variant: Variant) -> Result<Fen, FenError> {
    let mut log = Log::new(mode);
    let partial = Partial::read(text, variant, &mut log);
    let setup = partial.examine(variant, &mut log);
    let Log {
        reasons, mut repairs, ..
    } = log;
    match setup {
        Some(setup) if reasons.is_empty() => {
            let board = setup.to_board_unchecked();
            if mode == FenMode::Lenient {
                setup.note_unused_en_passant(&board, &mut repairs);
            }
            Ok(Fen { board, repairs })
        }
        _ => Err(FenError::new(reasons)),
    }
}

impl Board {
    /// A position of standard chess from its FEN, in the mode [`FenMode::Analysis`].
    ///
    /// # Errors
    ///
    /// See [`parse`].
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        parse(text, FenMode::Analysis, Variant::Standard).map(|fen| fen.board)
    }
}
