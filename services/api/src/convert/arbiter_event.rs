use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround,
    replay::{Breach, DelayMode, Event, EventKind, GameResult, Period, SetupFault, TimeControl},
};
use tabiya_rules::{Color, Square};

use super::enumeration::enumeration;
use crate::{
    MAX_POSITIONS_PER_MESSAGE,
    error::Violations,
    v1::{self, event::Kind},
};

/// Most events that one request may take back: each replays what followed.
const MAX_RETRACTIONS: usize = 16;

/// Greatest length of a move's text, in bytes.
const MAX_MOVE_BYTES: usize = 64;

/// Checks a list of events.
///
/// # Errors
/// Every event that cannot be, with its place and field.
pub(super) fn read_events(events: &[v1::Event]) -> Result<Vec<Event>, Violations> {
    let mut violations = Violations::default();
    if events.len() > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE} events");
        return Err(Violations::one("events", &events.len().to_string(), reason));
    }
    let retractions = |event: &&v1::Event| matches!(event.kind, Some(Kind::Retraction(_)));
    let count = events.iter().filter(retractions).count();
    if count > MAX_RETRACTIONS {
        let reason = format!("more than {MAX_RETRACTIONS} retractions");
        return Err(Violations::one("events", &count.to_string(), reason));
    }
    let mut read = Vec::with_capacity(events.len());
    let mut latest = Duration::ZERO;
    for (index, event) in events.iter().enumerate() {
        let mut reader = Reader {
            index,
            violations: &mut violations,
        };
        let actor = enumeration::<v1::Color>(event.actor, reader.path("actor"), reader.violations);
        let at = reader.duration("at", event.at.as_ref());
        if let Some(at) = at {
            if at < latest {
                reader.refuse("at", &format!("{at:?}"), "before an earlier event");
            }
            latest = latest.max(at);
        }
        let Some(kind) = &event.kind else {
            reader.refuse("kind", "", "missing");
            continue;
        };
        if let Some(kind) = reader.kind(kind) {
            read.push(Event {
                actor: color(actor),
                at,
                kind,
            });
        }
    }
    if violations.is_empty() {
        Ok(read)
    } else {
        Err(violations)
    }
}

/// Checks a time control.
///
/// # Errors
/// What cannot be.
pub(super) fn read_time_control(control: &v1::TimeControl) -> Result<TimeControl, Violations> {
    let mut violations = Violations::default();
    let mut periods = Vec::new();
    for (index, period) in control
        .periods
        .iter()
        .take(TimeControl::MAX_PERIODS + 1)
        .enumerate()
    {
        let path = |field: &str| format!("time_control.periods[{index}].{field}");
        let mut duration = |field: &str, value: Option<prost_types::Duration>| {
            let value = value.unwrap_or_default();
            Duration::try_from(value).unwrap_or_else(|_| {
                violations.add(
                    path(field),
                    &value.seconds.to_string(),
                    "negative or out of range",
                );
                Duration::ZERO
            })
        };
        let (time, increment) = (
            duration("time", period.time),
            duration("increment", period.increment),
        );
        let delay = duration("delay", period.delay);
        let mode = enumeration(period.delay_mode, path("delay_mode"), &mut violations);
        periods.push(Period {
            moves: period.moves,
            time,
            increment,
            delay,
            delay_mode: match mode {
                v1::DelayMode::Unspecified | v1::DelayMode::Simple => DelayMode::Simple,
                v1::DelayMode::Bronstein => DelayMode::Bronstein,
            },
        });
    }
    if !violations.is_empty() {
        return Err(violations);
    }
    TimeControl::new(periods)
        .map_err(|error| Violations::one("time_control.periods", &control.periods.len().to_string(), error))
}

fn color(color: v1::Color) -> Option<Color> {
    match color {
        v1::Color::White => Some(Color::White),
        v1::Color::Black => Some(Color::Black),
        v1::Color::Unspecified => None,
    }
}

struct Reader<'a> {
    index: usize,
    violations: &'a mut Violations,
}

