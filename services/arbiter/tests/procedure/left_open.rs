//! What the laws leave to the arbiter's judgement: each ruling lists the options that its article gives, all of them and no
//! others, and decides nothing.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Breach, Choice, ClockFault, Effect, Event, EventKind, GameStatus, PauseReason, QuickplayClaim, SetupFault,
};

use crate::{
    case::{Want::GoesOn, case},
    events::*,
};

use Choice::*;

const FIDE_LIST: &[Choice] = &[
    Warning,
    AddOpponentTime,
    TakeOwnTime,
    AddOpponentPoints,
    TakeOwnPoints,
    Loss,
    Fine,
    Exclusion,
    Expulsion,
];
const CODE_LIST: &[Choice] = &[Warning, TakeOwnTime, AddOpponentTime, Loss];

/// The options of the last ruling, and that the game goes on, or waits for the arbiter.
fn options(ruleset: &'static str, events: &[Event]) -> Vec<Choice> {
    let mut case = case("", ruleset, events.to_vec(), GoesOn, &[]);
    if ruleset.starts_with("fide") && !ruleset.contains("blitz") {
        case = case.set("guideline_iii", "true");
    }
    let report = case.report();
    let open = matches!(report.status, GameStatus::Ongoing | GameStatus::Suspended);
    assert!(open && report.conclusion.is_none(), "{ruleset}: {report:?}");
    let option = |effect: &Effect| match effect {
        Effect::Option(choice) => Some(*choice),
        _ => None,
    };
    report
        .rulings
        .last()
        .unwrap()
        .effects
        .iter()
        .filter_map(option)
        .collect()
}

fn clock_fault(fault: ClockFault, moved_since_resumption: bool) -> Event {
    let kind = EventKind::ClockFault {
        fault,
        flag_fallen: false,
        moved_since_resumption,
    };
    at(W, kind)
}

fn asks(claim: QuickplayClaim) -> Event {
    let remaining = Some(Duration::from_secs(60));
    at(W, EventKind::QuickplayClaim { claim, remaining })
}

/// 11.1 to 11.5 and 12.9; 15.1 to 15.2 and 16.5.
#[test]
fn breaches_are_punished_as_the_arbiter_chooses() {
    let kinds = [
        Breach::Disrepute,
        Breach::LeftArea,
        Breach::Help,
        Breach::DeviceInVenue,
        Breach::InspectionRefused,
        Breach::Smoking,
        Breach::Disturbing,
        Breach::NotesOnSheet,
        Breach::AnalysisInRoom,
        Breach::ClockHandling,
        Breach::Other,
    ];
    for what in kinds {
        for (ruleset, list) in [
            (F, FIDE_LIST),
            (A4, FIDE_LIST),
            (B3, FIDE_LIST),
            (CN, CODE_LIST),
            ("cn-domestic", CODE_LIST),
        ] {
            for actor in [W, B] {
                assert_eq!(
                    options(ruleset, &[breach(actor, what)]),
                    list,
                    "{ruleset} {what:?}"
                );
            }
        }
    }
    // The preface allows asking the captain in one practice, and not in the other.
    let captain = [breach(W, Breach::Captain)];
    assert_eq!(options(CN, &captain), []);
    assert_eq!(options("cn-domestic", &captain), CODE_LIST);
}

/// 6.11.4, 7.4.3, 8.1.1, 9.1.2.1 with 11.5; 10.8, 8.1 with 16.5.
#[test]
fn irregularities_may_be_punished() {
    let groundless = at(
        W,
        EventKind::Pause {
            reason: PauseReason::Groundless,
        },
    );
    let unusual = || vec![mv(W, "e2e4"), press(W), offer(W)];
    assert_eq!(options(F, &[groundless]), FIDE_LIST);
    assert_eq!(options(F, &[displaced(W)]), FIDE_LIST);
    assert_eq!(options(F, &[record(600)]), FIDE_LIST);
    assert_eq!(options(F, &unusual()), FIDE_LIST);
    assert_eq!(options(CN, &unusual()), CODE_LIST);
    assert_eq!(options(CN, &[mv(W, "e2e5"), press(W)]), CODE_LIST);
    // By 7.5.5 an illegal move costs two minutes, and nothing is left to choose; by 8.3 nothing is said of a penalty.
    assert_eq!(options(F, &[mv(W, "e2e5"), press(W)]), []);
    assert_eq!(options(CN, &[displaced(W)]), []);
}

/// 6.10, 12.5, 4.9, D.2.9, I.12, I.13; 12.4, 14.5(3), 14.6.
#[test]
fn clocks_are_set_by_judgement() {
    let disturbed = |interrupted| at(ARBITER, EventKind::Disturbance { interrupted });
    let helped = |disability| at(W, EventKind::Assistance { disability });
    let differ = EventKind::BoardsDiffer {
        sheets_agree: Some(false),
        moves_before: Some(0),
    };
    let lost = || vec![seal("e2e4", true), envelope_lost(Some(true), false)];
    for ruleset in [F, CN] {
        assert_eq!(
            options(ruleset, &[clock_fault(ClockFault::Defect, false)]),
            [SetClocks],
            "{ruleset}"
        );
        assert_eq!(
            options(ruleset, &[clock_fault(ClockFault::Setting, false)]),
            [SetClocks],
            "{ruleset}"
        );
        assert_eq!(
            options(ruleset, &[clock_fault(ClockFault::Doubted, false)]),
            [],
            "{ruleset}"
        );
        let resumed = |moved| options(ruleset, &[clock_fault(ClockFault::ResumedWrong, moved)]);
        assert_eq!(resumed(false), [SetClocks], "{ruleset}");
        assert_eq!(resumed(true), [CorrectClocks], "{ruleset}");
        assert_eq!(options(ruleset, &lost()), [SetClocks], "{ruleset}");
    }
    assert_eq!(options(F, &[disturbed(false)]), [AddTime]);
    assert_eq!(options(F, &[disturbed(true)]), [AddTime]);
    assert_eq!(options(CN, &[disturbed(true)]), []);
    assert_eq!(options(F, &[helped(false)]), [AdjustForAssistant]);
    assert_eq!(options(F, &[helped(true)]), []);
    assert_eq!(options(F, &[at(ARBITER, differ)]), [SetClocks]);
}

/// III.4 to III.6: never for a machine to decide; 8.6 of the older code: as the schedule allows.
#[test]
fn claims_in_the_last_minutes_and_reversed_colours_are_the_arbiters() {
    for ruleset in [F, A4, A5] {
        let asked = |claim| options(ruleset, &[asks(claim)]);
        assert_eq!(
            asked(QuickplayClaim::Increment),
            [GrantIncrement, RefuseIncrement],
            "{ruleset}"
        );
        assert_eq!(
            asked(QuickplayClaim::NormalMeans),
            [DeclareDraw, Postpone, RejectClaim],
            "{ruleset}"
        );
        assert_eq!(
            asked(QuickplayClaim::Unsupervised),
            [DeclareDraw, Loss],
            "{ruleset}"
        );
    }
    let reversed = |permille| [setup(SetupFault::ColoursReversed, Some(permille))];
    assert_eq!(options(CN, &reversed(249)), [Restart, GoOn]);
    assert_eq!(options(CN, &reversed(250)), []);
}
