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
use times::Times;

/// Most events that one request may take back or correct: each replays what followed.
const MAX_EDITS: usize = 16;

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
mod tests {
    use super::*;
    use crate::v1::{ClockReading, MoveEvent, ResignationEvent, RetractionEvent};

    fn at(seconds: i64, kind: Kind) -> v1::Event {
        v1::Event {
            actor: v1::Color::White.into(),
            at: Some(prost_types::Duration { seconds, nanos: 0 }),
            kind: Some(kind),
            ..Default::default()
        }
    }

    fn pawn() -> Kind {
        Kind::Move(MoveEvent {
            text: "e2e4".into(),
            ..Default::default()
        })
    }

    fn nobody(kind: Kind) -> v1::Event {
        v1::Event {
            kind: Some(kind),
            ..Default::default()
        }
    }

    /// As [`at`], by the arbiter: a player edits nothing.
    fn arbiter(seconds: i64, kind: Kind) -> v1::Event {
        v1::Event {
            actor: v1::Color::Unspecified.into(),
            ..at(seconds, kind)
        }
    }

    fn correction(event: u32, replacement: Option<v1::Event>) -> Kind {
        Kind::Correction(Box::new(v1::CorrectionEvent {
            event,
            replacement: replacement.map(Box::new),
        }))
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place_and_field() {
        let long = Kind::Move(MoveEvent {
            text: "e".repeat(65),
            ..Default::default()
        });
        let touch = |square: &str| {
            Kind::Touch(v1::TouchEvent {
                squares: vec!["e2".into(), square.into()],
                ..Default::default()
            })
        };
        let choose = |option: &str, event| {
            Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
                option: option.into(),
                event,
                ..Default::default()
            })
        };
        let retract = |event| Kind::Retraction(RetractionEvent { event });
        let both = |option: &str| {
            Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
                option: option.into(),
                result: v1::GameResult::Draw.into(),
                ..Default::default()
            })
        };
        let moved = |when, event, to| arbiter(when, correction(event, Some(at(to, pawn()))));
        let reading = ClockReading {
            white: None,
            black: Some(prost_types::Duration {
                seconds: -1,
                nanos: 0,
            }),
        };
        let cases = [
            (vec![at(5, pawn()), at(4, pawn())], "events[1].at"),
            (vec![at(-1, pawn())], "events[0].at"),
            (
                vec![nobody(Kind::Resignation(ResignationEvent {}))],
                "events[0].actor",
            ),
            (
                vec![nobody(Kind::DrawOffer(Default::default()))],
                "events[0].actor",
            ),
            (vec![v1::Event::default()], "events[0].kind"),
            (
                vec![v1::Event {
                    actor: 9,
                    ..at(0, pawn())
                }],
                "events[0].actor",
            ),
            (
                vec![v1::Event {
                    reading: Some(reading),
                    ..at(0, pawn())
                }],
                "events[0].reading.black",
            ),
            (vec![at(0, long)], "events[0].move.text"),
            (vec![at(0, touch("e9"))], "events[0].touch.squares[1]"),
            (
                vec![at(0, Kind::Touch(Default::default()))],
                "events[0].touch.squares",
            ),
            (
                vec![at(0, Kind::Claim(Default::default()))],
                "events[0].claim.ground",
            ),
            (
                vec![at(0, Kind::Arrival(Default::default()))],
                "events[0].arrival.late",
            ),
            (
                vec![at(0, Kind::Breach(Default::default()))],
                "events[0].breach.breach",
            ),
            (
                vec![at(0, Kind::Pause(Default::default()))],
                "events[0].pause.reason",
            ),
            (vec![at(0, retract(0))], "events[0].retraction.event"),
            (
                vec![at(0, pawn()), at(0, retract(2))],
                "events[1].retraction.event",
            ),
            (
                vec![at(0, pawn()), at(0, correction(1, Some(at(0, pawn()))))],
                "events[1].correction.event",
            ),
            (
                vec![at(0, pawn()), at(0, correction(0, None))],
                "events[1].correction.replacement",
            ),
            (
                vec![at(0, pawn()), at(0, correction(0, Some(at(0, retract(0)))))],
                "events[1].correction.replacement.kind",
            ),
            (
                vec![at(0, pawn()), at(0, correction(0, Some(at(0, touch("x1")))))],
                "events[1].correction.replacement.touch.squares[1]",
            ),
            (vec![at(0, choose("", None))], "events[0].arbiter_decision.result"),
            (
                vec![at(0, choose("banishment", None))],
                "events[0].arbiter_decision.option",
            ),
            (
                vec![at(0, choose("warning", Some(0)))],
                "events[0].arbiter_decision.event",
            ),
            (
                vec![at(
                    0,
                    Kind::SetupFault(v1::SetupFaultEvent {
                        fault: v1::SetupFault::ColoursReversed.into(),
                        first_period_permille: Some(1001),
                        ..Default::default()
                    }),
                )],
                "events[0].setup_fault.first_period_permille",
            ),
            (
                vec![at(0, both("warning")), at(0, pawn())],
                "events[0].arbiter_decision.result",
            ),
            (vec![at(0, both("annul"))], "events[0].arbiter_decision.result"),
            // A correction puts nothing before what came before it, nor after what came after, nor after itself.
            (
                vec![at(5, pawn()), at(7, pawn()), moved(9, 1, 4)],
                "events[2].correction.replacement.at",
            ),
            (
                vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 8)],
                "events[2].correction.replacement.at",
            ),
            (
                vec![at(5, pawn()), moved(9, 0, 10)],
                "events[1].correction.replacement.at",
            ),
            // What an earlier correction has moved is passed neither.
            (
                vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 6), moved(9, 1, 5)],
                "events[3].correction.replacement.at",
            ),
            // Nor is it by what a retraction of that correction gives back.
            (
                vec![
                    at(5, pawn()),
                    at(7, pawn()),
                    moved(9, 1, 9),
                    moved(9, 0, 8),
                    arbiter(9, retract(2)),
                ],
                "events[4].retraction.event",
            ),
            (
                vec![at(5, pawn()), moved(9, 0, 3), at(8, pawn())],
                "events[2].at",
            ),
        ];
        for (events, field) in cases {
            let violations = read_events(&events).expect_err(field);
            let fields: Vec<_> = violations
                .kept()
                .iter()
                .map(|violation| violation.field.as_str())
                .collect();
            assert_eq!(fields, [field]);
        }
        let many: Vec<_> = (0..=MAX_EDITS).map(|_| at(0, retract(0))).collect();
        assert!(read_events(&[vec![at(0, pawn())], many].concat()).is_err());
    }

    #[test]
    fn what_somebody_did_is_refused_by_nobody_and_what_both_did_is_not() {
        use v1::{Breach, RecordingLapse as Lapse};

        let breach = |breach: Breach| {
            Kind::Breach(v1::BreachEvent {
                breach: breach.into(),
            })
        };
        let lapse = |lapse: Lapse| {
            Kind::RecordingLapse(v1::RecordingLapseEvent {
                lapse: lapse.into(),
                ..Default::default()
            })
        };
        let displaced = |found_later| {
            Kind::Displacement(v1::DisplacementEvent {
                found_later,
                ..Default::default()
            })
        };
        let somebody = [
            Kind::DrawAnswer(Default::default()),
            Kind::Claim(v1::ClaimEvent {
                ground: v1::ClaimGround::FiftyMoves.into(),
                ..Default::default()
            }),
            Kind::QuickplayClaim(v1::QuickplayClaimEvent {
                claim: v1::QuickplayClaim::NormalMeans.into(),
                ..Default::default()
            }),
            Kind::Touch(v1::TouchEvent {
                squares: vec!["e2".into()],
                ..Default::default()
            }),
            Kind::Release(v1::ReleaseEvent {
                from_square: "e2".into(),
                to_square: "e4".into(),
                ..Default::default()
            }),
            Kind::TouchComplaint(Default::default()),
            Kind::SlipOfTongue(Default::default()),
            Kind::Seal(Default::default()),
            Kind::Withdrawal(Default::default()),
            Kind::Appeal(Default::default()),
            Kind::Assistance(Default::default()),
            breach(Breach::Other),
            breach(Breach::DeviceOnPlayer),
            breach(Breach::Refusal),
            lapse(Lapse::Unspecified),
            lapse(Lapse::Refused),
            displaced(false),
        ];
        for kind in somebody {
            let named = vec![at(0, kind.clone())];
            assert!(read_events(&named).is_ok(), "{kind:?}");
            let corrected = vec![at(0, pawn()), at(0, correction(0, Some(nobody(kind.clone()))))];
            for (events, field) in [
                (vec![nobody(kind.clone())], "events[0].actor"),
                (corrected, "events[1].correction.replacement.actor"),
            ] {
                let violations = read_events(&events).expect_err(field);
                assert_eq!(violations.kept()[0].field, field, "{kind:?}");
            }
        }
        let both = [
            breach(Breach::BothRefuse),
            lapse(Lapse::BothStopped),
            lapse(Lapse::BothIncomplete),
            lapse(Lapse::Insufficient),
            lapse(Lapse::Unclear),
            displaced(true),
        ];
        for kind in both {
            assert!(read_events(&[nobody(kind.clone())]).is_ok(), "{kind:?}");
        }
    }

    #[test]
    fn a_decision_has_a_use_for_all_that_it_says() {
        let decision = |event: v1::ArbiterDecisionEvent| {
            let events = [at(0, pawn()), nobody(Kind::ArbiterDecision(event))];
            read_events(&events).map_err(|violations| violations.kept()[0].field.clone())
        };
        let said = |option: &str| v1::ArbiterDecisionEvent {
            option: option.into(),
            side: v1::Color::White.into(),
            ..Default::default()
        };
        let time = Some(prost_types::Duration {
            seconds: 50,
            nanos: 0,
        });
        for (event, field) in [
            (
                v1::ArbiterDecisionEvent {
                    half_points: 99,
                    ..said("warning")
                },
                "half_points",
            ),
            (
                v1::ArbiterDecisionEvent {
                    time,
                    ..said("warning")
                },
                "time",
            ),
            (
                v1::ArbiterDecisionEvent {
                    clocks: Some(ClockReading::default()),
                    ..said("loss")
                },
                "clocks",
            ),
            (said("annul"), "side"),
            (
                v1::ArbiterDecisionEvent {
                    result: v1::GameResult::Draw.into(),
                    ..said("")
                },
                "side",
            ),
            (
                v1::ArbiterDecisionEvent {
                    result: v1::GameResult::Draw.into(),
                    event: Some(99),
                    ..Default::default()
                },
                "event",
            ),
            (
                v1::ArbiterDecisionEvent {
                    option: "annul".into(),
                    event: Some(99),
                    ..Default::default()
                },
                "event",
            ),
        ] {
            assert_eq!(
                decision(event).err(),
                Some(format!("events[1].arbiter_decision.{field}"))
            );
        }
        for event in [
            said("warning"),
            v1::ArbiterDecisionEvent {
                time,
                ..said("take-own-time")
            },
            v1::ArbiterDecisionEvent {
                half_points: 1,
                ..said("take-own-points")
            },
        ] {
            assert!(decision(event).is_ok());
        }
    }

    #[test]
    fn times_are_moved_between_those_beside_them() {
        let moved = |when, event, to| arbiter(when, correction(event, Some(at(to, pawn()))));
        let retract = |event| Kind::Retraction(RetractionEvent { event });
        for events in [
            vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 7), moved(9, 1, 9)],
            vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 0)],
            // What was taken back is in nobody's way.
            vec![
                at(5, pawn()),
                at(7, pawn()),
                arbiter(9, retract(1)),
                moved(9, 0, 8),
            ],
            // Nobody said when the correction was made.
            vec![at(5, pawn()), nobody(correction(0, Some(at(8, pawn()))))],
            // What a player says to have been otherwise changes no time.
            vec![
                at(5, pawn()),
                at(7, pawn()),
                at(9, correction(0, Some(at(20, pawn())))),
                moved(9, 1, 6),
            ],
            // A time that was much too late is put right, and the game goes on from there.
            vec![at(5000, pawn()), moved(60, 0, 50), at(61, pawn())],
        ] {
            assert!(read_events(&events).is_ok(), "{events:?}");
        }
        let untimed = || arbiter(9, correction(1, Some(nobody(pawn()))));
        // What was taken back and counts again is in the way again.
        let again = vec![arbiter(9, retract(1)), arbiter(9, retract(2)), moved(9, 0, 8)];
        // A correction that says nothing of the time keeps it, and so does what brings that correction back.
        let kept = vec![
            untimed(),
            arbiter(9, retract(1)),
            arbiter(9, retract(3)),
            moved(9, 0, 8),
        ];
        // The newer of two corrections counts, whatever becomes of the older.
        let newer = vec![
            moved(9, 0, 6),
            moved(9, 0, 7),
            arbiter(9, retract(2)),
            moved(9, 1, 6),
        ];
        // A player takes nothing back.
        let player = vec![at(9, retract(1)), moved(9, 0, 8)];
        for edits in [again, kept, newer, player] {
            let last = edits.len() + 1;
            let events = [vec![at(5, pawn()), at(7, pawn())], edits].concat();
            let violations = read_events(&events).unwrap_err();
            let fields: Vec<_> = violations.kept().iter().map(|violation| violation.field.as_str()).collect();
            assert_eq!(fields, [format!("events[{last}].correction.replacement.at")], "{events:?}");
        }
        let change = Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
            option: "change-result".into(),
            result: v1::GameResult::Draw.into(),
            ..Default::default()
        });
        assert!(read_events(&[at(0, change)]).is_ok());
    }

    #[test]
    fn every_event_that_is_wrong_is_named() {
        let wrong = read_events(&[v1::Event::default(), at(0, pawn()), v1::Event::default()]).unwrap_err();
        assert_eq!(wrong.kept().len(), 2);
    }
}
