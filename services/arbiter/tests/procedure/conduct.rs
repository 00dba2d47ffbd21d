//! Conduct, score sheets, assistants, clocks that are wrong, players who cannot see.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Breach, Choice, ClockFault, Effect, Event, EventKind, PauseReason, Reason, RecordingLapse, Witness,
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

fn conduct() -> Vec<Case> {
    let breached = |ruleset, kind, articles: &'static [&'static str]| {
        case(
            "",
            ruleset,
            vec![breach(B, kind)],
            Rules(true, Reason::Breach),
            articles,
        )
        .effect(Effect::Option(Choice::Warning))
    };
    let f = "fide-2023";
    let cn = "cn-classic";
    vec![
        breached(f, Breach::Disrepute, &["11.1", "11.6", "12.9"]),
        breached(f, Breach::LeftArea, &["11.2", "11.6"]),
        breached(f, Breach::Help, &["11.3.1", "11.6"]),
        breached(f, Breach::DeviceInVenue, &["11.3.2", "11.6"]),
        breached(f, Breach::InspectionRefused, &["11.3.3", "12.9"]),
        breached(f, Breach::Smoking, &["11.4", "11.6"]),
        breached(f, Breach::Disturbing, &["11.5", "11.6"]),
        breached(f, Breach::ClockHandling, &["6.2.4", "12.9"]),
        breached(cn, Breach::Help, &["15.1(1)", "15.2", "16.5"]),
        breached(cn, Breach::NotesOnSheet, &["15.1(2)", "16.5"]),
        breached(cn, Breach::AnalysisInRoom, &["15.1(3)", "16.5"]),
        breached(cn, Breach::Disturbing, &["15.1(4)", "16.5"]),
        breached("cn-domestic", Breach::Captain, &["preface", "16.5"]),
        case(
            "",
            f,
            vec![breach(B, Breach::Captain)],
            Rules(false, Reason::Unstated),
            &[],
        ),
        case(
            "",
            f,
            vec![breach(W, Breach::Refusal)],
            Ends(BLACK_WINS, Reason::Refusal),
            &["11.7"],
        ),
        case(
            "",
            cn,
            vec![breach(W, Breach::Refusal)],
            Ends(BLACK_WINS, Reason::Refusal),
            &["10.17"],
        ),
        case(
            "",
            f,
            vec![resign(W), at(W, EventKind::Appeal)],
            Rules(true, Reason::AppealNoted),
            &["11.10"],
        ),
        case(
            "",
            "online-platform",
            vec![breach(W, Breach::Help)],
            Rules(false, Reason::Unstated),
            &[],
        ),
    ]
}

