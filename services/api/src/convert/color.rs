use tabiya_rules::Color;

use crate::v1;

/// A side as the wire names it.
pub(super) fn color_message(color: Color) -> v1::Color {
    match color {
        Color::White => v1::Color::White,
        Color::Black => v1::Color::Black,
    }
}
