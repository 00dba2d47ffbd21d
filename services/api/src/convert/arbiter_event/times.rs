//! The times of a list of events, as retractions and corrections leave them.

use std::time::Duration;

use crate::v1::event::Kind;

/// Times in the order of the list, which is that of what happened.
#[derive(Default)]
pub(super) struct Times {
    /// When each event happened, if it is known; none for edits and for what was taken back.
    events: Vec<Option<Duration>>,
    /// Edits with the place that each edits, and the time that was there before.
    edits: Vec<(usize, usize, Option<Duration>)>,
    /// The latest time given, edits included.
    latest: Duration,
}

impl Times {
    /// Notes the next event.
    ///
    /// # Errors
    /// If it is earlier than one before it.
    pub(super) fn next(&mut self, at: Option<Duration>, kind: Option<&Kind>) -> Result<(), &'static str> {
        let counts = !matches!(kind, Some(Kind::Retraction(_) | Kind::Correction(_)));
        self.events.push(at.filter(|_| counts));
        if let Some(Kind::Retraction(retraction)) = kind {
            self.retract(retraction.event as usize);
        }
        let Some(at) = at else { return Ok(()) };
        if at < self.latest {
            return Err("before an earlier event");
        }
        self.latest = at;
        Ok(())
    }

    /// Takes an event's time away, or gives back the one that an edit had changed.
    fn retract(&mut self, place: usize) {
        let edit = self.events.len() - 1;
        let undone = self.edits.iter().position(|&(earlier, ..)| earlier == place);
        let (place, time) = match undone.map(|undone| self.edits.remove(undone)) {
            Some((_, place, before)) => (place, before),
            None => (place, None),
        };
        if let Some(slot) = self.events.get_mut(place) {
            let before = std::mem::replace(slot, time);
            self.edits.push((edit, place, before));
        }
    }

    /// Gives an earlier event another time.
    ///
    /// # Errors
    /// If it is then out of order, with the place of the event that it should not pass, or later than its correction,
    /// which came at `edited`.
    pub(super) fn replace(
        &mut self,
        place: usize,
        at: Duration,
        edited: Option<Duration>,
    ) -> Result<(), String> {
        let edit = self.events.len().saturating_sub(1);
        if place >= edit {
            // Refused by its place.
            return Ok(());
        }
        let passes = |other: usize, wrong: fn(&Duration, &Duration) -> bool| {
            self.events[other].is_some_and(|time| wrong(&time, &at))
        };
        if let Some(before) = (0..place).rev().find(|&other| passes(other, PartialOrd::gt)) {
            return Err(format!("before events[{before}]"));
        }
        if let Some(after) = (place + 1..edit).find(|&other| passes(other, PartialOrd::lt)) {
            return Err(format!("after events[{after}]"));
        }
        if edited.is_some_and(|edited| at > edited) {
            return Err("after its correction".to_owned());
        }
        self.latest = self.latest.max(at);
        let before = self.events[place].replace(at);
        self.edits.push((edit, place, before));
        Ok(())
    }
}
