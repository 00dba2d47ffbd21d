//! What every event has: who, when, what the clocks show.

use std::time::Duration;

use tabiya_arbiter::replay::{Breach, ClockReading, Event, EventKind, GameResult, RecordingLapse};
use tabiya_rules::{Color, Square};

use super::times::Times;
use crate::{
    convert::{duration::read_duration, enumeration::enumeration},
    error::Violations,
    v1::{self, event::Kind},
};

/// Greatest length of a move's text, in bytes.
pub const MAX_MOVE_BYTES: usize = 64;

/// Most squares that one event names.
pub const MAX_SQUARES: usize = 64;

fn color(color: v1::Color) -> Option<Color> {
    match color {
        v1::Color::White => Some(Color::White),
        v1::Color::Black => Some(Color::Black),
        v1::Color::Unspecified => None,
    }
}

/// Reads one event; its violations are named under `prefix`.
pub(super) struct Reader<'a> {
    pub(super) index: usize,
    pub(super) prefix: String,
    pub(super) violations: &'a mut Violations,
}

impl Reader<'_> {
    pub(super) fn path(&self, field: &str) -> String {
        format!("{}.{field}", self.prefix)
    }

    pub(super) fn refuse(&mut self, field: &str, value: &str, reason: &str) {
        self.violations.add(self.path(field), value, reason);
    }

    /// Reads the next event of the list.
    pub(super) fn event(&mut self, event: &v1::Event, times: &mut Times) -> Option<Event> {
        let at = self.duration("at", event.at.as_ref());
        if let Err(disorder) = times.next(event, at) {
            self.refuse(disorder.field, &disorder.value, &disorder.reason);
        }
        self.facts(event, at)
    }

    fn facts(&mut self, event: &v1::Event, at: Option<Duration>) -> Option<Event> {
        let actor = enumeration::<v1::Color>(event.actor, self.path("actor"), self.violations);
        let reading = self.reading("reading", event.reading.as_ref());
        let Some(kind) = &event.kind else {
            self.refuse("kind", "", "missing");
            return None;
        };
        let kind = self.kind(kind)?;
        if needs_player(&kind) && is_by_arbiter(event) {
            self.refuse("actor", "", "nobody; this event is a player's");
        }
        Some(Event {
            actor: color(actor),
            at,
            reading,
            kind,
        })
    }

    pub(super) fn duration(
        &mut self,
        field: &str,
        value: Option<&prost_types::Duration>,
    ) -> Option<Duration> {
        let value = value?;
        match read_duration(*value) {
            Ok(duration) => Some(duration),
            Err((value, reason)) => {
                self.refuse(field, &value, reason);
                None
            }
        }
    }

    pub(super) fn reading(&mut self, field: &str, reading: Option<&v1::ClockReading>) -> ClockReading {
        let Some(reading) = reading else {
            return ClockReading::default();
        };
        ClockReading([
            self.duration(&format!("{field}.white"), reading.white.as_ref()),
            self.duration(&format!("{field}.black"), reading.black.as_ref()),
        ])
    }

    pub(super) fn square(&mut self, field: &str, text: &str) -> Option<Square> {
        let square = text.parse().ok();
        if square.is_none() {
            self.refuse(field, text, "not a square");
        }
        square
    }

    pub(super) fn squares(&mut self, field: &str, texts: &[String]) -> Vec<Square> {
        if texts.len() > MAX_SQUARES {
            let reason = format!("more than {MAX_SQUARES} squares");
            self.refuse(field, &texts.len().to_string(), &reason);
        }
        let few = texts.iter().take(MAX_SQUARES).enumerate();
        few.filter_map(|(place, text)| self.square(&format!("{field}[{place}]"), text))
            .collect()
    }

    pub(super) fn text(&mut self, field: &str, text: &str) -> String {
        if text.len() > MAX_MOVE_BYTES {
            self.refuse(field, text, "too long for a move");
        }
        text.to_owned()
    }

    pub(super) fn side(&mut self, field: &str, value: i32) -> Option<Color> {
        color(enumeration(value, self.path(field), self.violations))
    }

    pub(super) fn result(&mut self, field: &str, value: i32) -> Option<GameResult> {
        match enumeration(value, self.path(field), self.violations) {
            v1::GameResult::WhiteWins => Some(GameResult::Wins(Color::White)),
            v1::GameResult::BlackWins => Some(GameResult::Wins(Color::Black)),
            v1::GameResult::Draw => Some(GameResult::Draw),
            v1::GameResult::BothLose => Some(GameResult::BothLose),
            v1::GameResult::Unspecified => None,
        }
    }

    pub(super) fn missing<T>(&mut self, field: &str) -> Option<T> {
        self.refuse(field, "", "missing");
        None
    }

    /// Refuses an enumeration that is unset. A number that names none of its values was refused when it was read.
    pub(super) fn unset<T>(&mut self, field: &str, number: i32) -> Option<T> {
        if number == 0 {
            return self.missing(field);
        }
        None
    }

    /// The place of an earlier event.
    pub(super) fn earlier(&mut self, field: &str, place: u32) -> usize {
        let place = place as usize;
        if place >= self.index {
            self.refuse(field, &place.to_string(), "not an earlier event");
        }
        place
    }

    /// What really happened in place of an earlier event.
    pub(super) fn replacement(&mut self, event: &v1::CorrectionEvent) -> Option<Event> {
        let Some(by) = event.replacement.as_deref() else {
            return self.missing("correction.replacement");
        };
        if matches!(by.kind, Some(Kind::Correction(_) | Kind::Retraction(_))) {
            self.refuse(
                "correction.replacement.kind",
                "",
                "a correction or a retraction itself",
            );
            return None;
        }
        let mut reader = Reader {
            index: event.event as usize,
            prefix: self.path("correction.replacement"),
            violations: self.violations,
        };
        let at = reader.duration("at", by.at.as_ref());
        reader.facts(by, at)
    }
}

/// Whether an event names no player who acted: then the arbiter did.
pub(super) fn is_by_arbiter(event: &v1::Event) -> bool {
    event.actor == v1::Color::Unspecified as i32
}

/// Whether an event is a player's by its nature.
fn needs_player(kind: &EventKind) -> bool {
    match kind {
        EventKind::Resignation
        | EventKind::DrawOffer { .. }
        | EventKind::DrawAnswer { .. }
        | EventKind::Claim { .. }
        | EventKind::QuickplayClaim { .. }
        | EventKind::Touch { .. }
        | EventKind::Release { .. }
        | EventKind::TouchComplaint { .. }
        | EventKind::SlipOfTongue { .. }
        | EventKind::Seal { .. }
        | EventKind::Arrival { .. }
        | EventKind::Withdrawal
        | EventKind::Appeal
        | EventKind::Assistance { .. } => true,
        // Found later, it does not matter whose pieces they were.
        EventKind::Displacement { found_later, .. } => !found_later,
        EventKind::Breach { breach } => *breach != Breach::BothRefuse,
        EventKind::Recording { lapse, .. } => !matches!(
            lapse,
            RecordingLapse::BothStopped
                | RecordingLapse::BothIncomplete
                | RecordingLapse::Insufficient
                | RecordingLapse::Unclear
        ),
        _ => false,
    }
}
