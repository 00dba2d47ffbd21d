//! Games to decide: checked, decided, answered.

use std::{
    borrow::Cow,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_arbiter::{
    recorded::{Record, contradictions},
    replay::{Event, Report, TimeControl, replay_until},
    words::Language,
};
use tabiya_rules::Variant;

use super::{
    ParsedPosition,
    arbiter::Writer,
    arbiter_event::{read_events, read_time_control},
    enumeration::enumeration,
    parse_position, recorded,
    room::Room,
    ruleset::{Chosen, RulesetReader},
};
use crate::{
    MAX_POSITIONS_PER_MESSAGE,
    error::{ServiceError, Violations},
    v1::{self, adjudicate_request::Game},
};

/// What the requests of one call or stream have in common.
#[derive(Debug)]
pub struct Desk {
    /// Where their rulesets come from.
    pub rulesets: RulesetReader,
    /// The language of those that do not choose one.
    pub language: v1::Language,
    /// Raised when nobody waits for the answers any more: the work on them ends within a move, an event or a few hundred
    /// positions of a proof, with DEADLINE_EXCEEDED.
    pub stop: Arc<AtomicBool>,
}

/// A game with everything that a ruleset decides on.
#[derive(Debug)]
pub(super) struct Case {
    subject: Subject,
    control: Option<TimeControl>,
    events: Vec<Event>,
}

#[derive(Debug)]
enum Subject {
    Position(Box<ParsedPosition>),
    Record(Box<Record>),
}

/// The decision of one ruleset on a case.
pub(super) struct Decision<'a> {
    pub(super) report: Report,
    /// The events that were ruled on.
    pub(super) events: Cow<'a, [Event]>,
}

/// The fields of a request that make up a case.
pub(super) struct CaseFields<'a> {
    pub(super) position: Option<&'a v1::Position>,
    pub(super) pgn: Option<&'a str>,
    pub(super) events: &'a [v1::Event],
    pub(super) time_control: Option<&'a v1::TimeControl>,
}

impl Case {
    /// Checks the fields, after others in which `violations` were found.
    ///
    /// # Errors
    /// Everything that cannot be, in either.
    pub(super) fn read(fields: &CaseFields<'_>, mut violations: Violations) -> Result<Self, Violations> {
        let subject = match fields.pgn {
            None => parse_position(fields.position, "position")
                .map(|position| Subject::Position(Box::new(position))),
            Some(pgn) => Record::read(pgn, MAX_POSITIONS_PER_MESSAGE)
                .map(|record| Subject::Record(Box::new(record)))
                .map_err(|error| Violations::one("pgn", pgn, error)),
        };
        let control = fields.time_control.map(read_time_control).transpose();
        let events = read_events(fields.events);
        match (subject, control, events) {
            (Ok(subject), Ok(control), Ok(events)) if violations.is_empty() => Ok(Self {
                subject,
                control,
                events,
            }),
            (subject, control, events) => {
                for wrong in [subject.err(), control.err(), events.err()].into_iter().flatten() {
                    violations.append(wrong);
                }
                Err(violations)
            }
        }
    }

    pub(super) fn variant(&self) -> Variant {
        match &self.subject {
            Subject::Position(position) => position.variant,
            Subject::Record(record) => record.variant,
        }
    }

