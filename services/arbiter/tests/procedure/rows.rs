//! Rows of the codes that no other case plays.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Choice, ClockFault, Effect, Event, EventKind, Reason, RecordingLapse, SetupFault},
};
use tabiya_rules::Piece;

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules, Void},
        case,
    },
    events::*,
};

const CLUB: &str = "club";
const POPULAR: &str = "popular";

fn setups() -> Vec<Case> {
    let fault = |ruleset, fault, want, articles| case("", ruleset, vec![setup(fault, None)], want, articles);
    let quarter = |passed, want| {
        let events = vec![setup(SetupFault::ColoursReversed, Some(passed))];
        case("", CLUB, events, want, &["colours"])
    };
    let turned = || Rules(true, Reason::BoardTurned);
    vec![
        fault(F, SetupFault::BoardTurned, turned(), &["7.2.2"]).effect(Effect::CarriedOver),
        fault(F, SetupFault::BoardTurned, turned(), &["7.2.2"])
            .moves(&rounds(30))
            .set("automatic_repetition", "0"),
        fault(CLUB, SetupFault::BoardTurned, turned(), &["board"]).effect(Effect::CarriedOver),
        fault(
            F,
            SetupFault::ColoursReversed,
            Void(Reason::ColoursRestart),
            &["7.3"],
        )
        .moves(&rounds(9))
        .set("automatic_repetition", "0")
        .effect(Effect::NewGame),
        fault(
            F,
            SetupFault::ColoursReversed,
            Rules(false, Reason::ColoursGoOn),
            &["7.3"],
        )
        .moves(&rounds(10))
        .set("automatic_repetition", "0"),
        fault(F, SetupFault::WrongPieces, Void(Reason::NewGame), &["7.2.1"])
            .moves(&rounds(10))
            .set("automatic_repetition", "0"),
        quarter(249, Void(Reason::ColoursRestart)),
        quarter(250, Rules(false, Reason::ColoursGoOn)),
        // Displaced pieces may be penalised by 7.4.3 whether the clock was pressed or not; not by the older code.
        case(
            "",
            F,
            vec![displaced(W)],
            Rules(true, Reason::Displaced),
            &["7.4.1", "7.4.3"],
        )
        .effect(Effect::MayBePenalised { side: WHITE })
        .effect(Effect::Option(Choice::Warning)),
        case(
            "",
            CN,
            vec![displaced(W)],
            Rules(true, Reason::Displaced),
            &["8.3"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
    ]
}

#[test]
fn the_older_code_penalises_nobody_for_knocking_men_over() {
    let report = case("", CN, vec![displaced(W)], GoesOn, &[]).report();
    let effects = [Effect::Restored, Effect::ClockRuns { side: WHITE }];
    assert_eq!(report.rulings[0].effects, effects);
}

/// How promotions, captures and castling are carried out and made (4.4.4, 4.6, 4.7).
fn by_hand() -> Vec<Case> {
    let pawn = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";
    let castle = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let barred = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let set = |from, to, released, promotion| {
        let (from, to) = (sq(from), sq(to));
        let kind = EventKind::Release {
            from,
            to,
            released,
            promotion,
            announced: None,
        };
        at(W, kind)
    };
    let made = || Rules(true, Reason::MoveMade);
    let released = || Rules(true, Reason::Released);
    let binds = || Rules(false, Reason::TouchBinds);
    let on_pawn = |events, want, articles| case("", F, events, want, articles).fen(pawn);
    let mut cases: Vec<Case> = [
        "a7a8q", "a7a8r", "a7a8b", "a7a8n", "a8=R", "a8N", "a7b8q", "axb8=R",
    ]
    .into_iter()
    .map(|text| on_pawn(vec![mv(W, text)], made(), &[]))
    .collect();
    cases.extend([
        // The new piece first, and the pawn taken off afterwards.
        on_pawn(
            vec![set("a7", "a8", false, Some(Piece::Rook))],
            released(),
            &["4.4.4"],
        )
        .effect(moves(pawn, "a7a8r")),
        on_pawn(
            vec![
                set("a7", "a8", true, Some(Piece::Rook)),
                touch(W, "a7", false),
                mv(W, "a8=R"),
            ],
            made(),
            &["4.4.4"],
        ),
        on_pawn(
            vec![set("a7", "a8", true, Some(Piece::Rook)), mv(W, "a8=Q")],
            binds(),
            &["4.4.4"],
        ),
        // The pawn first: the square is fixed, the piece is not.
        on_pawn(vec![set("a7", "a8", true, None)], released(), &[])
            .effect(exactly(pawn, "a7a8q a7a8r a7a8b a7a8n")),
        on_pawn(vec![set("a7", "a8", true, None), mv(W, "axb8=Q")], binds(), &[]),
        on_pawn(
            vec![
                set("a7", "a8", true, None),
                set("a7", "a8", false, Some(Piece::Knight)),
            ],
            released(),
            &["4.4.4"],
        )
        .effect(moves(pawn, "a7a8n")),
        // Not released, the pawn may still take.
        on_pawn(
            vec![set("a7", "a8", false, None), mv(W, "axb8=Q")],
            made(),
            &["4.3.1"],
        )
        .told(0, &["4.7"]),
        // A capture by the released piece.
        on_pawn(
            vec![set("a7", "b8", true, Some(Piece::Bishop))],
            Ends(DRAW, Reason::Dead),
            &["4.4.4"],
        )
        .effect(moves(pawn, "a7b8b")),
        // The king released: that castling; the rook released first: a rook's move.
        case(
            "",
            F,
            vec![set("e1", "g1", true, None), mv(W, "O-O")],
            made(),
            &["4.7.2"],
        )
        .fen(castle),
        case(
            "",
            F,
            vec![set("e1", "g1", true, None), mv(W, "O-O-O")],
            binds(),
            &["4.7.2"],
        )
        .fen(castle),
        case(
            "",
            F,
            vec![set("h1", "f1", true, None), mv(W, "O-O")],
            binds(),
            &["4.7"],
        )
        .fen(castle)
        .effect(moves(castle, "h1f1")),
        // Castling that is barred has touched the king: another move of his is due.
        case(
            "",
            F,
            vec![set("e1", "g1", true, None)],
            Rules(false, Reason::IllegalAttempt),
            &["3.8.2.2"],
        )
        .fen(barred)
        .effect(exactly(barred, "e1d1 e1d2 e1e2 e1c1")),
        case(
            "",
            F,
            vec![mv(W, "O-O"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["3.8.2.2", "7.5.1"],
        )
        .fen(barred)
        .effect(exactly(barred, "e1d1 e1d2 e1e2 e1c1")),
    ]);
    cases
}

/// Draws of the lay rules, a move before and when they come.
fn lay_draws() -> Vec<Case> {
    let checks = |count: usize| {
        let again = ["b8b1", "g1h2", "b1b8", "h2g1"];
        let first = ["b2b1"].into_iter().chain(again[1..].iter().copied());
        let moves: Vec<_> = first
            .chain(again.into_iter().cycle())
            .take(2 * count - 1)
            .collect();
        moves.join(" ")
    };
    let perpetual = |count, want, articles| {
        case("", POPULAR, vec![], want, articles)
            .fen("6k1/6p1/7p/8/8/8/1q4P1/6K1 b - - 0 1")
            .moves(&checks(count))
            .set("automatic_repetition", "0")
    };
    let quiet = |men: &str, clock: u32, text, want| {
        case("", POPULAR, vec![mv(W, text)], want, &[])
            .fen(&format!("4k3/8/8/8/8/8/8/{men} w - - {clock} 90"))
    };
    let goes_on = || GoesOn;
    let draws = || Ends(DRAW, Reason::Quiet);
    vec![
        perpetual(10, goes_on(), &[]),
        perpetual(11, Ends(DRAW, Reason::ChecksInARow), &["perpetual"]),
        perpetual(11, goes_on(), &[]).set("popular_source", "001"),
        // Bishop and knight against a bare king have fifty moves, anything else thirty.
        quiet("2B1K1N1", 59, "e1e2", goes_on()),
        quiet("2B1K1N1", 98, "e1e2", goes_on()),
        quiet("2B1K1N1", 99, "e1e2", draws()),
        quiet("2R1K3", 58, "e1e2", goes_on()),
        quiet("2R1K3", 59, "e1e2", draws()),
        quiet("2BBK1N1", 59, "e1e2", draws()),
    ]
}

/// The older code's rows on claims, offers and sealed moves.
fn older_code() -> Vec<Case> {
    let two_knights = "4k3/4p3/8/8/8/8/4K3/1N3N2 w - - 0 1";
    let sealed = |text, then: &[Event]| [&[seal(text, true)][..], then].concat();
    let wrong = claim(W, ThreefoldRepetition, None, Some(3600));
    vec![
        case(
            "",
            CN,
            sealed("Nd2", &[resume(true, 0)]),
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["10.16(1)"],
        )
        .fen(two_knights),
        case(
            "",
            CN,
            vec![wrong.clone(), at(W, EventKind::Withdrawal)],
            Rules(false, Reason::ClaimStands),
            &["10.13(3)"],
        ),
        // After the next move there is no claim left to withdraw.
        case(
            "",
            CN,
            vec![wrong, mv(W, "e2e4"), at(W, EventKind::Withdrawal)],
            Rules(false, Reason::NoOffer),
            &["10.7"],
        ),
        case(
            "",
            CN,
            vec![mv(W, "e2e4"), press(W), offer(W)],
            Rules(true, Reason::OfferUnusual),
            &["10.8"],
        )
        .effect(Effect::MayBePenalised { side: WHITE })
        .effect(Effect::OfferOpen { by: WHITE }),
        case(
            "",
            CN,
            vec![mv(W, "e2e4"), press(W), offer(W), answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["10.6"],
        )
        .told(2, &["10.8"]),
        // A resignation reported before the envelope is opened stands; afterwards the sealed move decides.
        case(
            "",
            CN,
            sealed("Qh8", &[resign(B), resume(true, 0)]),
            Ends(WHITE_WINS, Reason::Resigned),
            &["10.2", "14.2(1)"],
        ),
        case(
            "",
            CN,
            sealed("Qh8", &[resign(W), resume(true, 0)]),
            Ends(BLACK_WINS, Reason::Resigned),
            &["10.2", "14.2(1)"],
        ),
        case(
            "",
            CN,
            sealed("a1a8", &[resign(W), resume(true, 61)]),
            Ends(BLACK_WINS, Reason::Resigned),
            &["14.2(1)"],
        )
        .fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
        case(
            "",
            CN,
            sealed("Qh8", &[resume(true, 0), resign(B)]),
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["10.16(3)"],
        ),
        // A bare king wins by no resignation either.
        case(
            "",
            CN,
            sealed("h1h2", &[resign(W)]),
            Ends(DRAW, Reason::ResignedDraw),
            &["10.5"],
        )
        .fen(ROOK),
    ]
}

/// The club's rows on records, clocks, offers and corrections.
fn club() -> Vec<Case> {
    let lapse_at = |lapse, seconds| {
        let remaining = Some(Duration::from_secs(seconds));
        let kind = EventKind::Recording {
            lapse,
            remaining,
            increment: None,
        };
        vec![at(W, kind)]
    };
    let defect = EventKind::ClockFault {
        fault: ClockFault::Defect,
        flag_fallen: false,
        moved_since_resumption: false,
    };
    let stopped = RecordingLapse::Stopped;
    let club = |events, want, articles| case("", CLUB, events, want, articles);
    vec![
        club(
            lapse_at(stopped, 299),
            Rules(true, Reason::NeedNotRecord),
            &["record"],
        )
        .effect(Effect::CompleteSheet { side: WHITE }),
        club(
            lapse_at(stopped, 300),
            Rules(false, Reason::MustRecord),
            &["record"],
        ),
        club(
            vec![mv(W, "e2e4"), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["clock"],
        )
        .effect(Effect::ClockRuns { side: BLACK }),
        club(
            vec![at(W, defect)],
            Rules(true, Reason::ClockReplaced),
            &["clock"],
        ),
        club(
            vec![mv(W, "e2e4"), offer(W)],
            Rules(true, Reason::OfferMade),
            &["offers"],
        )
        .effect(Effect::OfferOpen { by: WHITE }),
        // Refused in words or by moving, a player waits until the opponent has offered.
        club(
            vec![mv(W, "e2e4"), offer(W), answer(B, false), offer(W)],
            Rules(false, Reason::OfferAlternate),
            &["no-repeated-offers"],
        ),
        club(
            vec![
                mv(W, "e2e4"),
                offer(W),
                press(W),
                mv(B, "e7e5"),
                press(B),
                mv(W, "d2d4"),
                offer(W),
            ],
            Rules(false, Reason::OfferAlternate),
            &["no-repeated-offers"],
        ),
        // A check that was not answered is taken back; what is found after the game changes nothing.
        club(
            vec![mv(W, "a1a2"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["check"],
        )
        .fen("4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1")
        .effect(Effect::Restored),
        club(
            vec![resign(W), report(B, true, true)],
            Rules(false, Reason::GameOver),
            &["after-the-game"],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [setups(), by_hand(), lay_draws(), older_code(), club()]
        .into_iter()
        .flatten()
        .collect()
}
