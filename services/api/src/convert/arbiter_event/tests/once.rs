//! What is refused is refused once, by the element at fault with what it holds.

use super::{super::read_time_control, *};
use crate::v1::{ArbiterDecisionEvent, BreachEvent, ClaimEvent, EnvelopeEvent, Period};

fn told(violations: Violations) -> Vec<(String, String)> {
    let kept = violations.kept().iter();
    kept.map(|told| (told.field.clone(), told.value.clone()))
        .collect()
}

fn one(field: &str, value: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), value.to_owned())]
}

#[test]
fn a_number_of_no_value_is_not_missing_too() {
    let refused = |kind| told(read_events(&[at(0, kind)]).unwrap_err());
    let claim = |ground| {
        Kind::Claim(ClaimEvent {
            ground,
            ..Default::default()
        })
    };
    assert_eq!(refused(claim(99)), one("events[0].claim.ground", "99"));
    assert_eq!(refused(claim(0)), one("events[0].claim.ground", ""));
    let breach = Kind::Breach(BreachEvent { breach: 99 });
    assert_eq!(refused(breach), one("events[0].breach.breach", "99"));
    let decision = Kind::ArbiterDecision(ArbiterDecisionEvent {
        result: 99,
        ..Default::default()
    });
    assert_eq!(refused(decision), one("events[0].arbiter_decision.result", "99"));
    let envelope = Kind::Envelope(EnvelopeEvent {
        checked: true,
        items: vec![99],
        ..Default::default()
    });
    assert_eq!(refused(envelope), one("events[0].envelope.items[0]", "99"));
}

/// The list of an arbiter's options is told in full.
#[test]
fn every_option_is_listed() {
    let decision = Kind::ArbiterDecision(ArbiterDecisionEvent {
        option: "x".into(),
        ..Default::default()
    });
    let violations = read_events(&[at(0, decision)]).unwrap_err();
    let reason = &violations.kept()[0].reason;
    for choice in tabiya_arbiter::replay::Choice::ALL {
        assert!(reason.contains(choice.name()), "{}: {reason}", choice.name());
    }
    assert!(!reason.ends_with('…'), "{reason}");
}

#[test]
fn time_controls_are_refused_by_the_period_at_fault() {
    let seconds = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let period = |moves, time, increment| Period {
        moves,
        time: seconds(time),
        increment: seconds(increment),
        ..Default::default()
    };
    let refused = |periods: &[Period]| {
        let control = v1::TimeControl {
            periods: periods.to_vec(),
        };
        told(read_time_control(&control).unwrap_err())
    };
    let long = 400 * 24 * 3600;
    assert_eq!(
        refused(&[period(40, 5400, 0), period(20, 3600, 0), period(5, 900, 0)]),
        one("time_control.periods[2].moves", "5")
    );
    assert_eq!(
        refused(&[period(40, 5400, 0), period(0, 3600, 0), period(0, 900, 0)]),
        one("time_control.periods[1].moves", "0")
    );
    assert_eq!(
        refused(&[period(40, 5400, 0), period(0, 900, long)]),
        one("time_control.periods[1].increment", "34560000s")
    );
    assert_eq!(
        refused(&[period(0, long, 0)]),
        one("time_control.periods[0].time", "34560000s")
    );
    assert_eq!(
        refused(&[period(0, 0, 30)]),
        one("time_control.periods[0].time", "0ns")
    );
    assert_eq!(refused(&[]), one("time_control.periods", "0"));
}