fn sheets() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let side = WHITE;
    let lapses = |ruleset, kind, want, articles: &'static [&'static str]| {
        case("", ruleset, vec![lapse(W, kind)], want, articles)
    };
    use RecordingLapse::{
        Behind, Borrows, BothIncomplete, BothStopped, InAdvance, Insufficient, OfferUnmarked, OneIncomplete,
        Refused, Unclear,
    };
    vec![
        lapses(f, Behind, Rules(false, Reason::RecordedLate), &["8.1.3"])
            .effect(Effect::MayBePenalised { side }),
        lapses(f, InAdvance, Rules(false, Reason::Recorded), &["8.1.2"]),
        lapses(f, OfferUnmarked, Rules(false, Reason::OfferUnmarked), &["8.1.5"]),
        lapses(f, Refused, Rules(false, Reason::RecordingRefused), &["11.7"]),
        lapses(
            cn,
            Refused,
            Ends(BLACK_WINS, Reason::RecordingRefused),
            &["11.4", "10.17"],
        ),
        lapses(f, BothStopped, Rules(true, Reason::ArbiterRecords), &["8.5.1"])
            .effect(Effect::ArbiterRecords),
        lapses(cn, BothStopped, Rules(true, Reason::ArbiterRecords), &["11.3"]),
        lapses(f, OneIncomplete, Rules(true, Reason::CompleteOne), &["8.5.2"])
            .effect(Effect::ClockRuns { side }),
        lapses(cn, OneIncomplete, Rules(true, Reason::CompleteOne), &["11.6"])
            .effect(Effect::CompleteSheet { side }),
        lapses(f, BothIncomplete, Rules(true, Reason::CompleteBoth), &["8.5.1"]).effect(Effect::ClocksPaused),
        lapses(cn, BothIncomplete, Rules(true, Reason::CompleteBoth), &["11.7"]),
        lapses(
            f,
            Insufficient,
            Rules(true, Reason::SecondBoard),
            &["8.5.3", "11.11"],
        )
        .effect(Effect::SecondBoard),
        lapses(
            cn,
            Insufficient,
            Rules(true, Reason::SecondBoard),
            &["11.8", "11.7"],
        ),
        lapses(cn, Borrows, Rules(true, Reason::SheetLent), &["11.5"])
            .effect(Effect::LendSheet { side: BLACK }),
        lapses(f, Unclear, Rules(true, Reason::SheetsUnclear), &["8.6"]).effect(Effect::NextPeriod),
        lapses(
            "fide-2023-rapid-a5",
            Behind,
            Rules(true, Reason::NobodyRecords),
            &["A.2"],
        ),
        lapses(
            "fide-2023-rapid-a4",
            RecordingLapse::Stopped,
            Rules(true, Reason::NobodyRecords),
            &["A.2"],
        ),
        lapses("popular", Unclear, Rules(false, Reason::Unstated), &[]),
        // 30 seconds a move and more: no exemption.
        case(
            "",
            f,
            vec![at(
                W,
                EventKind::Recording {
                    lapse: RecordingLapse::Stopped,
                    remaining: Some(Duration::from_secs(60)),
                    increment: Some(Duration::from_secs(30)),
                },
            )],
            Rules(false, Reason::MustRecord),
            &["8.1.1"],
        ),
    ]
}

fn pause(reason: PauseReason) -> Event {
    at(W, EventKind::Pause { reason })
}

fn fault(fault: ClockFault, flag_fallen: bool, moved_since_resumption: bool) -> Event {
    at(
        W,
        EventKind::ClockFault {
            fault,
            flag_fallen,
            moved_since_resumption,
        },
    )
}

