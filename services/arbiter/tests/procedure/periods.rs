//! Which period it is, and what the clocks and the moves of a turn make of it.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{
        Choice, ClockReading, Decision, DelayMode, Effect, Event, EventKind, PauseReason, Period,
        QuickplayClaim, Reason, Report, TimeControl, Witness, replay,
    },
};
use tabiya_rules::{Board, Game, Variant, uci};

use crate::{
    case::{Case, Want::Rules, case},
    events::*,
};

/// A report on a game after these moves; guideline III is announced where it can be.
fn ruled(ruleset: &str, fen: &str, moves: &str, periods: Vec<Period>, events: &[Event]) -> Report {
    let overrides = match ruleset {
        F => vec![("guideline_iii".to_owned(), "true".to_owned())],
        _ => vec![],
    };
    let ruleset = rulesets().find(ruleset).unwrap();
    let ruleset = ruleset.with_overrides(&overrides).unwrap();
    let mut game = Game::new(Board::from_fen(fen).unwrap());
    for text in moves.split_whitespace() {
        let mv = uci::parse(game.board(), text, Variant::Standard).unwrap();
        game.play(mv);
    }
    let control = TimeControl::new(periods).unwrap();
    replay(&ruleset, &game, Variant::Standard, Some(&control), events)
}

fn last(report: &Report) -> (Reason, Vec<&'static str>) {
    let facts = report.missing_facts.iter().map(|missing| missing.fact);
    (report.rulings.last().unwrap().reason, facts.collect())
}

fn read(white: u64, black: u64, event: Event) -> Event {
    let reading = ClockReading([white, black].map(|left| Some(Duration::from_secs(left))));
    Event { reading, ..event }
}

fn asks(claim: QuickplayClaim) -> Event {
    let remaining = Some(Duration::from_secs(60));
    at(W, EventKind::QuickplayClaim { claim, remaining })
}

fn flag_in(side: Option<tabiya_rules::Color>, last_period: Option<bool>) -> Event {
    at(
        ARBITER,
        EventKind::FlagFall {
            side,
            last_period,
            witness: Witness::Arbiter,
            confirmed: None,
        },
    )
}

/// 6.3.1, III.1, III.3.1: the moves made before the events are moves of the periods.
#[test]
fn moves_before_the_events_count_for_the_periods() {
    let claim = || asks(QuickplayClaim::NormalMeans);
    let fallen = |told| read(0, 0, when(9000, flag_in(None, told)));
    let number = |number| START.replace("0 1", &format!("0 {number}"));
    for (fen, moves, first, over) in [
        (number(61), "", 40, true),
        (number(41), "", 40, true),
        (number(40), "", 40, false),
        (START.into(), &rounds(4)[..], 4, true),
        (START.into(), &rounds(4)[..], 5, false),
    ] {
        let at_once = |event: Event| {
            let periods = vec![period(first, 90, 0), period(0, 30, 0)];
            ruled(F, &fen, moves, periods, &[event])
        };
        let (claimed, flags) = match over {
            true => (Reason::LeftToArbiter, Reason::FlagsDraw),
            false => (Reason::QuickplayBefore, Reason::FlagsContinue),
        };
        assert_eq!(last(&at_once(claim())).0, claimed, "{fen} {first}");
        assert_eq!(last(&at_once(fallen(None))).0, flags, "{fen} {first}");
        // Which period it is, the report says before all.
        assert_eq!(
            last(&at_once(fallen(Some(true)))).0,
            Reason::FlagsDraw,
            "{fen} {first}"
        );
        assert_eq!(
            last(&at_once(fallen(Some(false)))).0,
            Reason::FlagsContinue,
            "{fen} {first}"
        );
        let sides = at_once(when(10, offer(W))).clocks.unwrap().sides;
        assert_eq!(
            sides.map(|side| side.period),
            [usize::from(over); 2],
            "{fen} {first}"
        );
    }
    // Where Black is on move, the rounds before count, and nobody says that White has begun this one.
    let fen = START.replace("w KQkq - 0 1", "b KQkq - 0 41");
    let periods = vec![period(40, 90, 0), period(0, 30, 0)];
    let clocks = ruled(F, &fen, "", periods, &[]).clocks.unwrap();
    let sides = clocks
        .sides
        .map(|side| (side.period, side.moves, side.remaining.as_secs()));
    assert_eq!(sides, [(1, 40, 7200); 2]);
}

/// Clocks that are only read tell no period, although the control is known.
#[test]
fn a_reading_tells_no_period() {
    let moves = [mv(W, "e2e4"), mv(B, "e7e5")];
    for claim in [
        asks(QuickplayClaim::NormalMeans),
        read(60, 60, asks(QuickplayClaim::NormalMeans)),
    ] {
        let periods = vec![period(1, 90, 0), period(0, 30, 0)];
        let report = ruled(F, START, "", periods, &[&moves[..], &[claim]].concat());
        let (reason, facts) = last(&report);
        assert_eq!(reason, Reason::MissingFact);
        assert!(facts.contains(&"time_control"), "{facts:?}");
    }
}

