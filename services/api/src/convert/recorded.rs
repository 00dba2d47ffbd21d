//! Recorded games and their contradictions, on the wire.

use tabiya_arbiter::{
    recorded::{Contradiction, ContradictionKind, Record, RecordedTermination},
    replay::{Decision, DelayMode, Event, EventKind, TimeControl},
};
use tabiya_rules::{Color, Variant, fen, uci};

use super::{
    arbiter::{Writer, result},
    claim::ground_message,
    color::color_message,
    search::duration_message,
};
use crate::v1::{self, event::Kind};

/// Most bytes of a tag that are sent back.
const MAX_TAG_BYTES: usize = 64;

/// Most bytes of what a contradiction quotes.
const MAX_QUOTED_BYTES: usize = 160;

fn cut(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}

/// A record, with the events that it was read as.
/// `asked` is the time control that the request gave in place of the record's.
pub(super) fn record_message(
    record: &Record,
    events: &[Event],
    asked: Option<&TimeControl>,
) -> v1::RecordedGame {
    let control = asked.or(record.control.as_ref());
    let tag = |tag: &Option<String>| cut(tag.as_deref().unwrap_or_default(), MAX_TAG_BYTES);
    let start = record.game.start();
    let fen = fen::xfen(start);
    v1::RecordedGame {
        position: Some(v1::Position {
            fen: if fen == fen::xfen(&tabiya_rules::Board::startpos()) {
                String::new()
            } else {
                fen
            },
            moves: record
                .game
                .moves()
                .iter()
                .map(|&mv| uci::write(mv, record.variant).to_string())
                .collect(),
            variant: match record.variant {
                Variant::Standard => v1::Variant::Standard,
                Variant::Chess960 => v1::Variant::Chess960,
            }
            .into(),
            fen_mode: v1::FenMode::Unspecified.into(),
        }),
        plies: record.plies() as u32,
        result_tag: tag(&record.result_tag),
        marker: record.marker.unwrap_or_default().into(),
        result: record.result().map(result).unwrap_or_default().into(),
        termination_tag: tag(&record.termination_tag),
        termination: record.termination.map(termination).unwrap_or_default().into(),
        time_control: control.filter(|_| asked.is_none()).map(time_control),
        white_clock: clock(record, control, Color::White),
        black_clock: clock(record, control, Color::Black),
        events: events.iter().filter_map(event).collect(),
    }
}

fn termination(termination: RecordedTermination) -> v1::RecordedTermination {
    use RecordedTermination as T;
    use v1::RecordedTermination as M;

    match termination {
        T::Normal => M::Normal,
        T::Checkmate => M::Checkmate,
        T::Stalemate => M::Stalemate,
        T::DeadPosition => M::DeadPosition,
        T::Repetition => M::Repetition,
        T::QuietMoves => M::QuietMoves,
        T::Agreement => M::Agreement,
        T::Resignation => M::Resignation,
        T::Time => M::Time,
        T::Abandoned => M::Abandoned,
        T::Decision => M::Decision,
        T::Unterminated => M::Unterminated,
    }
}

fn time_control(control: &TimeControl) -> v1::TimeControl {
    let period = |period: &tabiya_arbiter::replay::Period| v1::Period {
        moves: period.moves,
        time: Some(duration_message(period.time)),
        increment: Some(duration_message(period.increment)),
        delay: Some(duration_message(period.delay)),
        delay_mode: match period.delay_mode {
            DelayMode::Simple => v1::DelayMode::Simple,
            DelayMode::Bronstein => v1::DelayMode::Bronstein,
        }
        .into(),
    };
    v1::TimeControl {
        periods: control.periods().iter().map(period).collect(),
    }
}

/// A side's last clock reading.
fn clock(record: &Record, control: Option<&TimeControl>, side: Color) -> Option<v1::Clock> {
    let (ply, remaining) = record.last_clock(side)?;
    let moves = ply / 2 + 1;
    Some(v1::Clock {
        remaining: Some(duration_message(remaining)),
        period: period_after(control, moves as u32),
        moves: moves as u32,
        run_out: remaining.is_zero(),
    })
}

/// The period, from 1, that a side is in after so many moves.
fn period_after(control: Option<&TimeControl>, moves: u32) -> u32 {
    let (mut number, mut left) = (1, moves);
    for period in control.map(TimeControl::periods).unwrap_or_default() {
        if period.moves == 0 || left < period.moves {
            break;
        }
        left -= period.moves;
        number += 1;
    }
    number
}

/// An event that a record is read as.
fn event(event: &Event) -> Option<v1::Event> {
    let kind = match &event.kind {
        EventKind::FlagFall {
            side, last_period, ..
        } => Kind::FlagFall(v1::FlagFallEvent {
            side: side.map(color_message).unwrap_or_default().into(),
            last_period: *last_period,
            witness: v1::FlagWitness::Record.into(),
            ..Default::default()
        }),
        EventKind::Resignation => Kind::Resignation(v1::ResignationEvent {}),
        EventKind::ArbiterDecision(Decision::Result(decided)) => {
            Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
                result: result(*decided).into(),
                ..Default::default()
            })
        }
        EventKind::Claim {
            ground, with_move, ..
        } => Kind::Claim(v1::ClaimEvent {
            with_move: with_move.clone().unwrap_or_default(),
            ground: ground_message(*ground).into(),
            ..Default::default()
        }),
        EventKind::DrawOffer {
            consent,
            moment_unknown,
        } => Kind::DrawOffer(v1::DrawOfferEvent {
            consent: *consent,
            moment_unknown: *moment_unknown,
        }),
        EventKind::DrawAnswer { accept } => Kind::DrawAnswer(v1::DrawAnswerEvent { accepted: *accept }),
        // Records are read as no other events.
        _ => return None,
    };
    Some(v1::Event {
        actor: event.actor.map(color_message).unwrap_or_default().into(),
        kind: Some(kind),
        ..Default::default()
    })
}

/// A contradiction, with articles and a sentence.
pub(super) fn contradiction_message(found: &Contradiction, writer: &Writer<'_>) -> v1::Contradiction {
    use ContradictionKind as K;
    use v1::ContradictionKind as M;

    let kind = match found.kind {
        K::Result => M::Result,
        K::Termination => M::Termination,
        K::MovesAfterEnd => M::MovesAfterEnd,
        K::NotAllowed => M::NotAllowed,
        K::ResultMarker => M::ResultMarker,
        K::IllegalMove => M::IllegalMove,
        K::ClockTooHigh => M::ClockTooHigh,
        K::ClockTimeSpent => M::ClockTimeSpent,
        K::FlagShown => M::FlagShown,
        K::FlagNotShown => M::FlagNotShown,
        K::Unread => M::Unread,
    };
    v1::Contradiction {
        kind: kind.into(),
        recorded: cut(found.recorded(writer.language), MAX_QUOTED_BYTES),
        ruled: cut(&found.ruled, MAX_QUOTED_BYTES),
        ply: found.ply.map(|ply| ply as u32),
        citations: writer.citations(&found.articles),
        reason: writer.cited(&found.sentence(writer.language), &found.articles),
    }
}
