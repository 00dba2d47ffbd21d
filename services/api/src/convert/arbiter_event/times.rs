//! The times of a list of events, in the order that stands once retractions and corrections have done their work.

use std::time::Duration;

use super::reader::is_by_arbiter;
use crate::{
    convert::duration::read_duration,
    v1::{self, event::Kind},
};

/// Times in the order of the list, which is that of what happened. Which edits count, and what they leave, is what the
/// arbiter's replay makes of them.
#[derive(Default)]
pub(super) struct Times {
    /// What each event says of its time; none for an edit, which happens to the list and not in the game.
    given: Vec<Option<Option<Duration>>>,
    /// The edits that are accepted, in order.
    edits: Vec<Edit>,
    /// The latest time of the events that count.
    played: Duration,
    /// The latest time at which the list was edited.
    edited: Duration,
}

/// A retraction or a correction.
#[derive(Clone, Copy)]
struct Edit {
    /// Its own place in the list.
    edit: usize,
    /// The place that it edits.
    target: usize,
    /// What a correction says of the time; none for a retraction.
    time: Option<Option<Duration>>,
}

/// A time out of order.
pub(super) struct Disorder {
    /// The field that brings it about.
    pub(super) field: &'static str,
    pub(super) value: String,
    pub(super) reason: String,
}

impl Times {
    /// Notes the next event.
    ///
    /// # Errors
    /// If it is earlier than what counts before it, or leaves the list so that what counts runs backwards.
    pub(super) fn next(&mut self, event: &v1::Event, at: Option<Duration>) -> Result<(), Disorder> {
        let accepted = match self.edit(event).filter(|edit| self.accepts(edit)) {
            Some(edit) => self.apply(edit, at),
            None => Ok(()),
        };
        let latest = self.played.max(self.edited);
        let in_order = at.filter(|&at| at >= latest);
        let is_edit = matches!(event.kind, Some(Kind::Retraction(_) | Kind::Correction(_)));
        // What is out of order is named once, and stands in nobody's way.
        self.given.push((!is_edit).then_some(in_order));
        let noted = if is_edit {
            &mut self.edited
        } else {
            &mut self.played
        };
        *noted = in_order.unwrap_or_default().max(*noted);
        accepted?;
        if in_order == at {
            return Ok(());
        }
        Err(Disorder {
            field: "at",
            value: format!("{:?}", at.unwrap_or_default()),
            reason: "before an earlier event".to_owned(),
        })
    }

    /// What the next event edits, if it is an edit of the arbiter's: a player takes nothing back.
    fn edit(&self, event: &v1::Event) -> Option<Edit> {
        let (target, time) = match event.kind.as_ref()? {
            Kind::Retraction(retraction) => (retraction.event, None),
            Kind::Correction(correction) => {
                let by = correction.replacement.as_ref()?;
                // What is no duration is refused with the replacement's other fields.
                let at = by.at.and_then(|at| read_duration(at).ok());
                (correction.event, Some(at))
            }
            _ => return None,
        };
        is_by_arbiter(event).then_some(Edit {
            edit: self.given.len(),
            target: target as usize,
            time,
        })
    }

    /// Whether there is something to edit: an event that counts, or an edit that is taken back.
    fn accepts(&self, edit: &Edit) -> bool {
        match self.given.get(edit.target) {
            None => false,
            Some(None) => {
                let standing = self.standing();
                edit.time.is_none() && standing.iter().any(|earlier| earlier.edit == edit.target)
            }
            Some(Some(_)) => self.current()[edit.target].is_some(),
        }
    }

    /// The edits that count, in order: what a later one that counts takes back does not.
    fn standing(&self) -> Vec<Edit> {
        let mut standing: Vec<Edit> = Vec::new();
        for &edit in self.edits.iter().rev() {
            if standing.iter().all(|later| later.target != edit.edit) {
                standing.push(edit);
            }
        }
        standing.reverse();
        standing
    }

    /// What counts at each place, with its time as it now is.
    fn current(&self) -> Vec<Option<Option<Duration>>> {
        let mut now = self.given.clone();
        for edit in self.standing() {
            let before = now[edit.target].flatten();
            now[edit.target] = edit.time.map(|time| time.or(before));
        }
        now
    }

    /// The event that an edit, or an edit of edits, comes down to.
    fn base(&self, edit: Edit) -> usize {
        let mut place = edit.target;
        while let Some(earlier) = self.edits.iter().find(|earlier| earlier.edit == place) {
            place = earlier.target;
        }
        place
    }

    /// Edits the list, unless that puts the event out of order, or later than the correction of it.
    fn apply(&mut self, edit: Edit, at: Option<Duration>) -> Result<(), Disorder> {
        let place = self.base(edit);
        self.edits.push(edit);
        let now = self.current();
        let time = now[place].flatten();
        let given = edit.time.flatten();
        let passes = |other: &usize, wrong: fn(&Duration, &Duration) -> bool| {
            let times = now[*other].flatten().zip(time);
            times.is_some_and(|(other, time)| wrong(&other, &time))
        };
        let before = (0..place).rev().find(|other| passes(other, PartialOrd::gt));
        let after = (place + 1..now.len()).find(|other| passes(other, PartialOrd::lt));
        let reason = match (before, after) {
            (Some(before), _) => Some(format!("before events[{before}]")),
            (None, Some(after)) => Some(format!("after events[{after}]")),
            (None, None) => {
                let late = given.zip(at).is_some_and(|(given, at)| given > at);
                late.then(|| "after its correction".to_owned())
            }
        };
        let Some(reason) = reason else {
            self.played = now.into_iter().flatten().flatten().max().unwrap_or_default();
            return Ok(());
        };
        self.edits.pop();
        let time = time.unwrap_or_default();
        Err(match edit.time {
            Some(_) => Disorder {
                field: "correction.replacement.at",
                value: format!("{time:?}"),
                reason,
            },
            None => Disorder {
                field: "retraction.event",
                value: edit.target.to_string(),
                reason: format!("events[{place}] would be back at {time:?}, {reason}"),
            },
        })
    }
}
