//! Duties that outlast the event that made them: standing offers, clocks that run in the other's turn, released pieces,
//! absent sealers; and what is not cited where nothing states it.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{
        Choice, Decision, Effect, Event, EventKind, Period, QuickplayClaim, Reason, RecordingLapse, Report,
        Right, SetupFault, TimeControl, replay,
    },
};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const CASTLE: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
const PAWN: &str = "7k/P7/8/8/8/8/8/K7 w - - 0 1";

fn sheets() -> Vec<Case> {
    let advance = || vec![lapse(W, RecordingLapse::InAdvance)];
    let unmarked = || vec![lapse(W, RecordingLapse::OfferUnmarked)];
    let both = Effect::CompleteSheet { side: BLACK };
    let stopped = lapse(ARBITER, RecordingLapse::BothStopped);
    vec![
        // 11.1: before or after moving, as one likes.
        case("", CN, advance(), Rules(true, Reason::RecordedEither), &["11.1"]),
        case(
            "",
            "cn-domestic",
            advance(),
            Rules(true, Reason::RecordedEither),
            &["11.1"],
        ),
        case(
            "",
            "club",
            advance(),
            Rules(true, Reason::RecordedEither),
            &["record"],
        ),
        case("", F, advance(), Rules(false, Reason::Recorded), &["8.1.2"]),
        case("", CN, unmarked(), Rules(false, Reason::Unstated), &[]),
        case("", "club", unmarked(), Rules(false, Reason::Unstated), &[]),
        case("", F, unmarked(), Rules(false, Reason::OfferUnmarked), &["8.1.5"]),
        // Where nobody records, it is not for want of time.
        case(
            "",
            "fide-2023-rapid-a4",
            vec![record(3000)],
            Rules(true, Reason::NobodyRecords),
            &["A.2"],
        ),
        case(
            "",
            "popular",
            vec![record(30)],
            Rules(false, Reason::Unstated),
            &[],
        ),
        case(
            "",
            "online-platform",
            vec![record(30)],
            Rules(false, Reason::Unstated),
            &[],
        ),
        // Where both have stopped, both complete their sheets.
        case(
            "",
            CN,
            vec![stopped.clone(), both_flags(false)],
            Rules(false, Reason::FlagsContinue),
            &["12.8", "11.7"],
        )
        .effect(both.clone())
        .effect(Effect::ClocksPaused),
        case(
            "",
            F,
            vec![stopped, both_flags(false)],
            Rules(false, Reason::FlagsContinue),
            &["8.5.1", "8.6"],
        )
        .set("guideline_iii", "true")
        .effect(both)
        .effect(Effect::NextPeriod),
    ]
}

