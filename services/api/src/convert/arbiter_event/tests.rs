//! What is refused, by its place and field.

use super::*;
use crate::v1::{ClockReading, MoveEvent, ResignationEvent, RetractionEvent};

mod nobody;
mod once;
mod order;

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
        (vec![at(5, pawn()), moved(9, 0, 3), at(8, pawn())], "events[2].at"),
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
        (
            v1::ArbiterDecisionEvent {
                result: v1::GameResult::Draw.into(),
                event: Some(0),
                ..Default::default()
            },
            "event",
        ),
        (
            v1::ArbiterDecisionEvent {
                option: "annul".into(),
                event: Some(0),
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
fn every_event_that_is_wrong_is_named() {
    let wrong = read_events(&[v1::Event::default(), at(0, pawn()), v1::Event::default()]).unwrap_err();
    assert_eq!(wrong.kept().len(), 2);
}