/// 6.4, 10.14: a flag loses only if the moves of its period were not made, and of clocks that nobody knows it is asked.
#[test]
fn a_flag_is_checked_against_the_moves_of_its_period() {
    let pressed = |side, text| [mv(side, text), press(side)];
    let made = [
        pressed(W, "e2e4"),
        pressed(B, "e7e5"),
        pressed(W, "g1f3"),
        pressed(B, "b8c6"),
    ]
    .concat();
    for (ruleset, articles) in [(F, ["6.8", "6.4"]), (CN, ["12.2", "10.14"])] {
        let flagged = |count: usize, told| {
            let periods = vec![period(2, 120, 0), period(0, 60, 0)];
            let events = [&made[..count], &[flag_in(W, told)]].concat();
            ruled(ruleset, START, "", periods, &events)
        };
        let asked = flagged(8, None);
        assert!(asked.conclusion.is_none());
        assert!(last(&asked).1.contains(&"last_period"), "{ruleset}");
        assert_eq!(asked.rulings[8].articles, articles);
        assert_eq!(last(&flagged(8, Some(true))).0, Reason::FlagLoss, "{ruleset}");
        assert_eq!(last(&flagged(8, Some(false))).0, Reason::FlagUp, "{ruleset}");
        // White's second move is not made, or not pressed.
        assert_eq!(last(&flagged(4, None)).0, Reason::FlagLoss, "{ruleset}");
        assert_eq!(last(&flagged(5, None)).0, Reason::FlagLoss, "{ruleset}");
        // A single period asks for all moves.
        let events = [&made[..], &[flag_in(W, None)]].concat();
        let one = ruled(ruleset, START, "", vec![period(0, 120, 0)], &events);
        assert_eq!(last(&one).0, Reason::FlagLoss, "{ruleset}");
    }
}

/// 6.3.2: a turn has one delay, however often the clock is read, stopped and started in it.
#[test]
fn a_turn_has_one_delay() {
    let control = |delay_mode| {
        vec![Period {
            delay: Duration::from_secs(10),
            delay_mode,
            ..short_period(0, 300)
        }]
    };
    let paused = at(
        W,
        EventKind::Pause {
            reason: PauseReason::Assistance,
        },
    );
    let reading = ClockReading([Some(Duration::from_secs(250)), None]);
    let shown = Event {
        reading,
        ..when(60, adjust(W, "e2", None))
    };
    let turn = |seconds| [when(seconds, mv(W, "e2e4")), when(seconds, press(W))];
    let stopped = [when(8, paused), when(100, at(ARBITER, EventKind::ClockStart))];
    let claimed = [when(4, claim(W, ThreefoldRepetition, None, None))];
    // Black's turn is interrupted while White puts the pieces right.
    let displaced_in_his_turn = [
        when(5, mv(W, "e2e4")),
        when(5, press(W)),
        when(9, displaced(W)),
        when(12, press(W)),
        when(18, mv(B, "e7e5")),
        when(18, press(B)),
    ];
    for mode in [DelayMode::Simple, DelayMode::Bronstein] {
        let left = |events: &[Event]| {
            let report = ruled(F, START, "", control(mode), events);
            report.clocks.unwrap().sides.map(|side| side.remaining.as_secs())
        };
        let one = |before: &[Event], seconds| left(&[before, &turn(seconds)].concat());
        // Sixty seconds cost fifty or sixty; ten more then cost ten, and a Bronstein clock gives ten back.
        let white = 250 - 10 + if mode == DelayMode::Bronstein { 10 } else { 0 };
        assert_eq!(one(std::slice::from_ref(&shown), 70)[0], white, "{mode:?}");
        assert_eq!(one(&stopped, 101), [300, 300], "{mode:?}");
        assert_eq!(one(&stopped, 105), [297, 300], "{mode:?}");
        // The wrong claim gives Black two minutes.
        assert_eq!(one(&claimed, 9), [300, 420], "{mode:?}");
        assert_eq!(one(&claimed, 14), [296, 420], "{mode:?}");
        assert_eq!(left(&displaced_in_his_turn)[1], 300, "{mode:?}");
    }
}

/// 6.2.1.2: a move that was never pressed is complete with its player's next one.
#[test]
fn a_move_is_completed_by_the_next() {
    let events = [
        when(10, mv(W, "e2e4")),
        when(20, mv(B, "e7e5")),
        when(30, mv(W, "g1f3")),
    ];
    let report = ruled(F, START, "", vec![period(0, 90, 0)], &events);
    let articles = report.rulings.iter().map(|ruling| &ruling.articles[..]);
    assert_eq!(
        articles.collect::<Vec<_>>(),
        [&[][..], &[], &["6.2.1.2".to_owned()]]
    );
    assert_eq!(report.clocks.unwrap().sides.map(|side| side.moves), [1, 0]);
}

