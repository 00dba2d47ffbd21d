//! Moves in Chinese: 马f3, 兵吃d5, 兵a8升变后将死, 短易位.
//!
//! [`write()`] gives one form, in Simplified characters, with as much of the origin as is needed, so that no two
//! legal moves of a position share a text. [`parse`] also reads Traditional characters, full-width letters and
//! digits, other names of the pieces, `x` for 吃, and the dialect in which Chinese rule texts record games, with the
//! origin in front of the letter and the capture mark behind the square: `bNd2`, `Nf3x+`, `ed6xe.p.`, `e8(=Q)#`.
//! `services/rules/CHINESE_NOTATION.md` has the grammar.

mod lexer;
mod read;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use write::{write, write_to};

use crate::san::SanError;
use crate::{Board, Move};

/// The legal move that a text means.
///
/// # Errors
///
/// What is wrong with the text. As in lenient reading of SAN, nothing is guessed between two legal moves and no
/// promotion is supplied. A text that says 吃 or 吃过路兵 of a move that is none is not legal; whether it says
/// 将军 or 将死 makes no difference.
///
/// ```
/// use tabiya_rules::{Board, chinese};
///
/// let board = Board::startpos();
/// let mv = chinese::parse(&board, "馬Ｇ１－ｆ３").unwrap();
/// assert_eq!(chinese::write(&board, mv), "马f3");
/// ```
pub fn parse(board: &Board, text: &str) -> Result<Move, SanError> {
    read::parse(board, text).map_err(|kind| SanError::new(kind, text))
}