fn clocks() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let set = Effect::Option(Choice::SetClocks);
    vec![
        case(
            "",
            f,
            vec![pause(PauseReason::Assistance)],
            Rules(true, Reason::Paused),
            &["6.11.2"],
        )
        .effect(Effect::ClocksPaused),
        case(
            "",
            f,
            vec![pause(PauseReason::PromotionPiece)],
            Rules(true, Reason::Paused),
            &["6.11.2"],
        ),
        case(
            "",
            cn,
            vec![pause(PauseReason::PromotionPiece)],
            Rules(true, Reason::Paused),
            &["5.6(5)"],
        ),
        case(
            "",
            f,
            vec![pause(PauseReason::Claim)],
            Rules(true, Reason::Paused),
            &["9.5.1"],
        ),
        case(
            "",
            cn,
            vec![pause(PauseReason::Claim)],
            Rules(true, Reason::Paused),
            &["10.13"],
        ),
        case(
            "",
            f,
            vec![pause(PauseReason::Groundless)],
            Rules(false, Reason::PausedGroundless),
            &["6.11.4", "12.9"],
        )
        .effect(Effect::MayBePenalised { side: WHITE }),
        case(
            "",
            f,
            vec![pause(PauseReason::Assistance), at(W, EventKind::ClockStart)],
            Rules(false, Reason::ArbiterStarts),
            &["6.11.3"],
        ),
        case(
            "",
            f,
            vec![fault(ClockFault::Defect, true, false)],
            Rules(true, Reason::ClockReplaced),
            &["6.10.1"],
        )
        .effect(set.clone()),
        case(
            "",
            f,
            vec![fault(ClockFault::Doubted, false, false)],
            Rules(false, Reason::ClockTrusted),
            &["6.10.1"],
        ),
        case(
            "",
            f,
            vec![fault(ClockFault::Setting, false, false)],
            Rules(true, Reason::ClockCorrected),
            &["6.10.2"],
        ),
        case(
            "",
            cn,
            vec![fault(ClockFault::Defect, true, false)],
            Rules(false, Reason::ClockTooLate),
            &["12.4"],
        ),
        case(
            "",
            cn,
            vec![fault(ClockFault::Defect, false, false)],
            Rules(true, Reason::ClockReplaced),
            &["12.4"],
        ),
        case(
            "",
            "fide-2023-rapid-a5",
            vec![fault(ClockFault::Setting, false, false)],
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .moves(&(SHUFFLE.repeat(3) + "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 d2d4 d7d5")),
        case(
            "",
            f,
            vec![fault(ClockFault::ResumedWrong, false, false)],
            Rules(true, Reason::ClockCorrected),
            &["I.13"],
        )
        .effect(set),
        case(
            "",
            cn,
            vec![fault(ClockFault::ResumedWrong, false, true)],
            Rules(false, Reason::ClockNotCorrected),
            &["14.6"],
        )
        .effect(Effect::Option(Choice::CorrectClocks)),
        case(
            "",
            f,
            vec![at(B, EventKind::Disturbance { interrupted: true })],
            Rules(true, Reason::Disturbed),
            &["12.5"],
        )
        .effect(Effect::Option(Choice::AddTime))
        .effect(Effect::ClocksPaused),
        case(
            "",
            f,
            vec![flag_seen(ARBITER, W, Witness::Bystander, None)],
            Rules(false, Reason::FlagBystander),
            &["6.8"],
        ),
        case(
            "",
            f,
            vec![flag_seen(B, W, Witness::Actor, None)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.8"],
        ),
        case(
            "",
            cn,
            vec![flag_seen(B, W, Witness::Actor, None)],
            Rules(false, Reason::FlagUnconfirmed),
            &["12.2"],
        ),
        case(
            "",
            cn,
            vec![flag_seen(B, W, Witness::Actor, Some(true))],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["10.14"],
        ),
    ]
}

fn assistance() -> Vec<Case> {
    let f = "fide-2023";
    let adjusts = Effect::Option(Choice::AdjustForAssistant);
    let asks = |disability| vec![at(W, EventKind::Assistance { disability })];
    let slip = |clock_started| vec![at(W, EventKind::SlipOfTongue { clock_started })];
    let boards = |sheets_agree| {
        let moves_before = None;
        vec![at(
            ARBITER,
            EventKind::BoardsDiffer {
                sheets_agree,
                moves_before,
            },
        )]
    };
    vec![
        case(
            "",
            f,
            asks(false),
            Rules(true, Reason::AssistantAccepted),
            &["4.9", "6.2.6", "8.1.6"],
        )
        .effect(adjusts),
        case(
            "",
            f,
            asks(true),
            Rules(true, Reason::AssistantAccepted),
            &["4.9"],
        ),
        case("", "cn-classic", asks(true), Rules(false, Reason::Unstated), &[]),
        case("", f, slip(false), Rules(true, Reason::SlipCorrected), &["D.2.8"]),
        case("", f, slip(true), Rules(false, Reason::SlipTooLate), &["D.2.8"]),
        case(
            "",
            f,
            boards(Some(true)),
            Rules(true, Reason::BoardBySheets),
            &["D.2.9"],
        ),
        case(
            "",
            f,
            boards(Some(false)),
            Rules(true, Reason::BoardsRetraced),
            &["D.2.9"],
        )
        .effect(Effect::LastIdentifiable)
        .effect(Effect::Option(Choice::SetClocks)),
        case("", f, boards(None), Rules(false, Reason::MissingFact), &["D.2.9"]),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [conduct(), sheets(), clocks(), assistance()]
        .into_iter()
        .flatten()
        .collect()
}