/// 6.2.2, 9.5.3: a wrong claim starts the clock of the player who has not pressed, even if the claimant is on move.
#[test]
fn a_wrong_claim_starts_the_clock_that_ran() {
    let events = [
        when(10, mv(W, "e2e4")),
        when(12, claim(B, ThreefoldRepetition, None, None)),
        when(20, press(W)),
    ];
    let report = ruled(F, START, "", vec![period(0, 90, 30)], &events);
    assert_eq!(report.rulings[1].reason, Reason::ClaimWrong);
    assert!(
        report.rulings[1]
            .effects
            .contains(&Effect::ClockRuns { side: WHITE })
    );
    assert_eq!(last(&report).0, Reason::MoveCompleted);
    let clocks = report.clocks.unwrap();
    let left = clocks.sides.map(|side| side.remaining.as_secs());
    // White: twenty seconds, his increment, and two minutes for the claim.
    assert_eq!((left, clocks.running), ([5400 - 20 + 30 + 120, 5400], B));
}

fn found(moves_before: Option<u32>) -> Event {
    at(
        ARBITER,
        EventKind::IllegalMoveReport {
            after_signature: false,
            position_known: true,
            times_known: false,
            both_agree: false,
            moves_before,
            side: None,
        },
    )
}

/// 12.6: what each side had completed before the fault is on record; 12.4: a minute for each move that is then to be made.
#[test]
fn times_are_shared_out_by_the_moves_of_each_side() {
    let turn = |seconds, event: Event, side| [when(seconds, event), when(seconds, press(side))];
    // Black's second move was against the rules: White had completed two by then, and Black one.
    let events = [
        turn(10, mv(W, "e2e4"), W),
        turn(10, mv(B, "e7e5"), B),
        turn(30, mv(W, "g1f3"), W),
        turn(50, unnoticed(B, "b8b5"), B),
        turn(80, mv(W, "d2d4"), W),
    ]
    .concat();
    for told in [None, Some(1), Some(2)] {
        let periods = vec![period(40, 120, 0), period(0, 30, 0)];
        let all = [&events[..], &[when(80, found(told))]].concat();
        let report = ruled(CN, START, "", periods, &all);
        for (side, used) in [(WHITE, 40), (BLACK, 10)] {
            let time = Duration::from_secs(7200 - used);
            let set = Effect::ClockSet { side, time };
            assert!(report.rulings[10].effects.contains(&set), "{told:?} {report:?}");
        }
    }
    // White's second move: 39 moves are to be made from there, and 2310 seconds do not suffice for them.
    let events = [
        turn(30, mv(W, "e2e4"), W),
        turn(30, mv(B, "e7e5"), B),
        turn(60, unnoticed(W, "f1a4"), W),
        turn(60, mv(B, "b8c6"), B),
    ]
    .concat();
    for (minutes, shared) in [(39, false), (40, true)] {
        let periods = vec![period(40, minutes, 0), period(0, 30, 0)];
        let all = [&events[..], &[when(60, found(None))]].concat();
        let report = ruled(CN, START, "", periods, &all);
        let effects = &report.rulings[8].effects;
        assert_eq!(effects.contains(&Effect::ShareTimes), shared, "{minutes}");
        assert_eq!(
            effects.contains(&Effect::Option(Choice::SetClocks)),
            !shared,
            "{minutes}"
        );
    }
}

/// 12.4: where the clocks are only read, the control and the moves still tell how many are to be made.
#[test]
fn the_floor_counts_moves_on_clocks_that_are_read() {
    let takes = |seconds| {
        decide(Decision::Choice {
            choice: Choice::TakeOwnTime,
            event: None,
            side: W,
            time: Some(Duration::from_secs(seconds)),
            half_points: 0,
            result: None,
            clocks: ClockReading::default(),
        })
    };
    let taken = |seconds| {
        let events = [
            mv(W, "e2e4"),
            mv(B, "e7e5"),
            mv(W, "g1f3"),
            read(2400, 2400, press(W)),
            takes(seconds),
        ];
        last(&ruled(
            CN,
            START,
            "",
            vec![period(40, 120, 0), period(0, 30, 0)],
            &events,
        ))
        .0
    };
    // 38 moves are to be made.
    assert_eq!(taken(120), Reason::OptionChosen);
    assert_eq!(taken(121), Reason::BelowFloor);
}

/// III.2.2, III.4, III.5: once the increment is granted, the game is none without increment.
fn granted() -> Vec<Case> {
    let after = |granted, event, want, articles| {
        let events = vec![asks(QuickplayClaim::Increment), choose(granted), event];
        case("", F, events, want, articles).set("guideline_iii", "true")
    };
    let scope = &["III.2.1", "III.2.2"];
    let elsewhere = || Rules(false, Reason::QuickplayElsewhere);
    let claim = || asks(QuickplayClaim::NormalMeans);
    vec![
        after(Choice::GrantIncrement, claim(), elsewhere(), scope),
        after(Choice::GrantIncrement, both_flags(true), elsewhere(), scope),
        after(
            Choice::RefuseIncrement,
            claim(),
            Rules(true, Reason::LeftToArbiter),
            &["III.5"],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    granted()
}
