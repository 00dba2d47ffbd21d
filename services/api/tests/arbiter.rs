//! What the wire tells of rulings beside them: penalties and compensations, options with their articles, scores, and why
//! a game waits.
#![cfg(feature = "domain")]

use std::sync::Arc;

use tabiya_api::{
    convert::{Desk, RulesetReader, Rulesets, adjudicate},
    error::ServiceError,
    v1::{self, Color, EffectKind, GameStatus, event::Kind},
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

fn event(actor: Color, kind: Kind) -> v1::Event {
    v1::Event {
        actor: actor.into(),
        kind: Some(kind),
        ..Default::default()
    }
}

fn timed(seconds: i64, event: v1::Event) -> v1::Event {
    let nanos = 0;
    let at = Some(prost_types::Duration { seconds, nanos });
    v1::Event { at, ..event }
}

fn mv(actor: Color, text: &str) -> v1::Event {
    let text = text.into();
    event(
        actor,
        Kind::Move(v1::MoveEvent {
            text,
            ..Default::default()
        }),
    )
}

fn press(actor: Color) -> v1::Event {
    event(actor, Kind::ClockPress(v1::ClockPressEvent {}))
}

fn retraction(event_index: u32) -> v1::Event {
    event(
        Color::Unspecified,
        Kind::Retraction(v1::RetractionEvent { event: event_index }),
    )
}

fn correction(event_index: u32, by: v1::Event) -> v1::Event {
    event(
        Color::Unspecified,
        Kind::Correction(Box::new(v1::CorrectionEvent {
            event: event_index,
            replacement: Some(Box::new(by)),
        })),
    )
}

/// The arbiter's choice, with so many milliseconds or half points.
fn choice(option: &str, side: Color, milliseconds: i32, half_points: u32) -> v1::Event {
    let time = (milliseconds > 0).then(|| prost_types::Duration {
        seconds: i64::from(milliseconds / 1000),
        nanos: milliseconds % 1000 * 1_000_000,
    });
    event(
        Color::Unspecified,
        Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
            option: option.into(),
            side: side.into(),
            time,
            half_points,
            ..Default::default()
        }),
    )
}

fn tried(overrides: &[(&str, &str)], events: Vec<v1::Event>) -> Result<v1::AdjudicateResponse, ServiceError> {
    let desk = Desk {
        rulesets: RulesetReader::new(Arc::new(Rulesets::built_in().unwrap())),
        language: v1::Language::En,
        stop: Arc::default(),
    };
    let named = overrides.iter().map(|&(name, value)| v1::SwitchOverride {
        name: name.into(),
        value: value.into(),
    });
    let request = v1::AdjudicateRequest {
        overrides: named.collect(),
        events,
        time_control: Some(v1::TimeControl {
            periods: vec![v1::Period {
                time: Some(prost_types::Duration {
                    seconds: 5400,
                    nanos: 0,
                }),
                ..Default::default()
            }],
        }),
        ..Default::default()
    };
    adjudicate(&desk, &request)
}

fn ruled_with(overrides: &[(&str, &str)], events: Vec<v1::Event>) -> v1::AdjudicateResponse {
    tried(overrides, events).unwrap()
}

fn ruled(events: Vec<v1::Event>) -> v1::AdjudicateResponse {
    ruled_with(&[], events)
}

/// Penalties as event, offender and seconds.
fn penalties(answer: &v1::AdjudicateResponse) -> Vec<(u32, Color, i64)> {
    let seconds = |penalty: &v1::Penalty| penalty.effect.as_ref().unwrap().time.unwrap().seconds;
    let told = |penalty: &v1::Penalty| (penalty.event, penalty.offender(), seconds(penalty));
    answer.penalties.iter().map(told).collect()
}

/// What is taken back or corrected imposes nothing any more, and what takes its place does.
#[test]
fn penalties_are_those_that_stand() {
    let claim = event(
        Color::White,
        Kind::Claim(v1::ClaimEvent {
            ground: v1::ClaimGround::ThreefoldRepetition.into(),
            ..Default::default()
        }),
    );
    let claimed = vec![timed(10, claim)];
    assert_eq!(penalties(&ruled(claimed.clone())), [(0, Color::White, 120)]);
    let retracted = [claimed, vec![timed(20, retraction(0))]].concat();
    assert_eq!(penalties(&ruled(retracted)), []);

    let pressed = |text| vec![timed(10, mv(Color::White, text)), timed(10, press(Color::White))];
    let then = |text, by| {
        let mut events = pressed(text);
        events.push(timed(20, correction(0, timed(10, mv(Color::White, by)))));
        penalties(&ruled(events))
    };
    assert_eq!(penalties(&ruled(pressed("e2e5"))), [(1, Color::White, 120)]);
    assert_eq!(then("e2e5", "e2e4"), []);
    assert_eq!(then("e2e4", "e2e5"), [(1, Color::White, 120)]);
}

