//! Strict reading: the export form and nothing else, with the reason when it is not.

use super::error::SanErrorKind;
use super::resolve::resolve;
use super::token::SanToken;
use super::write::write;
use crate::{Board, Move};

pub(super) fn parse(board: &Board, text: &str) -> Result<Move, SanErrorKind> {
    if !has_export_shape(text.as_bytes()) {
        // Null moves and drops are well known, only not moves of chess.
        return Err(match SanToken::read(text) {
            Err(kind @ (SanErrorKind::NullMove | SanErrorKind::Illegal)) => kind,
            _ => SanErrorKind::Syntax,
        });
    }
    let token = SanToken::read(text)?;
    let mv = resolve(board, token)?;
    let canonical = write(board, mv);
    if *text == *canonical {
        return Ok(mv);
    }
    if mv.is_castle() && matches!(token, SanToken::Move(_)) {
        return Err(SanErrorKind::Notation);
    }
    let without = |text: &str, marks: &[char]| text.replace(marks, "");
    let (body, wanted) = (without(text, &['+', '#']), without(&canonical, &['+', '#']));
    Err(if body == wanted {
        SanErrorKind::CheckMark
    } else if without(&body, &['x']) == without(&wanted, &['x']) {
        SanErrorKind::CaptureMark
    } else {
        SanErrorKind::Overspecified
    })
}

/// Letters, digits and marks where the export form may have them. A promotion to any letter has the right shape,
/// so that it is refused for what it says.
fn has_export_shape(text: &[u8]) -> bool {
    let body = match text {
        [rest @ .., b'+', b'+'] | [rest @ .., b'+' | b'#'] => rest,
        _ => text,
    };
    if matches!(body, b"O-O" | b"O-O-O") {
        return true;
    }
    let body = match body {
        [rest @ .., b'=', b'A'..=b'Z'] => rest,
        _ => body,
    };
    let [origin @ .., b'a'..=b'h', b'1'..=b'8'] = body else {
        return false;
    };
    let origin = match origin {
        [b'K' | b'Q' | b'R' | b'B' | b'N', rest @ ..] => rest,
        _ => origin,
    };
    let origin = match origin {
        [rest @ .., b'x'] => rest,
        _ => origin,
    };
    matches!(
        origin,
        [] | [b'a'..=b'h'] | [b'1'..=b'8'] | [b'a'..=b'h', b'1'..=b'8']
    )
}
