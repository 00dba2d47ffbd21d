//! The words of reports that do not come from the service: results, endings, events, in both languages.

mod difference;
mod ending;
mod event;
mod time;

pub(super) use difference::difference;
pub(super) use ending::{claim_ground, outcome, result_marks, status, termination};
pub(super) use event::event;
pub(super) use time::{clock_text, control};

use tabiya_client::v1::Color;

use super::Lang;

/// A side; the arbiter where none is named.
pub(super) fn actor(color: Color, lang: Lang) -> &'static str {
    match color {
        Color::White => lang.pick("White", "白方"),
        Color::Black => lang.pick("Black", "黑方"),
        Color::Unspecified => lang.pick("the arbiter", "裁判员"),
    }
}
