//! Moves against the rules that nobody notices, found later (FIDE 7.5; cn-classic 8.1, 12.6).

use tabiya_arbiter::replay::{Effect, Event, EventKind, Reason, Report, TimeControl, replay};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules, Void},
        case,
    },
    events::*,
};

/// After 1. e4 e5.
const OPEN: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
/// White's moves with the bishop of f1 then.
const BISHOP: &str = "f1e2 f1d3 f1c4 f1b5 f1a6";

fn found(actor: Option<Color>, position_known: bool, times_known: bool, moves_before: Option<u32>) -> Event {
    let kind = EventKind::IllegalMoveReport {
        after_signature: false,
        position_known,
        times_known,
        both_agree: false,
        moves_before,
        side: None,
    };
    at(actor, kind)
}

fn report_now() -> Event {
    found(ARBITER, true, true, None)
}

/// 1. e4 e5 2. Ba4, which is illegal, and both go on.
fn game(then: &[Event]) -> Vec<Event> {
    [&overlooked()[..], &[mv(W, "g1f3"), press(W)], then].concat()
}

fn restored() -> Vec<Case> {
    let first = || Rules(false, Reason::IllegalFirst);
    let due = exactly(OPEN, BISHOP);
    vec![
        case("", F, game(&[]), GoesOn, &[]).told(5, &["7.5.1"]),
        case("", F, game(&[report_now()]), first(), &["7.5.1", "7.5.5"])
            .effect(Effect::IllegalCount {
                side: WHITE,
                count: 1,
            })
            .effect(Effect::TimeAdded {
                side: BLACK,
                time: std::time::Duration::from_secs(120),
            })
            .effect(Effect::Restored)
            .effect(Effect::ClockRuns { side: WHITE })
            .effect(due.clone()),
        // What was touched binds (4.3); what came later was never played.
        case(
            "",
            F,
            game(&[report_now(), mv(W, "g1f3")]),
            Rules(false, Reason::TouchBinds),
            &["4.3.1"],
        ),
        case(
            "",
            F,
            game(&[report_now(), mv(W, "f1b5")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case("", CN, game(&[report_now()]), first(), &["8.1"])
            .effect(Effect::Restored)
            .effect(due),
        // Nobody has pressed, and the opponent replies: it is found later all the same.
        case(
            "",
            F,
            vec![unnoticed(W, "f1a4"), mv(B, "b8c6"), press(B), report_now()],
            first(),
            &["7.5.1"],
        )
        .fen(OPEN),
        // The player who made it is no reporter of his own before the opponent's.
        case(
            "",
            F,
            game(&[unnoticed(B, "c6c5"), press(B), found(W, true, true, None)]),
            first(),
            &["7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: BLACK,
            count: 1,
        }),
        // One after the other, the last first.
        case(
            "",
            F,
            game(&[unnoticed(B, "c6c5"), press(B), report_now(), report_now()]),
            first(),
            &["7.5.5"],
        )
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        case(
            "",
            F,
            game(&[report_now(), report_now()]),
            Rules(false, Reason::NoIllegalMove),
            &["7.5.1"],
        ),
    ]
}

fn others() -> Vec<Case> {
    vec![
        // 8.1: what cannot be restored is annulled; 7.5.1: never.
        case(
            "",
            CN,
            game(&[found(ARBITER, false, true, None)]),
            Void(Reason::PositionAnnulled),
            &["8.1"],
        ),
        case(
            "",
            F,
            game(&[found(ARBITER, false, true, None)]),
            Rules(false, Reason::PositionIdentified),
            &["7.5.1", "7.5.5"],
        ),
        // 7.5.5: the second completed one loses, whenever it is found.
        case(
            "",
            F,
            [&[mv(W, "e2e5"), press(W)][..], &game(&[report_now()])].concat(),
            Ends(BLACK_WINS, Reason::IllegalLoses),
            &["7.5.5"],
        ),
        // A.5.2: it stands once the opponent has replied, noticed or not.
        case(
            "",
            A5,
            game(&[report_now()]),
            Rules(false, Reason::IllegalStands),
            &["A.5.2"],
        ),
        // Of a legal move it says nothing.
        case(
            "",
            F,
            vec![unnoticed(W, "e2e4"), press(W), report_now()],
            Rules(false, Reason::NoIllegalMove),
            &["7.5.1"],
        ),
        // 7.5.4 with 4.7: two hands; the released piece stays where it is.
        case(
            "",
            F,
            vec![
                moved(W, "e2e4", true, true),
                press(W),
                mv(B, "e7e5"),
                press(B),
                report_now(),
            ],
            Rules(false, Reason::TwoHands),
            &["7.5.4", "4.7"],
        )
        .effect(moves(START, "e2e4")),
        // 7.5.2: the pawn becomes a queen; 5.6(4): it becomes what its player chooses.
        case(
            "",
            F,
            pawn(),
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "7.5.5"],
        )
        .fen(PAWN)
        .effect(Effect::BecomesQueen(sq("a8"))),
        case(
            "",
            CN,
            pawn(),
            Rules(false, Reason::PromotionUnfinished),
            &["5.6(4)"],
        )
        .fen(PAWN)
        .effect(Effect::FinishPromotion(sq("a8")))
        .effect(Effect::ClockRuns { side: WHITE }),
        // A king into attack is a foul once it is found.
        case(
            "",
            "popular",
            vec![unnoticed(W, "e1d1"), mv(B, "e8e7"), report_now(), mv(W, "e1e2")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen("4k3/8/8/8/8/8/8/r3K3 w - - 0 1")
        .told(2, &["king"])
        .effect(Effect::IllegalCount {
            side: WHITE,
            count: 1,
        }),
        // A client that lets nobody make an illegal move notices all.
        case(
            "",
            "online-platform",
            vec![unnoticed(W, "e2e5")],
            Rules(false, Reason::IllegalRefused),
            &[],
        ),
    ]
}

const PAWN: &str = "8/P6k/8/8/8/8/8/K7 w - - 0 1";

fn pawn() -> Vec<Event> {
    vec![
        unnoticed(W, "a7a8"),
        press(W),
        mv(B, "h7g6"),
        press(B),
        mv(W, "a1a2"),
        press(W),
        report_now(),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [restored(), others()].into_iter().flatten().collect()
}

fn replay_in(ruleset: &str, first: u32, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let control = TimeControl::new(vec![period(first, 120, 0), period(0, 30, 0)]).unwrap();
    let start = Game::new(Board::startpos());
    replay(ruleset, &start, Variant::Standard, Some(&control), events)
}

/// Left, in seconds, and moves.
fn clocks(report: &Report) -> [(u64, u32); 2] {
    let sides = report.clocks.unwrap().sides;
    sides.map(|side| (side.remaining.as_secs(), side.moves))
}

/// 12.6: White has used 100 seconds for two moves and Black 200; each had made one before the illegal move.
#[test]
fn unknown_times_are_shared_out_when_an_illegal_move_is_found() {
    let times = [60, 60, 160, 160, 200, 200, 300, 300];
    let list = game(&[]);
    let mut events: Vec<_> = times
        .iter()
        .zip(list)
        .map(|(&time, event)| when(time, event))
        .collect();
    events.push(when(300, found(ARBITER, true, false, Some(1))));
    let report = replay_in(CN, 40, &events);
    assert_eq!(report.rulings[8].reason, Reason::IllegalFirst);
    for article in ["8.1", "12.6"] {
        assert!(
            report.rulings[8].articles.contains(&article.to_owned()),
            "{article}"
        );
    }
    assert_eq!(clocks(&report), [(7200 - 50, 1), (7200 - 100, 1)]);
    assert_eq!(report.clocks.unwrap().running, W);
    // Where two moves had brought the next period, its time is taken back as well.
    let report = replay_in(CN, 2, &events);
    assert_eq!(clocks(&report), [(7200 - 50, 1), (7200 - 100, 1)]);
    // FIDE 7.5.5 and 7.1: two minutes, and the clocks stay; the moves are counted no more.
    events[8] = when(300, report_now());
    let report = replay_in(F, 40, &events);
    assert_eq!(clocks(&report), [(7200 - 100, 1), (7200 - 200 + 120, 1)]);
}

/// 7.6, 8.2: after a displacement that is found later, the clocks count the moves that still stand.
#[test]
fn moves_taken_back_by_a_displacement_are_counted_no_more() {
    let displaced = |times_known, moves_before| {
        let kind = EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known,
            moves_before: Some(moves_before),
        };
        when(300, at(ARBITER, kind))
    };
    let first = [
        when(60, mv(W, "e2e4")),
        when(60, press(W)),
        when(160, mv(B, "e7e5")),
        when(160, press(B)),
        when(200, mv(W, "g1f3")),
        when(200, press(W)),
        when(300, mv(B, "b8c6")),
    ];
    let rule = |ruleset, moves, pressed: bool, times_known, moves_before| {
        let mut events = first.to_vec();
        events.extend(pressed.then(|| when(300, press(B))));
        events.push(displaced(times_known, moves_before));
        clocks(&replay_in(ruleset, moves, &events))
    };
    for ruleset in [F, CN] {
        assert_eq!(
            rule(ruleset, 40, true, true, 1),
            [(7100, 1), (7000, 1)],
            "{ruleset}"
        );
        assert_eq!(
            rule(ruleset, 40, true, true, 0),
            [(7100, 0), (7000, 0)],
            "{ruleset}"
        );
        // A move that was not pressed was not counted.
        assert_eq!(
            rule(ruleset, 40, false, true, 1),
            [(7100, 1), (7000, 1)],
            "{ruleset}"
        );
        // The period that the second move had brought is not reached any more.
        assert_eq!(
            rule(ruleset, 2, true, true, 1),
            [(7100, 1), (7000, 1)],
            "{ruleset}"
        );
    }
    assert_eq!(rule(CN, 2, true, false, 1), [(7150, 1), (7100, 1)]);
}
