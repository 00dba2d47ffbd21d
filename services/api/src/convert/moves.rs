use tabiya_rules::{Board, Move, Variant, chinese, san, uci};

use super::{enumeration::enumeration, position::uci_reason};
use crate::{error::Violations, v1};

/// Reads the text of a move, or says why it is none.
pub type MoveReader = fn(&Board, &str, Variant) -> Result<Move, String>;

/// The reader of a notation.
///
/// # Errors
/// A number that names no notation.
pub fn move_reader(notation: i32) -> Result<MoveReader, Violations> {
    let mut violations = Violations::default();
    let notation = enumeration(notation, "notation", &mut violations);
    if !violations.is_empty() {
        return Err(violations);
    }
    Ok(match notation {
        v1::MoveNotation::Unspecified => read_any,
        v1::MoveNotation::Uci => read_uci,
        v1::MoveNotation::San => read_san,
        v1::MoveNotation::Chinese => read_chinese,
    })
}

fn read_uci(board: &Board, text: &str, variant: Variant) -> Result<Move, String> {
    uci::parse(board, text, variant).map_err(|error| uci_reason(&error).to_owned())
}

fn read_san(board: &Board, text: &str, _: Variant) -> Result<Move, String> {
    san::parse(board, text, san::SanMode::Lenient).map_err(|error| error.to_string())
}

fn read_chinese(board: &Board, text: &str, _: Variant) -> Result<Move, String> {
    chinese::parse(board, text).map_err(|error| error.to_string())
}

fn read_any(board: &Board, text: &str, variant: Variant) -> Result<Move, String> {
    read_uci(board, text, variant)
        .or_else(|_| read_san(board, text, variant))
        .or_else(|in_san| read_chinese(board, text, variant).map_err(|_| in_san))
}
