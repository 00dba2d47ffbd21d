//! Who has to have done what, and what an event may refer to.

use std::{collections::HashSet, mem::discriminant};

use prost::Message as _;
use prost_types::FileDescriptorSet;

use super::*;

/// Every kind of event, and whether somebody has to have done it.
fn kinds() -> Vec<(Kind, bool)> {
    let second = Some(prost_types::Duration { seconds: 1, nanos: 0 });
    vec![
        (pawn(), false),
        (Kind::ClockPress(Default::default()), false),
        (
            Kind::Touch(v1::TouchEvent {
                squares: vec!["e2".into()],
                ..Default::default()
            }),
            true,
        ),
        (
            Kind::Release(v1::ReleaseEvent {
                from_square: "e2".into(),
                to_square: "e4".into(),
                ..Default::default()
            }),
            true,
        ),
        (Kind::DrawOffer(Default::default()), true),
        (Kind::DrawAnswer(Default::default()), true),
        (
            Kind::Claim(v1::ClaimEvent {
                ground: v1::ClaimGround::FiftyMoves.into(),
                ..Default::default()
            }),
            true,
        ),
        (Kind::Resignation(Default::default()), true),
        (Kind::FlagFall(Default::default()), false),
        (
            Kind::Arrival(v1::ArrivalEvent {
                late: second,
                ..Default::default()
            }),
            true,
        ),
        (Kind::IllegalMoveReport(Default::default()), false),
        (Kind::Displacement(Default::default()), true),
        (
            Kind::SetupFault(v1::SetupFaultEvent {
                fault: v1::SetupFault::WrongPieces.into(),
                ..Default::default()
            }),
            false,
        ),
        (Kind::RecordingLapse(Default::default()), true),
        (
            Kind::Breach(v1::BreachEvent {
                breach: v1::Breach::Other.into(),
            }),
            true,
        ),
        (Kind::Seal(Default::default()), true),
        (Kind::Envelope(Default::default()), false),
        (Kind::Resume(Default::default()), false),
        (
            Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
                result: v1::GameResult::Draw.into(),
                ..Default::default()
            }),
            false,
        ),
        (Kind::Retraction(RetractionEvent { event: 0 }), false),
        (Kind::Withdrawal(Default::default()), true),
        (Kind::TouchComplaint(Default::default()), true),
        (Kind::IllegalPosition(Default::default()), false),
        (correction(0, Some(nobody(pawn()))), false),
        (
            Kind::Pause(v1::PauseEvent {
                reason: v1::PauseReason::Assistance.into(),
            }),
            false,
        ),
        (Kind::ClockStart(Default::default()), false),
        (
            Kind::ClockFault(v1::ClockFaultEvent {
                fault: v1::ClockFault::Defect.into(),
                ..Default::default()
            }),
            false,
        ),
        (Kind::Disturbance(Default::default()), false),
        (
            Kind::QuickplayClaim(v1::QuickplayClaimEvent {
                claim: v1::QuickplayClaim::NormalMeans.into(),
                ..Default::default()
            }),
            true,
        ),
        (Kind::Assistance(Default::default()), true),
        (Kind::SlipOfTongue(Default::default()), true),
        (Kind::BoardsDiffer(Default::default()), false),
        (Kind::Appeal(Default::default()), true),
    ]
}

/// The fields that are wrong with a list.
fn refused(events: &[v1::Event]) -> Vec<String> {
    let violations = read_events(events).err().unwrap_or_default();
    violations
        .kept()
        .iter()
        .map(|violation| violation.field.clone())
        .collect()
}

#[test]
fn every_kind_is_a_players_or_may_be_nobodys() {
    let kinds = kinds();
    let listed: HashSet<_> = kinds.iter().map(|(kind, _)| discriminant(kind)).collect();
    let contract = FileDescriptorSet::decode(crate::FILE_DESCRIPTOR_SET)
        .unwrap()
        .file;
    let ours = contract.iter().filter(|file| file.package() == "tabiya.v1");
    let events = ours
        .flat_map(|file| &file.message_type)
        .filter(|message| message.name() == "Event");
    let fields = events.flat_map(|message| &message.field);
    assert_eq!(
        listed.len(),
        fields.filter(|field| field.oneof_index.is_some()).count()
    );
    assert_eq!(listed.len(), kinds.len());
    for (kind, is_players) in kinds {
        let wrong = |field: &str| match is_players {
            true => vec![field.to_owned()],
            false => vec![],
        };
        let list = [nobody(pawn()), nobody(kind.clone())];
        assert_eq!(refused(&list), wrong("events[1].actor"), "{kind:?}");
        if matches!(kind, Kind::Retraction(_) | Kind::Correction(_)) {
            continue;
        }
        let list = [nobody(pawn()), nobody(correction(0, Some(nobody(kind.clone()))))];
        let field = "events[1].correction.replacement.actor";
        assert_eq!(refused(&list), wrong(field), "{kind:?}");
    }
}

/// Its own place, a later one, or none.
#[test]
fn what_refers_to_no_earlier_event_is_refused() {
    let warning = |place: u32| {
        Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
            option: "warning".into(),
            event: Some(place),
            ..Default::default()
        })
    };
    for (place, is_earlier) in [(0, true), (1, false), (2, false), (9, false), (u32::MAX, false)] {
        for (field, kind) in [
            (
                "retraction.event",
                Kind::Retraction(RetractionEvent { event: place }),
            ),
            ("correction.event", correction(place, Some(nobody(pawn())))),
            ("arbiter_decision.event", warning(place)),
        ] {
            let list = [nobody(pawn()), nobody(kind), nobody(pawn())];
            let wrong = (!is_earlier).then(|| format!("events[1].{field}"));
            assert_eq!(refused(&list), Vec::from_iter(wrong), "{field} {place}");
        }
    }
    // What really happened knows of nothing after it.
    for (replaced, wrong) in [(0, true), (1, false)] {
        let corrected = correction(replaced, Some(nobody(warning(0))));
        let list = [nobody(pawn()), nobody(pawn()), nobody(corrected)];
        let field = "events[2].correction.replacement.arbiter_decision.event";
        assert_eq!(refused(&list), Vec::from_iter(wrong.then(|| field.to_owned())));
    }
}

/// Of some kinds it depends on what was done.
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