impl Reader<'_> {
    fn path(&self, field: &str) -> String {
        format!("events[{}].{field}", self.index)
    }

    fn refuse(&mut self, field: &str, value: &str, reason: &str) {
        self.violations.add(self.path(field), value, reason);
    }

    fn duration(&mut self, field: &str, value: Option<&prost_types::Duration>) -> Option<Duration> {
        let value = value?;
        match Duration::try_from(*value) {
            Ok(duration) => Some(duration),
            Err(_) => {
                self.refuse(field, &value.seconds.to_string(), "negative or out of range");
                None
            }
        }
    }

    fn square(&mut self, field: &str, text: &str) -> Option<Square> {
        let square = text.parse().ok();
        if square.is_none() {
            self.refuse(field, text, "not a square");
        }
        square
    }

    fn text(&mut self, field: &str, text: &str) -> String {
        if text.len() > MAX_MOVE_BYTES {
            self.refuse(field, text, "too long for a move");
        }
        text.to_owned()
    }

    fn kind(&mut self, kind: &Kind) -> Option<EventKind> {
        Some(match kind {
            Kind::Move(event) => EventKind::Move {
                uci: self.text("move.uci", &event.uci),
                two_hands: event.two_hands,
            },
            Kind::ClockPress(_) => EventKind::ClockPress,
            Kind::Touch(event) => {
                if event.squares.is_empty() || event.squares.len() > 64 {
                    self.refuse("touch.squares", "", "not between 1 and 64 squares");
                }
                EventKind::Touch {
                    squares: event
                        .squares
                        .iter()
                        .take(64)
                        .filter_map(|text| self.square("touch.squares", text))
                        .collect(),
                    adjust: event.adjusting,
                    order_unclear: event.order_unclear,
                }
            }
            Kind::Release(event) => EventKind::Release {
                from: self.square("release.from_square", &event.from_square)?,
                to: self.square("release.to_square", &event.to_square)?,
                released: event.released,
            },
            Kind::DrawOffer(_) => EventKind::DrawOffer,
            Kind::DrawAnswer(event) => EventKind::DrawAnswer {
                accept: event.accepted,
            },
            Kind::Claim(event) => EventKind::Claim {
                ground: match enumeration(event.ground, self.path("claim.ground"), self.violations) {
                    v1::ClaimGround::ThreefoldRepetition => ClaimGround::ThreefoldRepetition,
                    v1::ClaimGround::FiftyMoves => ClaimGround::FiftyMoves,
                    v1::ClaimGround::Unspecified => {
                        self.refuse("claim.ground", "", "missing");
                        return None;
                    }
                },
                with_move: Some(self.text("claim.with_move", &event.with_move))
                    .filter(|text| !text.is_empty()),
                remaining: self.duration("claim.remaining", event.remaining.as_ref()),
            },
            Kind::Resignation(_) => EventKind::Resignation,
            Kind::FlagFall(event) => EventKind::FlagFall {
                side: color(enumeration(
                    event.side,
                    self.path("flag_fall.side"),
                    self.violations,
                )),
                last_period: event.last_period,
            },
            Kind::Arrival(event) => {
                let late = self.duration("arrival.late", event.late.as_ref());
                if late.is_none() {
                    self.refuse("arrival.late", "", "missing");
                }
                EventKind::Arrival { late: late? }
            }
            Kind::IllegalMoveReport(event) => EventKind::IllegalMoveReport {
                after_signature: event.after_signature,
                position_known: !event.position_unknown,
                times_known: !event.times_unknown,
            },
            Kind::Displacement(_) => EventKind::Displacement,
            Kind::SetupFault(event) => EventKind::SetupFault {
                fault: match enumeration(event.fault, self.path("setup_fault.fault"), self.violations) {
                    v1::SetupFault::WrongPieces => SetupFault::WrongPieces,
                    v1::SetupFault::BoardTurned => SetupFault::BoardTurned,
                    v1::SetupFault::ColoursReversed => SetupFault::ColoursReversed,
                    v1::SetupFault::Unspecified => {
                        self.refuse("setup_fault.fault", "", "missing");
                        return None;
                    }
                },
                first_period_permille: event.first_period_permille,
            },
            Kind::RecordingLapse(event) if event.sheets_unclear => EventKind::SheetsUnclear,
            Kind::RecordingLapse(event) => EventKind::RecordingLapse {
                remaining: self.duration("recording_lapse.remaining", event.remaining.as_ref()),
                increment: self.duration("recording_lapse.increment", event.increment.as_ref()),
            },
            Kind::Breach(event) => EventKind::Breach {
                breach: match enumeration(event.breach, self.path("breach.breach"), self.violations) {
                    v1::Breach::DeviceOnPlayer => Breach::DeviceOnPlayer,
                    v1::Breach::Refusal => Breach::Refusal,
                    v1::Breach::BothRefuse => Breach::BothRefuse,
                    v1::Breach::Other => Breach::Other,
                    v1::Breach::Unspecified => {
                        self.refuse("breach.breach", "", "missing");
                        return None;
                    }
                },
            },
            Kind::Seal(event) => EventKind::Seal {
                text: self.text("seal.text", &event.text),
                clock_stopped: event.clock_stopped,
            },
            Kind::Envelope(event) => EventKind::EnvelopeLost {
                position_known: event.position_known,
            },
            Kind::Resume(event) => EventKind::Resume {
                replier_present: !event.replier_absent,
                sealer_late: self
                    .duration("resume.sealer_late", event.sealer_late.as_ref())
                    .unwrap_or_default(),
            },
            Kind::ArbiterDecision(event) => EventKind::ArbiterDecision {
                result: match enumeration(
                    event.result,
                    self.path("arbiter_decision.result"),
                    self.violations,
                ) {
                    v1::GameResult::WhiteWins => Some(GameResult::Wins(Color::White)),
                    v1::GameResult::BlackWins => Some(GameResult::Wins(Color::Black)),
                    v1::GameResult::Draw => Some(GameResult::Draw),
                    v1::GameResult::BothLose => Some(GameResult::BothLose),
                    v1::GameResult::Unspecified => None,
                },
            },
            Kind::Retraction(event) => EventKind::Retraction {
                event: event.event as usize,
            },
            Kind::Withdrawal(_) => EventKind::Withdrawal,
            Kind::TouchComplaint(event) => EventKind::TouchComplaint {
                touched_since: event.touched_since,
            },
            Kind::IllegalPosition(_) => EventKind::IllegalPosition,
        })
    }
}
