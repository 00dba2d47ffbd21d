//! Portable Game Notation: games as text, read from any stream and written in the export format.
//!
//! Reading has two layers. [`Reader`] turns a stream of any length into events for a [`Visitor`], without an
//! allocation for a move, in memory bounded by the longest comment. On top of it, [`Games`] builds a [`GameTree`] of
//! each game, with variations, comments, glyphs, clocks and evaluations; [`MainLine`] collects only the moves
//! played; [`GameTexts`] takes a stream apart into the texts of its games. A `GameTree` written with `to_string()` is a
//! game in export format.
//!
//! Nothing stops a stream but an I/O error: whatever departs from the export format is a [`Defect`] with its place, and
//! after an error the moves up to it remain. [`Mode`] says how much is forgiven.
//!
//! What lenient reading takes beyond the standard's import format: a byte-order mark; line ends of any kind; empty
//! lines anywhere; tags in one line, without closing bracket, with bare quotes, given twice; `FEN` without
//! `SetUp`; no tags at all; results written `½-½` or `1:0` or left out; `e.p.` and `(=)` after a move; evaluation
//! signs such as `±`; moves in any spelling that the `san` module takes; null moves (`--`, `Z0`), which
//! annotators use to show threats ([`MainLine`] ends before one). `Variant` may name Chess960 in its usual spellings. Text that is not UTF-8 is read as GB18030 or Windows-1252, see
//! [`TextEncoding`].
//!
//! Source: "Portable Game Notation Specification and Implementation Guide", S. J. Edwards, 1994.

mod build;
pub mod command;
mod comment;
#[cfg(feature = "pgn-decode")]
mod decompress;
mod defect;
mod encoding;
mod games;
pub mod glyph;
mod header;
mod location;
mod main_line;
mod movetext;
mod nest;
mod notation;
mod notes;
mod outcome;
mod quick_san;
mod reader;
mod result;
mod source;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod tree;
mod visitor;
mod writer;

#[cfg(feature = "pgn-decode")]
pub use decompress::{Decompress, decompress};
pub use defect::{Defect, DefectKind, ResultConflict, Severity};
pub use encoding::TextEncoding;
pub use games::{Games, Mode, PgnError, RejectedGame};
pub use location::Location;
pub use main_line::MainLine;
pub use outcome::Outcome;
pub use reader::{MAX_NESTING, MAX_TOKEN_BYTES, Reader};
pub use tags::{SEVEN_TAG_ROSTER, Tags};
pub use texts::{GameText, GameTexts};
pub use tree::{GameTree, MAX_NODES, NodeId, play};
pub use visitor::{Flow, Visitor};
