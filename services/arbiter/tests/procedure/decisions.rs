//! What is left to the arbiter: options listed, and chosen.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Breach, Choice, Decision, Effect, EventKind, GameResult, QuickplayClaim, Reason, SetupFault,
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules, Void},
        case,
    },
    events::*,
};

fn quickplay(claim: QuickplayClaim, seconds: u64) -> tabiya_arbiter::replay::Event {
    at(
        W,
        EventKind::QuickplayClaim {
            claim,
            remaining: Some(Duration::from_secs(seconds)),
        },
    )
}

fn last_minutes() -> Vec<Case> {
    let f = "fide-2023";
    let normal = || quickplay(QuickplayClaim::NormalMeans, 119);
    vec![
        case(
            "",
            f,
            vec![quickplay(QuickplayClaim::Increment, 60)],
            Rules(true, Reason::LeftToArbiter),
            &["III.4"],
        )
        .set("guideline_iii", "true")
        .effect(Effect::Option(Choice::GrantIncrement))
        .effect(Effect::Option(Choice::RefuseIncrement))
        .effect(Effect::OfferOpen { by: WHITE }),
        case(
            "",
            f,
            vec![normal()],
            Rules(false, Reason::MissingFact),
            &["III.5"],
        ),
        case(
            "",
            f,
            vec![quickplay(QuickplayClaim::NormalMeans, 120)],
            Rules(false, Reason::QuickplayEarly),
            &["III.5"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            "fide-2023-blitz-b2",
            vec![normal()],
            Rules(false, Reason::QuickplayElsewhere),
            &["III.2.2"],
        )
        .set("guideline_iii", "true"),
        case("", "popular", vec![normal()], Rules(false, Reason::Unstated), &[]),
        case(
            "",
            f,
            vec![normal(), choose(Choice::DeclareDraw)],
            Ends(DRAW, Reason::Decided),
            &["III.5"],
        )
        .set("guideline_iii", "true"),
        case(
            "",
            f,
            vec![normal(), choose(Choice::RejectClaim)],
            Rules(true, Reason::OptionChosen),
            &["III.5"],
        )
        .set("guideline_iii", "true")
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(120),
        }),
        // The decision was put off, so the flag does not decide.
        case(
            "",
            f,
            vec![normal(), choose(Choice::Postpone), flag(W)],
            Rules(false, Reason::LeftToArbiter),
            &["III.5"],
        )
        .set("guideline_iii", "true")
        .effect(Effect::Option(Choice::DeclareDraw))
        .effect(Effect::Option(Choice::Loss)),
        case(
            "",
            f,
            vec![quickplay(QuickplayClaim::Unsupervised, 30)],
            Rules(true, Reason::AwaitsDecision),
            &["III.6"],
        )
        .set("guideline_iii", "true"),
    ]
}

