//! Illegal moves, wrong set-up, recording.

use std::time::Duration;

use tabiya_arbiter::replay::{Choice, Effect, EventKind, Reason, RecordingLapse, Right, SetupFault};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules, Void},
        case,
    },
    events::*,
};

fn handed() -> Vec<Case> {
    let f = "fide-2023";
    let ten = ten();
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
            time: Duration::from_secs(120),
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
            time: Duration::from_secs(120),
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
            time: Duration::from_secs(60),
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
            vec![
                unnoticed(W, "e2e5"),
                press(W),
                mv(B, "g8f6"),
                press(B),
                report(B, false, false),
            ],
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
            time: Duration::from_secs(60),
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
            time: Duration::from_secs(120),
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
            time: Duration::from_secs(120),
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
            Void(Reason::SetupAnnulled),
            &["8.5"],
        ),
    ]
}

/// Ten moves by each side.
fn ten() -> String {
    SHUFFLE.repeat(3) + "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 d2d4 d7d5"
}

/// Illegal moves name the rule of movement that they break.
fn movement() -> Vec<Case> {
    let f = "fide-2023";
    let cn = "cn-classic";
    let check = "4r1k1/8/8/8/8/8/4R3/R3K2R w KQ - 0 1";
    let attempt = |ruleset, text, articles: &'static [&'static str]| {
        case(
            "",
            ruleset,
            vec![mv(W, text)],
            Rules(false, Reason::IllegalAttempt),
            articles,
        )
    };
    vec![
        attempt(f, "a1a2", &["3.1"]),
        attempt(f, "f1d2", &["3.1"]),
        attempt(f, "f1f4", &["3.2"]),
        attempt(f, "Bc4", &["3.5"]),
        attempt(f, "a1b3", &["3.3"]),
        attempt(f, "d1e3", &["3.4"]),
        attempt(f, "后d3", &["3.5"]),
        attempt(f, "g1g3", &["3.6"]),
        attempt(f, "e2e5", &["3.7.1"]),
        attempt(f, "e2d3", &["3.7.3"]),
        attempt(f, "e2e4q", &["3.7.3.3"]),
        attempt(f, "e1e3", &["3.8.1"]),
        attempt(f, "O-O", &["3.8.2.2"]),
        attempt(f, "e7e5", &["3.10.2"]),
        attempt(f, "e2d2", &["3.9.2"]).fen(check),
        attempt(f, "e2e4", &["3.7.2"]).fen("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1"),
        attempt(f, "e5d6", &["3.7.3.2"]).fen("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        attempt(f, "e1g1", &["3.8.2.1"]).fen("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1"),
        attempt(cn, "f1c4", &["4.2"]),
        attempt(cn, "g1g3", &["5.5"]),
        attempt(cn, "e1e3", &["5.1(1)"]),
        attempt(cn, "e2d2", &["9.1"]).fen(check),
        attempt(cn, "O-O", &["5.1(6)"]),
        attempt("club", "e2d2", &["check"]).fen(check),
        case(
            "",
            "online-platform",
            vec![mv(W, "g1g3")],
            Rules(false, Reason::IllegalRefused),
            &["moves"],
        ),
        case("", f, vec![mv(W, "Nd2")], Rules(false, Reason::Ambiguous), &[])
            .fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1"),
        case(
            "",
            f,
            vec![mv(W, "what?")],
            Rules(false, Reason::Unreadable),
            &["3.10.2"],
        ),
        // Not pressed, the move is corrected without a penalty, but with the piece that was touched.
        case(
            "",
            f,
            vec![mv(W, "f1a7"), mv(W, "e2e4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            f,
            vec![mv(W, "g1g3"), mv(W, "e2e4")],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        )
        .effect(moves(START, "g1f3 g1h3")),
        case(
            "",
            f,
            vec![mv(W, "g1g3"), mv(W, "马f3")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        // Two irregularities in one move count once.
        case(
            "",
            f,
            vec![two_hands(W, "g1g3"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["3.6", "7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
    ]
}

fn later() -> Vec<Case> {
    let f = "fide-2023";
    let a5 = "fide-2023-rapid-a5";
    let cn = "cn-classic";
    let stands = || vec![mv(B, "e7e4"), press(B), mv(W, "g1f3")];
    let agreed = at(
        ARBITER,
        EventKind::IllegalMoveReport {
            after_signature: false,
            position_known: true,
            times_known: true,
            both_agree: true,
            moves_before: None,
            side: None,
        },
    );
    let displaced = |position_known, found_later, pressed| {
        vec![at(
            W,
            EventKind::Displacement {
                found_later,
                position_known,
                pressed,
                times_known: false,
                moves_before: None,
            },
        )]
    };
    let unknown = at(
        ARBITER,
        EventKind::IllegalMoveReport {
            after_signature: false,
            position_known: false,
            times_known: true,
            both_agree: false,
            moves_before: None,
            side: None,
        },
    );
    let castle = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 20";
    let (king, queen) = (Right::CastleKingSide, Right::CastleQueenSide);
    vec![
        case(
            "",
            a5,
            [stands(), vec![agreed.clone()]].concat(),
            Rules(true, Reason::CorrectedByAgreement),
            &["A.5.2"],
        )
        .moves("d2d4")
        .effect(Effect::Restored),
        case(
            "",
            f,
            vec![agreed],
            Rules(false, Reason::NoIllegalMove),
            &["7.5.1"],
        ),
        case(
            "",
            f,
            vec![unknown.clone()],
            Rules(false, Reason::PositionIdentified),
            &["7.5.1"],
        )
        .effect(Effect::LastIdentifiable),
        case("", cn, vec![unknown], Void(Reason::PositionAnnulled), &["8.1"]).effect(Effect::NewGame),
        case(
            "",
            f,
            displaced(true, true, false),
            Rules(true, Reason::DisplacedLater),
            &["7.6", "7.1"],
        )
        .effect(Effect::Restored),
        case(
            "",
            f,
            displaced(false, true, false),
            Rules(false, Reason::PositionIdentified),
            &["7.6"],
        ),
        case(
            "",
            cn,
            displaced(true, true, false),
            Rules(true, Reason::DisplacedLater),
            &["8.2"],
        ),
        case(
            "",
            cn,
            displaced(false, true, false),
            Void(Reason::PositionAnnulled),
            &["8.2"],
        ),
        case(
            "",
            f,
            displaced(true, false, true),
            Rules(true, Reason::Displaced),
            &["7.4.1", "7.4.3"],
        )
        .effect(Effect::MayBePenalised { side: WHITE }),
        case(
            "",
            cn,
            vec![setup(SetupFault::ResumedWrong, None)],
            Rules(true, Reason::ResumedRestored),
            &["8.4"],
        ),
        // After ten moves of rapid chess nothing is claimed, and what stood wrong does not castle.
        case(
            "",
            a5,
            vec![setup_at(SetupFault::WrongPieces, None, "h1")],
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .moves(&ten())
        .effect(Effect::RightLost {
            side: WHITE,
            right: king,
        }),
        case(
            "",
            a5,
            vec![
                setup_at(SetupFault::WrongPieces, None, "e8"),
                mv(W, "e1g1"),
                mv(B, "e8g8"),
            ],
            Rules(false, Reason::IllegalAttempt),
            &["3.8.2.1"],
        )
        .fen(castle)
        .set("setup_claim_moves", "1")
        .moves("a2a3 a7a6")
        .effect(Effect::RightLost {
            side: BLACK,
            right: king,
        })
        .effect(Effect::RightLost {
            side: BLACK,
            right: queen,
        }),
        case(
            "",
            a5,
            vec![setup(SetupFault::BoardTurned, None)],
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .moves(&ten()),
        case(
            "",
            a5,
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::NewGame),
            &["7.2.1"],
        )
        .moves(SHUFFLE),
        // Rights to castle go with king and rook.
        case("", f, vec![mv(W, "e1d1")], Rules(true, Reason::MoveMade), &[])
            .fen(castle)
            .effect(Effect::RightLost {
                side: WHITE,
                right: king,
            })
            .effect(Effect::RightLost {
                side: WHITE,
                right: queen,
            }),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [handed(), movement(), later()].into_iter().flatten().collect()
}