/// The move number of the starting position counts.
fn move_numbers() -> Vec<Case> {
    let late = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 60";
    let early = "4k3/pppp4/8/8/8/8/PPPP4/4K3 b - - 0 1";
    vec![
        case(
            "",
            F,
            vec![offer(W), answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .fen(late),
        case(
            "",
            F,
            vec![offer(B), answer(W, true)],
            Rules(false, Reason::AgreedEarly),
            &["5.2.3"],
        )
        .fen(early),
        case(
            "",
            "online-platform",
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["time"],
        )
        .fen(late),
        case(
            "",
            "online-platform",
            vec![resign(W)],
            Ends(BLACK_WINS, Reason::Resigned),
            &["resignation"],
        )
        .fen(late),
        case(
            "",
            F,
            vec![setup(SetupFault::ColoursReversed, None)],
            Rules(false, Reason::ColoursGoOn),
            &["7.3"],
        )
        .fen(late),
        case(
            "",
            "fide-2023-rapid-a5",
            vec![setup(SetupFault::BoardTurned, None)],
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .fen(late),
    ]
}

fn sealing() -> Vec<Case> {
    let minutes = |side| Effect::UsedTimeAdded {
        side,
        time: Duration::from_secs(1200),
    };
    let sealed = || Rules(true, Reason::Sealed);
    let played = || vec![mv(W, "e2e4"), seal_by(W, "e2e4", true, Some(20))];
    let play_on = |last: Event| {
        let absent = resumption(true, false, 0, 0);
        vec![
            seal("e2e4", true),
            absent,
            mv(B, "e7e5"),
            mv(W, "g1f3"),
            press(W),
            last,
        ]
    };
    let unsealed = |position| vec![mv(W, "e2e4"), envelope_lost(Some(position), true)];
    let checked = at(ARBITER, EventKind::EnvelopeChecked { items: vec![] });
    vec![
        case("", CN, played(), sealed(), &["13.1(2)"]).effect(minutes(WHITE)),
        case("", F, played(), sealed(), &["I.1.2"]).effect(minutes(WHITE)),
        // An absent sealer who moves has come.
        case(
            "",
            F,
            play_on(seal_by(B, "b8c6", true, None)),
            sealed(),
            &["I.1.1"],
        ),
        case(
            "",
            CN,
            play_on(seal_by(B, "b8c6", true, None)),
            sealed(),
            &["13.1(1)"],
        ),
        // Nothing was sealed, so nothing is lost and nothing is to be checked.
        case(
            "",
            F,
            unsealed(false),
            Rules(false, Reason::NotSealed),
            &["I.1.1"],
        ),
        case("", F, unsealed(true), Rules(false, Reason::NotSealed), &["I.1.1"]),
        case(
            "",
            CN,
            unsealed(false),
            Rules(false, Reason::NotSealed),
            &["13.1(1)"],
        ),
        case("", F, vec![checked], Rules(false, Reason::NotSealed), &["I.1.1"]),
        // What was touched binds the sealed move.
        case(
            "",
            F,
            vec![touch(W, "g1", false), seal("e2e4", true)],
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case(
            "",
            F,
            vec![touch(W, "g1", false), seal("Nf3", true)],
            sealed(),
            &["I.1.1"],
        ),
    ]
}

fn touched_and_released() -> Vec<Case> {
    let foul = "4k3/8/8/P7/8/8/7r/4K3 w - - 0 1";
    let shut = "4k3/8/8/8/8/8/5PPP/5RKB w - - 0 1";
    let binds = || Rules(false, Reason::TouchBinds);
    let castle = |last: Event| vec![release(W, "e1", "g1", true), release(W, "h1", "f1", true), last];
    let completed = || Rules(true, Reason::MoveCompleted);
    vec![
        // A king's foul binds the king.
        case(
            "",
            "popular",
            vec![mv(W, "e1e2")],
            Rules(false, Reason::KingFoul),
            &["king"],
        )
        .fen(foul)
        .effect(exactly(foul, "e1d1 e1f1")),
        case(
            "",
            "popular",
            vec![mv(W, "e1e2"), mv(W, "a5a6")],
            binds(),
            &["touch"],
        )
        .fen(foul),
        // King, then rook, and castling cannot be meant.
        case(
            "",
            F,
            vec![touch(W, "g1 f1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .fen(shut)
        .effect(exactly(shut, "f1a1 f1b1 f1c1 f1d1 f1e1")),
        case(
            "",
            F,
            vec![touch(W, "f1 g1", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .fen(shut),
        // Castling is released in two parts.
        case(
            "",
            F,
            vec![release(W, "e1", "g1", true), release(W, "h1", "f1", true)],
            Rules(true, Reason::Released),
            &["4.7.2"],
        )
        .fen(CASTLE)
        .effect(moves(CASTLE, "e1g1")),
        case(
            "",
            F,
            vec![release(W, "e1", "g1", true), release(W, "h1", "h5", true)],
            binds(),
            &["4.7.2"],
        )
        .fen(CASTLE),
        case("", F, castle(press(W)), completed(), &["6.2.1", "4.7.2"]).fen(CASTLE),
        case("", F, castle(mv(W, "O-O")), Rules(true, Reason::MoveMade), &[]).fen(CASTLE),
        case(
            "",
            F,
            vec![release(W, "e1", "g1", true), press(W)],
            Rules(false, Reason::MissingFact),
            &["4.7.2"],
        )
        .fen(CASTLE),
        // What was released is a move made, whether anybody reports it as one or not.
        case(
            "",
            F,
            vec![release(W, "e2", "e4", true), press(W)],
            completed(),
            &["6.2.1", "4.7"],
        ),
        case(
            "",
            CN,
            vec![release(W, "e2", "e4", true), press(W)],
            completed(),
            &["6.5", "6.1"],
        ),
        case(
            "",
            F,
            vec![release(W, "a7", "a8", true), press(W)],
            Rules(false, Reason::PromotionLeft),
            &["7.5.2"],
        )
        .fen(PAWN)
        .effect(Effect::BecomesQueen(sq("a8"))),
        // The article that binds is the one that is cited.
        case(
            "",
            F,
            vec![touch(W, "d5", false), mv(W, "g1f3")],
            binds(),
            &["4.3.2"],
        )
        .fen(CENTRE),
        case(
            "",
            F,
            vec![touch(W, "e4 d5", false), mv(W, "g1f3")],
            binds(),
            &["4.3.3"],
        )
        .fen(CENTRE),
        case(
            "",
            F,
            vec![touch(W, "e1 h1", false), mv(W, "e1e2")],
            binds(),
            &["4.4.1"],
        )
        .fen(CASTLE),
        case(
            "",
            F,
            vec![release(W, "e2", "e4", true), mv(W, "d2d4")],
            binds(),
            &["4.7"],
        ),
        case(
            "",
            F,
            vec![claim(W, ThreefoldRepetition, Some("e2e4"), None), mv(W, "d2d4")],
            binds(),
            &["9.5.3"],
        ),
    ]
}

fn draws() -> Vec<Case> {
    let opened = "e2e4 e7e5";
    let knights = "4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 60";
    let wrong = claim(B, ThreefoldRepetition, None, None);
    let spoken = |text| vec![claim(W, FiftyMoves, Some(text), None)];
    vec![
        // An offer stands beside the opponent's own.
        case(
            "",
            F,
            vec![mv(W, "g1f3"), offer(W), press(W), wrong, answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves(opened),
        case(
            "",
            F,
            vec![mv(W, "g1f3"), offer(W), press(W), offer(B), answer(B, true)],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves(opened),
        case(
            "",
            F,
            vec![
                mv(W, "g1f3"),
                offer(W),
                press(W),
                offer(B),
                answer(B, false),
                answer(W, true),
            ],
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves(opened),
        case(
            "",
            F,
            vec![mv(W, "g1f3"), offer(W), offer(B), answer(ARBITER, true)],
            Rules(false, Reason::MissingFact),
            &["9.1.2.1"],
        )
        .moves(opened),
        // The clocks stand while a claim is looked into.
        case(
            "",
            F,
            vec![claim(W, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.5.1"],
        )
        .effect(Effect::ClocksPaused)
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            CN,
            vec![claim(W, ThreefoldRepetition, None, Some(900))],
            Rules(false, Reason::ClaimWrong),
            &["10.13"],
        )
        .effect(Effect::ClocksPaused),
        // An announcement that fits several moves, or none, is not an illegal one.
        case("", F, spoken("Nd2"), Rules(false, Reason::Ambiguous), &["9.3.1"]).fen(knights),
        case(
            "",
            F,
            spoken("hello"),
            Rules(false, Reason::Unreadable),
            &["9.3.1"],
        )
        .fen(knights),
        case(
            "",
            CN,
            vec![claim(W, ThreefoldRepetition, Some("Nd2"), None)],
            Rules(false, Reason::Ambiguous),
            &["10.10(1)"],
        )
        .fen(knights),
        // Nor may it be one that what was touched forbids.
        case(
            "",
            CN,
            vec![
                touch(W, "e2", false),
                claim(W, ThreefoldRepetition, Some("Nc3"), Some(900)),
            ],
            Rules(false, Reason::TouchBinds),
            &["7.2(1)"],
        )
        .fen(knights),
    ]
}

fn setups() -> Vec<Case> {
    let late = "4k3/8/8/8/8/8/8/4K2R w K - 0 20";
    let check = "k3r3/8/8/8/8/8/P7/4K2R w K - 0 1";
    let barred = || Effect::RightLost {
        side: WHITE,
        right: Right::CastleKingSide,
    };
    let wrong = |squares| setup_at(SetupFault::WrongPieces, None, squares);
    let a5 = "fide-2023-rapid-a5";
    let illegal = |last: Event| vec![mv(W, "a2a3"), press(W), last];
    vec![
        // Castling was due and is barred: the king moves another way.
        case(
            "",
            a5,
            vec![touch(W, "e1 h1", false), wrong("e1")],
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .fen(late)
        .effect(barred())
        .effect(exactly(late, "e1d1 e1d2 e1e2 e1f1 e1f2")),
        case(
            "",
            a5,
            vec![touch(W, "e1 h1", false), wrong("h1"), mv(W, "e1f1")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(late),
        // No board holds the position, and none is needed.
        case(
            "",
            a5,
            illegal(setup(SetupFault::BoardTurned, None)),
            Rules(true, Reason::BoardTurned),
            &["7.2.2"],
        )
        .fen(check),
        case(
            "",
            a5,
            illegal(wrong("e1")),
            Rules(false, Reason::SetupTooLate),
            &["A.5.1"],
        )
        .fen(&check.replace("0 1", "0 20"))
        .effect(barred()),
    ]
}

fn own_time() -> Vec<Case> {
    let handed = || Rules(true, Reason::ClockHandedBack);
    let runs = || Effect::ClockRuns { side: BLACK };
    let sheet = lapse(W, RecordingLapse::OneIncomplete);
    vec![
        case(
            "",
            F,
            vec![mv(W, "e2e4"), press(W), displaced(W), press(W)],
            handed(),
            &["6.2.2"],
        )
        .effect(runs()),
        case(
            "",
            CN,
            vec![mv(W, "e2e4"), press(W), displaced(W), press(W)],
            handed(),
            &["12.3"],
        )
        .effect(runs()),
        case(
            "",
            CN,
            vec![mv(W, "e2e4"), press(W), sheet, press(W)],
            handed(),
            &["12.3"],
        )
        .effect(runs()),
        // His move was not complete yet: the press completes it.
        case(
            "",
            F,
            vec![mv(W, "e2e4"), displaced(W), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        ),
        // And only once.
        case(
            "",
            F,
            vec![mv(W, "e2e4"), press(W), displaced(W), press(W), press(W)],
            Rules(false, Reason::NotOnMove),
            &["6.2.2"],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let mate = "f2f3 e7e5 g2g4 d8h4";
    let mut cases = vec![
        // A mate stands: no ruling left a loss to the arbiter.
        case(
            "",
            F,
            vec![choose(Choice::Loss)],
            Ends(BLACK_WINS, Reason::Mate),
            &["5.1.1"],
        )
        .moves(mate),
    ];
    cases.extend(sheets());
    cases.extend(move_numbers());
    cases.extend(sealing());
    cases.extend(touched_and_released());
    cases.extend(draws());
    cases.extend(setups());
    cases.extend(own_time());
    cases
}

fn ruled(ruleset: &str, fen: &str, periods: Vec<Period>, events: &[Event]) -> Report {
    let overrides = match ruleset {
        F => vec![("guideline_iii".to_owned(), "true".to_owned())],
        _ => vec![],
    };
    let ruleset = rulesets().find(ruleset).unwrap();
    let ruleset = ruleset.with_overrides(&overrides).unwrap();
    let start = Game::new(Board::from_fen(fen).unwrap());
    let control = (!periods.is_empty()).then(|| TimeControl::new(periods).unwrap());
    replay(&ruleset, &start, Variant::Standard, control.as_ref(), events)
}

/// 8.3, 7.4.1: a move made while the offender's clock runs counts, and his clock goes on in his own turn.
#[test]
fn a_move_in_the_offenders_time_counts() {
    let seconds = Duration::from_secs;
    for ruleset in [F, CN] {
        let events = [
            when(10, mv(W, "e2e4")),
            when(11, press(W)),
            when(20, displaced(W)),
            when(25, mv(B, "e7e5")),
            when(26, press(B)),
            when(30, mv(W, "g1f3")),
            when(31, press(W)),
        ];
        let clocks = ruled(ruleset, START, vec![period(0, 90, 30)], &events)
            .clocks
            .unwrap();
        assert_eq!(
            (clocks.sides[0].moves, clocks.sides[1].moves),
            (2, 1),
            "{ruleset}"
        );
        // White: 11 seconds, and 11 from the displacement to his own press; Black: the 9 before it. A clock that stands
        // gives no increment.
        assert_eq!(clocks.sides[0].remaining, seconds(5400 - 22 + 60), "{ruleset}");
        assert_eq!(
            (clocks.sides[1].remaining, clocks.running),
            (seconds(5400 - 9), B),
            "{ruleset}"
        );
    }
}

/// The offender hands the turn back by pressing.
#[test]
fn the_turn_is_handed_back() {
    let events = [
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(20, displaced(W)),
        when(24, press(W)),
        when(30, mv(B, "e7e5")),
        when(31, press(B)),
    ];
    let clocks = ruled(F, START, vec![period(0, 90, 0)], &events).clocks.unwrap();
    let left = clocks.sides.map(|side| (side.remaining.as_secs(), side.moves));
    assert_eq!((left, clocks.running), ([(5400 - 15, 1), (5400 - 16, 1)], W));
}

/// A.5.2: what both players agree to correct is no longer counted, and the offender's clock runs.
#[test]
fn moves_that_are_corrected_by_agreement_are_not_counted() {
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
    let mut events = vec![
        when(10, mv(W, "f1c4")),
        when(11, press(W)),
        when(20, mv(B, "e7e5")),
        when(21, press(B)),
        when(30, agreed),
    ];
    for pressed in [true, false] {
        if !pressed {
            events.remove(3);
        }
        let report = ruled("fide-2023-rapid-a5", START, vec![period(0, 15, 0)], &events);
        let last = report.rulings.last().unwrap();
        assert_eq!(last.reason, Reason::CorrectedByAgreement);
        assert!(last.effects.contains(&Effect::ClockRuns { side: WHITE }));
        let clocks = report.clocks.unwrap();
        assert_eq!((clocks.sides.map(|side| side.moves), clocks.running), ([0, 0], W));
    }
}

/// III.1: the guideline is for the last period.
#[test]
fn the_last_minutes_are_those_of_the_last_period() {
    let ask = |time| {
        let claim = QuickplayClaim::NormalMeans;
        let remaining = Some(Duration::from_secs(60));
        when(time, at(W, EventKind::QuickplayClaim { claim, remaining }))
    };
    let periods = || vec![period(1, 90, 0), period(0, 30, 0)];
    let first = ruled(F, START, periods(), &[ask(5340)]);
    assert_eq!(first.rulings[0].reason, Reason::QuickplayBefore);
    assert!(first.rulings[0].articles.contains(&"III.1".to_owned()));
    let played = [
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(12, mv(B, "e7e5")),
        when(13, press(B)),
        ask(14),
    ];
    let last = ruled(F, START, periods(), &played);
    assert_eq!(last.rulings[4].reason, Reason::LeftToArbiter);
}

/// A decision rests on the article that gives the arbiter the game, whatever else he rests it on.
#[test]
fn nothing_is_cited_that_does_not_apply() {
    for (ruleset, decision, article) in [
        (F, Decision::Result(DRAW), &["12.1"][..]),
        (CN, Decision::Result(DRAW), &["16.1"]),
        (F, Decision::Annul, &["12.1"]),
        ("popular", Decision::Annul, &[]),
    ] {
        let report = ruled(ruleset, START, vec![], &[decide(decision)]);
        assert_eq!(report.conclusion.unwrap().articles, article);
    }
    // 7.5.2: the pawn becomes a queen, and nothing is restored.
    let report = ruled(F, PAWN, vec![], &[mv(W, "a7a8"), press(W)]);
    assert_eq!(report.rulings[1].articles, ["7.5.2", "7.5.5"]);
    // 7.5.4 where no board holds the position: the move stands until the press, and nothing is restored.
    let check = "k3r3/8/8/8/8/8/P7/4K3 w - - 0 1";
    let events = [mv(W, "a2a3"), press(W), two_hands(B, "a8b8"), report_now()];
    let report = ruled("fide-2023-rapid-a5", check, vec![], &events);
    assert_eq!(report.rulings[3].reason, Reason::TwoHands);
    assert_eq!(report.rulings[3].effects, []);
}

fn report_now() -> Event {
    report(ARBITER, false, true)
}

/// Nothing can be claimed while the game is adjourned, nor with a move that what was touched forbids.
#[test]
fn only_what_a_claim_would_be_heard_on_is_claimable() {
    let shuffled = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    let claimable = |event: Option<Event>| {
        let shuffled = shuffled.split(' ').map(|text| mv(None, text));
        let events: Vec<_> = shuffled.chain(event).collect();
        ruled(CN, START, vec![], &events).claimable.len()
    };
    assert_eq!(claimable(None), 1);
    assert_eq!(claimable(Some(seal_by(B, "f6g8", true, None))), 0);
    assert_eq!(claimable(Some(touch(B, "f6", false))), 1);
    assert_eq!(claimable(Some(touch(B, "b8", false))), 0);
}

/// A pawn left on its last rank: what is announced, asked for, or finished on the board.
#[test]
fn what_a_pawn_becomes_is_asked_for_where_saying_it_is_enough() {
    for (ruleset, asked) in [
        ("popular", vec![1]),
        ("club", vec![1]),
        ("online-platform", vec![0]),
        (CN, vec![]),
    ] {
        let report = ruled(ruleset, PAWN, vec![], &[mv(W, "a7a8"), press(W)]);
        let facts = report
            .missing_facts
            .iter()
            .filter(|missing| missing.fact == "promotion");
        let events: Vec<_> = facts.filter_map(|missing| missing.event).collect();
        assert_eq!(events, asked, "{ruleset}");
    }
}