fn sanctions() -> Vec<Case> {
    let f = "fide-2023";
    let other = || breach(W, Breach::Other);
    vec![
        case(
            "",
            f,
            vec![other(), choose(Choice::Warning)],
            Rules(true, Reason::OptionChosen),
            &["12.9.1"],
        ),
        case(
            "",
            f,
            vec![other(), choose_with(Choice::AddOpponentTime, Some(0), Some(180))],
            Rules(true, Reason::OptionChosen),
            &["12.9.2"],
        )
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(180),
        }),
        case(
            "",
            f,
            vec![other(), choose(Choice::TakeOwnTime)],
            Rules(false, Reason::MissingFact),
            &["12.9.3"],
        ),
        case(
            "",
            f,
            vec![other(), choose_with(Choice::TakeOwnTime, None, Some(60))],
            Rules(true, Reason::OptionChosen),
            &["12.9.3"],
        )
        .effect(Effect::UsedTimeAdded {
            side: WHITE,
            time: Duration::from_secs(60),
        }),
        case(
            "",
            f,
            vec![other(), change_points(Choice::AddOpponentPoints, None, 1)],
            Rules(true, Reason::OptionChosen),
            &["12.9.4"],
        )
        .effect(Effect::Points {
            side: BLACK,
            half_points: 1,
        }),
        case(
            "",
            f,
            vec![other(), change_points(Choice::AddOpponentPoints, None, 3)],
            Rules(false, Reason::TooManyPoints),
            &["12.9.4"],
        ),
        case(
            "",
            f,
            vec![other(), change_points(Choice::TakeOwnPoints, None, 2)],
            Rules(true, Reason::OptionChosen),
            &["12.9.5"],
        )
        .effect(Effect::Points {
            side: WHITE,
            half_points: -2,
        }),
        case(
            "",
            f,
            vec![other(), choose(Choice::Loss)],
            Ends(BLACK_WINS, Reason::Decided),
            &["12.9.6"],
        ),
        case(
            "",
            f,
            vec![other(), choose(Choice::Fine)],
            Rules(true, Reason::OptionChosen),
            &["12.9.7"],
        ),
        case(
            "",
            f,
            vec![other(), choose(Choice::Exclusion)],
            Rules(true, Reason::OptionChosen),
            &["12.9.8"],
        ),
        case(
            "",
            f,
            vec![other(), choose(Choice::Expulsion)],
            Rules(true, Reason::OptionChosen),
            &["12.9.9"],
        ),
        // No sanction of the older code's, and no option of this event.
        case(
            "",
            "cn-classic",
            vec![other(), choose(Choice::Expulsion)],
            Rules(false, Reason::NotAnOption),
            &[],
        ),
        case(
            "",
            f,
            vec![mv(W, "e2e4"), choose_with(Choice::Warning, Some(0), None)],
            Rules(false, Reason::NotAnOption),
            &[],
        ),
        // Used time whose addition leaves less than five minutes.
        case(
            "",
            "cn-classic",
            vec![
                tabiya_arbiter::replay::Event {
                    reading: tabiya_arbiter::replay::ClockReading([
                        Some(Duration::from_secs(330)),
                        Some(Duration::from_secs(900)),
                    ]),
                    ..other()
                },
                choose_with(Choice::TakeOwnTime, None, Some(60)),
            ],
            Rules(false, Reason::BelowFloor),
            &["12.4"],
        ),
        case(
            "",
            f,
            vec![at(
                W,
                EventKind::ArbiterDecision(Decision::Result(GameResult::Draw)),
            )],
            Rules(false, Reason::NotArbiter),
            &[],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let reversed = || setup(SetupFault::ColoursReversed, Some(100));
    let signed = |choice| {
        vec![
            resign(W),
            report(B, true, true),
            decide(Decision::Choice {
                choice,
                event: Some(1),
                side: None,
                time: None,
                half_points: 0,
                result: Some(GameResult::Draw),
                clocks: Default::default(),
            }),
        ]
    };
    let mut cases = vec![
        case(
            "",
            cn,
            vec![reversed(), choose(Choice::Restart)],
            Void(Reason::ColoursRestart),
            &["8.6"],
        ),
        case(
            "",
            cn,
            vec![reversed(), choose(Choice::GoOn)],
            Rules(true, Reason::OptionChosen),
            &["8.6"],
        ),
        case(
            "",
            "club",
            vec![reversed()],
            Void(Reason::ColoursRestart),
            &["colours"],
        ),
        // A signed result, which the arbiter may change by 8.7 and by nothing in the older code.
        case(
            "",
            f,
            signed(Choice::ChangeResult),
            Ends(DRAW, Reason::Decided),
            &["8.7"],
        ),
        case(
            "",
            cn,
            signed(Choice::ChangeResult),
            Ends(BLACK_WINS, Reason::Resigned),
            &["10.2"],
        ),
        case("", f, vec![decide(Decision::Annul)], Void(Reason::Decided), &[]),
    ];
    cases.extend(last_minutes());
    cases.extend(sanctions());
    cases
}