/// Time for a disturbance (12.5), for a request that was granted (III.4) or for an early sealing (I.1.2) punishes nobody.
#[test]
fn compensations_are_no_penalties() {
    let disturbed = event(
        Color::Unspecified,
        Kind::Disturbance(v1::DisturbanceEvent::default()),
    );
    let given = choice("add-time", Color::Unspecified, 60_000, 0);
    let answer = ruled(vec![timed(10, disturbed), timed(20, given)]);
    let added = |effect: &&v1::Effect| effect.kind() == EffectKind::TimeAdded;
    assert_eq!(answer.rulings[1].effects.iter().filter(added).count(), 2);
    assert_eq!(answer.penalties, []);

    let asks = v1::QuickplayClaimEvent {
        claim: v1::QuickplayClaim::Increment.into(),
        remaining: Some(prost_types::Duration {
            seconds: 60,
            nanos: 0,
        }),
    };
    let asks = event(Color::White, Kind::QuickplayClaim(asks));
    let granted = choice("grant-increment", Color::Unspecified, 0, 0);
    let answer = ruled_with(
        &[("guideline_iii", "true")],
        vec![timed(10, asks), timed(20, granted)],
    );
    assert!(answer.rulings[1].effects.iter().any(|effect| added(&effect)));
    assert_eq!(answer.penalties, []);

    let sealed = v1::SealEvent {
        text: "e2e4".into(),
        clock_stopped: true,
        session_left: Some(prost_types::Duration {
            seconds: 600,
            nanos: 0,
        }),
    };
    let answer = ruled(vec![timed(10, event(Color::White, Kind::Seal(sealed)))]);
    let used = |effect: &v1::Effect| effect.kind() == EffectKind::UsedTimeAdded;
    assert!(answer.rulings[0].effects.iter().any(used));
    assert_eq!(answer.penalties, []);
    // And the game waits, which is said of the whole.
    assert_eq!(answer.status(), GameStatus::Suspended);
    assert_eq!(
        answer.reason,
        "the game is adjourned: play waits for the sealed move"
    );
}

/// Times are told to the millisecond, in the effect and in its words.
#[test]
fn parts_of_a_second_are_told() {
    let answer = ruled(vec![timed(
        10,
        choice("add-opponent-time", Color::White, 90_500, 0),
    )]);
    let effect = &answer.rulings[0].effects[0];
    let time = effect.time.unwrap();
    assert_eq!((time.seconds, time.nanos), (90, 500_000_000));
    assert_eq!(effect.text, "1 min 30.5 s are added to Black's clock");
    assert_eq!(answer.penalties[0].effect.as_ref(), Some(effect));
}

/// The option to set the clocks rests on the article that gives it: 7.1 only where a position has to be restored.
#[test]
fn options_cite_what_gives_them() {
    let fault = |fault: v1::ClockFault| {
        let kind = v1::ClockFaultEvent {
            fault: fault.into(),
            ..Default::default()
        };
        event(Color::Unspecified, Kind::ClockFault(kind))
    };
    let differ = v1::BoardsDifferEvent {
        sheets_agree: Some(false),
        moves_before: Some(0),
    };
    let differ = event(Color::Unspecified, Kind::BoardsDiffer(differ));
    let sealed = v1::SealEvent {
        text: "e2e4".into(),
        clock_stopped: true,
        ..Default::default()
    };
    let lost = v1::EnvelopeEvent {
        position_known: Some(true),
        times_unknown: true,
        ..Default::default()
    };
    let envelope = vec![
        timed(10, event(Color::White, Kind::Seal(sealed))),
        timed(20, event(Color::Unspecified, Kind::Envelope(lost))),
    ];
    for (events, article) in [
        (vec![timed(10, fault(v1::ClockFault::Defect))], "6.10.1"),
        (vec![timed(10, fault(v1::ClockFault::Setting))], "6.10.2"),
        (vec![timed(10, differ)], "D.2.9"),
        (envelope, "I.12"),
    ] {
        let answer = ruled(events);
        let effects = &answer.rulings.last().unwrap().effects;
        let option = effects
            .iter()
            .find(|effect| effect.option == "set-clocks")
            .unwrap();
        let cited: Vec<_> = option
            .citations
            .iter()
            .map(|citation| &citation.article)
            .collect();
        assert_eq!(cited, [article]);
    }
}

/// 10.2: what a game gives, with the points that the arbiter gave as far as it has any left.
#[test]
fn scores_are_told() {
    let resigns = |side| event(side, Kind::Resignation(v1::ResignationEvent {}));
    let scored = |events| {
        let score = ruled(events).score;
        score.map(|score| (score.white_half_points, score.black_half_points))
    };
    let given = || timed(10, choice("add-opponent-points", Color::White, 0, 2));
    assert_eq!(scored(vec![given()]), None);
    assert_eq!(
        scored(vec![given(), timed(20, resigns(Color::Black))]),
        Some((2, 0))
    );
    assert_eq!(
        scored(vec![given(), timed(20, resigns(Color::White))]),
        Some((0, 2))
    );
}

/// What a player did and nobody is named for, and what refers to nothing, is the caller's mistake, named by place and field.
#[test]
fn events_for_nobody_are_invalid() {
    let resigns = || event(Color::Unspecified, Kind::Resignation(v1::ResignationEvent {}));
    let moves = || mv(Color::White, "e2e4");
    for (events, field) in [
        (vec![moves(), resigns()], "events[1].actor"),
        (
            vec![moves(), correction(0, resigns())],
            "events[1].correction.replacement.actor",
        ),
        (vec![moves(), retraction(1)], "events[1].retraction.event"),
        (
            vec![moves(), correction(9, moves())],
            "events[1].correction.event",
        ),
    ] {
        let status = Status::from(tried(&[], events).unwrap_err());
        assert_eq!(status.code(), Code::InvalidArgument);
        let violations = status.get_details_bad_request().unwrap().field_violations;
        let fields: Vec<_> = violations
            .iter()
            .map(|violation| violation.field.as_str())
            .collect();
        assert_eq!(fields, [field]);
    }
}
