//! Illegal moves, wrong set-up, recording.

use tabiya_arbiter::replay::{Choice, Effect, Reason, RecordingLapse, SetupFault};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules, Void},
        case,
    },
    events::*,
};

pub(crate) fn cases() -> Vec<Case> {
    let f = "fide-2023";
    let ten = SHUFFLE.repeat(3) + "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 d2d4 d7d5";
    let b3 = "fide-2023-blitz-b3";
    let king = "4r2k/8/8/8/8/8/8/3K4 w - - 0 1";
    let illegal = Reason::IllegalFirst;
    vec![
        case(
            "proc-clock-without-move",
            f,
            vec![press(W)],
            Rules(false, Reason::PressedNothing),
            &["7.5.3", "7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        })
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-colours-10",
            f,
            vec![setup(SetupFault::ColoursReversed, None)],
            Rules(false, Reason::ColoursGoOn),
            &["7.3"],
        )
        .moves(&ten),
        case(
            "",
            f,
            vec![setup(SetupFault::ColoursReversed, None)],
            Void(Reason::ColoursRestart),
            &["7.3"],
        )
        .moves(SHUFFLE),
        case(
            "proc-colours-cn-early",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, Some(200))],
            Rules(true, Reason::ColoursMayRestart),
            &["8.6"],
        )
        .effect(Effect::Option(Choice::Restart)),
        case(
            "proc-colours-cn-late",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, Some(300))],
            Rules(false, Reason::ColoursGoOn),
            &["8.6"],
        ),
        case(
            "",
            "cn-classic",
            vec![setup(SetupFault::ColoursReversed, None)],
            Rules(false, Reason::MissingFact),
            &["8.6"],
        ),
        case(
            "proc-displaced",
            f,
            vec![displaced(W)],
            Rules(true, Reason::Displaced),
            &["7.4.1"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "proc-illegal-1-std",
            f,
            vec![mv(W, "e2e5"), press(W)],
            Rules(false, illegal),
            &["7.5.1", "7.5.5"],
        )
        .effect(Effect::Restored)
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "",
            f,
            vec![
                mv(W, "e2e5"),
                press(W),
                mv(W, "e2e4"),
                press(W),
                mv(B, "e7e5"),
                mv(W, "f1a7"),
                press(W),
            ],
            Ends(BLACK_WINS, Reason::IllegalLoses),
            &["7.5.5"],
        ),
        case(
            "proc-illegal-after-signed",
            f,
            vec![resign(W), report(B, true, true)],
            Rules(false, Reason::ResultStands),
            &["8.7"],
        ),
        case(
            "proc-illegal-blitz-claimed",
            b3,
            vec![mv(B, "e7e4"), press(B), report(W, false, true)],
            Rules(false, illegal),
            &["7.5.1", "A.3", "B.3"],
        )
        .moves("d2d4")
        .effect(Effect::Restored)
        .effect(Effect::TimeAdded {
            side: WHITE,
            seconds: 60,
        }),
        case(
            "proc-illegal-blitz-replied",
            b3,
            vec![mv(B, "e7e4"), press(B), mv(W, "g1f3")],
            Rules(true, Reason::IllegalStands),
            &["A.5.2", "B.3"],
        )
        .moves("d2d4"),
        case(
            "proc-illegal-cn",
            "cn-classic",
            vec![mv(W, "e2e5"), report(B, false, false)],
            Rules(false, illegal),
            &["8.1", "12.6", "16.5"],
        )
        .effect(Effect::Restored)
        .effect(Effect::ShareTimes)
        .effect(Effect::Option(Choice::Warning)),
        case(
            "proc-illegal-popular-3",
            "popular",
            vec![mv(W, "d1e1"), mv(W, "d1e2"), mv(W, "d1e1")],
            Ends(BLACK_WINS, Reason::KingFoulsLose),
            &["king"],
        )
        .fen(king),
        case(
            "proc-illegal-rapid-1",
            "fide-2023-rapid-a4",
            vec![mv(B, "e7e4"), press(B)],
            Rules(false, illegal),
            &["7.5.5", "A.3"],
        )
        .moves("d2d4")
        .effect(Effect::TimeAdded {
            side: WHITE,
            seconds: 60,
        }),
        case(
            "proc-promo-pawn-left",
            f,
            vec![mv(W, "a7a8"), press(W)],
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "7.5.5"],
        )
        .fen("7k/P7/8/8/8/8/8/K7 w - - 0 1")
        .effect(Effect::BecomesQueen(sq("a8")))
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-two-hands",
            f,
            vec![two_hands(W, "e1g1"), press(W)],
            Rules(false, Reason::TwoHands),
            &["7.5.4", "7.5.5"],
        )
        .fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        .effect(Effect::TimeAdded {
            side: BLACK,
            seconds: 120,
        }),
        case(
            "proc-record-cn",
            "cn-classic",
            vec![record(299)],
            Rules(true, Reason::NeedNotRecord),
            &["11.2"],
        )
        .effect(Effect::CompleteSheet { side: WHITE }),
        case(
            "proc-record-cn-unreconstructable",
            "cn-classic",
            vec![lapse(ARBITER, RecordingLapse::Unclear)],
            Rules(true, Reason::SheetsUnclear),
            &["11.9"],
        )
        .effect(Effect::NextPeriod),
        case(
            "proc-record-exempt",
            f,
            vec![record(299)],
            Rules(true, Reason::NeedNotRecord),
            &["8.4"],
        ),
        case(
            "",
            f,
            vec![record(300)],
            Rules(false, Reason::MustRecord),
            &["8.1.1"],
        ),
        case(
            "proc-setup-board-turned-cn",
            "cn-classic",
            vec![setup(SetupFault::BoardTurned, None)],
            Rules(true, Reason::BoardTurned),
            &["8.7"],
        )
        .effect(Effect::CarriedOver),
        case(
            "proc-setup-wrong-pieces",
            f,
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::NewGame),
            &["7.2.1"],
        ),
        case(
            "proc-setup-wrong-pieces-cn",
            "cn-classic",
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::PositionAnnulled),
            &["8.5"],
        ),
    ]
}