    /// The events that a ruleset rules on beside others. What a record tells of its end is read as the ruleset has it, and
    /// also where the moves have ended the game by themselves.
    pub(super) fn events(&self, chosen: &Chosen, stop: &Arc<AtomicBool>) -> Cow<'_, [Event]> {
        match &self.subject {
            Subject::Record(record) if self.events.is_empty() => {
                record.events(false, &chosen.ruleset, stop).into()
            }
            _ => self.events.as_slice().into(),
        }
    }

    /// Decides the case. `events` are those to rule on in place of the case's own.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED if `stop` was raised.
    pub(super) fn decide<'a>(
        &'a self,
        chosen: &Chosen,
        events: Option<Cow<'a, [Event]>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Decision<'a>, ServiceError> {
        let mut decision = self.ruled(chosen, events, stop)?;
        if let (Subject::Record(record), None) = (&self.subject, decision.report.category)
            && let Some(control) = self.control.as_ref().or(record.control.as_ref())
        {
            decision.report.name_category(&chosen.ruleset, control);
        }
        Ok(decision)
    }

    fn ruled<'a>(
        &'a self,
        chosen: &Chosen,
        events: Option<Cow<'a, [Event]>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Decision<'a>, ServiceError> {
        let game = match &self.subject {
            Subject::Record(record) if self.events.is_empty() && events.is_none() => {
                let ruled = record.rule_until(&chosen.ruleset, stop);
                let (events, report) = ruled.ok_or(ServiceError::DeadlineExceeded)?;
                return Ok(Decision {
                    report,
                    events: events.into(),
                });
            }
            Subject::Record(record) => &record.game,
            Subject::Position(position) => &position.game,
        };
        let ruled = events.unwrap_or(self.events.as_slice().into());
        // Clocks are computed from the times of the caller's events; a record's have none.
        let control = self
            .control
            .as_ref()
            .filter(|_| !self.events.is_empty() || !self.is_record());
        let report = replay_until(&chosen.ruleset, game, self.variant(), control, &ruled, stop);
        Ok(Decision {
            report: report.ok_or(ServiceError::DeadlineExceeded)?,
            events: ruled,
        })
    }

    /// Room for answers to the case.
    pub(super) fn room<'a>(&self, stop: &'a AtomicBool) -> Room<'a> {
        match &self.subject {
            Subject::Record(record) if self.events.is_empty() => Room::new(stop, "pgn", record.plies()),
            _ => Room::new(stop, "events", self.events.len()),
        }
    }

    fn is_record(&self) -> bool {
        matches!(self.subject, Subject::Record(_))
    }

    /// Writes a decision as an answer.
    ///
    /// # Errors
    /// As [`Room::place`].
    pub(super) fn answer(
        &self,
        chosen: &Chosen,
        decision: &Decision<'_>,
        language: Language,
        room: &Room<'_>,
    ) -> Result<v1::AdjudicateResponse, ServiceError> {
        let writer = Writer {
            ruleset: &chosen.ruleset,
            variant: self.variant(),
            language,
        };
        let mut answer = writer.response(&decision.report, room)?;
        answer.set_ruleset_source(chosen.source);
        answer.overridden.clone_from(&chosen.overridden);
        if let Subject::Record(record) = &self.subject {
            let control = self.control.as_ref().or(record.control.as_ref());
            let derived = if self.events.is_empty() {
                &*decision.events
            } else {
                &[]
            };
            let found = contradictions(record, &chosen.ruleset, control, derived, &decision.report);
            for contradiction in &found {
                let message = recorded::contradiction_message(contradiction, &writer);
                answer.contradictions.push(room.place(message)?);
            }
            let message = recorded::record_message(record, derived, self.control.as_ref());
            answer.recorded = Some(room.place(message)?);
        }
        Ok(answer)
    }
}

/// The language of sentences: the request's, or else the call's.
pub(super) fn spoken(desk: &Desk, number: i32, violations: &mut Violations) -> Language {
    let language = match enumeration(number, "language", violations) {
        v1::Language::Unspecified => desk.language,
        chosen => chosen,
    };
    match language {
        v1::Language::Zh => Language::Chinese,
        v1::Language::Unspecified | v1::Language::En => Language::English,
    }
}

/// Decides one game.
///
/// # Errors
/// INVALID_ARGUMENT for what cannot be right, or would get too long an answer; DEADLINE_EXCEEDED if the desk was told to
/// stop.
pub fn adjudicate(
    desk: &Desk,
    request: &v1::AdjudicateRequest,
) -> Result<v1::AdjudicateResponse, ServiceError> {
    let chosen = desk
        .rulesets
        .choose(&request.ruleset, &request.ruleset_toml, &request.overrides)?;
    let mut violations = Violations::default();
    let language = spoken(desk, request.language, &mut violations);
    let (position, pgn) = match &request.game {
        Some(Game::Position(position)) => (Some(position), None),
        Some(Game::Pgn(pgn)) => (None, Some(pgn.as_str())),
        None => (None, None),
    };
    let fields = CaseFields {
        position,
        pgn,
        events: &request.events,
        time_control: request.time_control.as_ref(),
    };
    let case = Case::read(&fields, violations)?;
    let decision = case.decide(&chosen, None, &desk.stop)?;
    let room = case.room(&desk.stop);
    room.whole(case.answer(&chosen, &decision, language, &room)?)
}

/// The request of one item of a stream.
pub fn batch_adjudicate_fields(item: v1::BatchAdjudicateRequest) -> v1::AdjudicateRequest {
    use v1::batch_adjudicate_request::Game as ItemGame;

    v1::AdjudicateRequest {
        ruleset: item.ruleset,
        game: item.game.map(|game| match game {
            ItemGame::Position(position) => Game::Position(position),
            ItemGame::Pgn(pgn) => Game::Pgn(pgn),
        }),
        events: item.events,
        language: item.language,
        overrides: item.overrides,
        time_control: item.time_control,
        ruleset_toml: item.ruleset_toml,
    }
}
