//! The moves and positions inside PGN text.

use super::defect::{cut, cut_to};
use super::quick_san::quick_san;
use super::{DefectKind, Mode};
use crate::fen::{self, Fen, FenMode};
use crate::san::{self, SanErrorKind, SanMode};
use crate::{Board, Move, Variant};

/// Bytes kept of what is wrong with a start position: several sentences, since each field may have its own.
const MAX_REASON_BYTES: usize = 512;

/// The variant that a `Variant` tag names.
pub(super) fn variant_of(tag: Option<&str>) -> Result<Variant, DefectKind> {
    let Some(name) = tag else {
        return Ok(Variant::Standard);
    };
    let letters = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase);
    match letters.collect::<String>().as_str() {
        "" | "standard" | "chess" | "normal" | "classical" | "orthodox" | "fromposition" => {
            Ok(Variant::Standard)
        }
        "chess960" | "960" | "fischerandom" | "fischerrandom" | "freestyle" | "freestylechess" | "frc"
        | "chess9lx" => Ok(Variant::Chess960),
        _ => Err(DefectKind::UnsupportedVariant(cut(name))),
    }
}

pub(super) fn parse_fen(text: &str, variant: Variant, mode: Mode) -> Result<Fen, DefectKind> {
    let mode = match mode {
        Mode::Lenient => FenMode::Lenient,
        Mode::Strict => FenMode::Analysis,
    };
    fen::parse(text, mode, variant)
        .map_err(|error| DefectKind::BadStartPosition(cut_to(&error.to_string(), MAX_REASON_BYTES)))
}

/// The legal move that a word means.
#[inline(always)]
pub(super) fn parse_san(board: &Board, text: &str, mode: Mode) -> Result<Move, DefectKind> {
    if mode == Mode::Lenient
        && let Some(mv) = quick_san(board, text.as_bytes())
    {
        return Ok(mv);
    }
    parse_any_san(board, text, mode)
}

#[cold]
fn parse_any_san(board: &Board, text: &str, mode: Mode) -> Result<Move, DefectKind> {
    let read = match mode {
        Mode::Lenient => san::parse_bytes(board, text.as_bytes()),
        Mode::Strict => san::parse(board, text, SanMode::Strict).map_err(|error| error.kind),
    };
    read.map_err(|kind| explain(board, text, kind))
}

fn explain(board: &Board, text: &str, kind: SanErrorKind) -> DefectKind {
    if kind == SanErrorKind::NullMove {
        DefectKind::NullMove
    } else if kind == SanErrorKind::Syntax {
        DefectKind::UnexpectedText(cut(text))
    } else if board.has_legal_move() {
        DefectKind::BadMove {
            text: cut(text),
            reason: kind,
        }
    } else {
        DefectKind::MoveAfterEnd(cut(text))
    }
}

pub(super) fn format_fen(board: &Board) -> String {
    fen::xfen(board)
}

pub(super) fn format_san(board: &Board, mv: Move) -> String {
    if mv == Move::NULL {
        "--".to_owned()
    } else {
        san::write(board, mv).to_string()
    }
}
