//! Events and time controls from the wire.

mod kind;
mod reader;
mod time_control;
mod times;

use tabiya_arbiter::replay::Event;

pub(super) use time_control::read_time_control;

use crate::{
    MAX_POSITIONS_PER_MESSAGE,
    error::Violations,
    v1::{self, event::Kind},
};
use reader::Reader;
pub use reader::{MAX_MOVE_BYTES, MAX_SQUARES};
use times::Times;

/// Most events that one request may take back or correct: each replays what followed.
pub const MAX_EDITS: usize = 16;

/// Checks a list of events.
///
/// # Errors
/// Every event that cannot be, with its place and field.
pub(in crate::convert) fn read_events(events: &[v1::Event]) -> Result<Vec<Event>, Violations> {
    let mut violations = Violations::default();
    if events.len() > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE} events");
        return Err(Violations::one("events", &events.len().to_string(), reason));
    }
    let edits = |event: &&v1::Event| matches!(event.kind, Some(Kind::Retraction(_) | Kind::Correction(_)));
    let count = events.iter().filter(edits).count();
    if count > MAX_EDITS {
        let reason = format!("more than {MAX_EDITS} retractions and corrections");
        return Err(Violations::one("events", &count.to_string(), reason));
    }
    let mut read = Vec::with_capacity(events.len());
    let mut times = Times::default();
    for (index, event) in events.iter().enumerate() {
        let mut reader = Reader {
            index,
            prefix: format!("events[{index}]"),
            violations: &mut violations,
        };
        if let Some(event) = reader.event(event, &mut times) {
            read.push(event);
        }
    }
    if violations.is_empty() {
        Ok(read)
    } else {
        Err(violations)
    }
}

#[cfg(test)]
mod tests;
