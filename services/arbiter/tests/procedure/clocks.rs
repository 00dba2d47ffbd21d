//! Clocks: times, readings, and what moves them.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{
        Choice, ClockFault, ClockReading, Effect, Event, EventKind, PauseReason, Reason, RecordingLapse,
        Report, TimeCategory, TimeControl, Witness, replay,
    },
};
use tabiya_rules::{Board, Game, Variant};

use crate::events::*;

/// Clocks follow the events' times, penalties move them, and a flag that has not fallen is not claimed.
#[test]
fn clocks_follow_the_events() {
    let seconds = Duration::from_secs;
    let control = TimeControl::new(vec![period(0, 5, 2)]).unwrap();
    let ruleset = rulesets().find("fide-2023").unwrap();
    let start = Game::new(Board::startpos());
    let mut events = vec![
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        // Never pressed, so his clock runs on (6.2.2).
        when(21, mv(B, "e7e5")),
        when(30, mv(W, "f1a7")),
        when(31, press(W)),
        when(40, flag(W)),
    ];
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings[5].reason, Reason::FlagUp);
    let clocks = report.clocks.unwrap();
    // Black: 120 for the illegal move; his own move is not complete yet.
    assert_eq!(clocks.sides[1].moves, 0);
    assert_eq!(clocks.sides[1].remaining, seconds(300 - 29 + 120));
    assert_eq!(clocks.sides[0].remaining, seconds(291));
    events.push(when(41, mv(W, "f1c4")));
    events.push(when(42, press(W)));
    let clocks = replay(ruleset, &start, Variant::Standard, Some(&control), &events)
        .clocks
        .unwrap();
    // White's clock has not run, so his press gives nothing; it does complete his move.
    assert_eq!(
        (clocks.sides[0].remaining, clocks.sides[0].moves),
        (seconds(292 - 1), 2)
    );
    assert_eq!(
        (clocks.sides[1].remaining, clocks.sides[1].moves, clocks.running),
        (seconds(300 - 31 + 120), 0, B)
    );
    // Without its time, a move leaves the clocks unknown.
    events.push(mv(B, "b8c6"));
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
    // At five minutes a game, nobody said whether B.2 or B.3 holds.
    assert_eq!((report.clocks, facts), (None, vec!["ruleset", "at"]));
    assert_eq!(report.missing_facts[0].articles, ["A.1", "B.1", "A.6", "B.4"]);
}

#[test]
fn a_time_control_makes_a_game_standard_rapid_or_blitz() {
    for (periods, category) in [
        (
            vec![period(40, 90, 30), period(0, 30, 30)],
            TimeCategory::Standard,
        ),
        (vec![period(0, 60, 0)], TimeCategory::Standard),
        // 59 minutes and 59 increments of a second, and one more.
        (vec![period(0, 58, 1)], TimeCategory::Rapid),
        (vec![period(0, 10, 1)], TimeCategory::Rapid),
        (vec![period(0, 10, 0)], TimeCategory::Blitz),
        (vec![period(0, 3, 2)], TimeCategory::Blitz),
        (vec![period(40, 5, 0), period(0, 5, 0)], TimeCategory::Blitz),
    ] {
        assert_eq!(TimeControl::new(periods).unwrap().category(), category);
    }
    // The ruleset for it asks for nothing.
    let control = TimeControl::new(vec![period(0, 3, 2)]).unwrap();
    let start = Game::new(Board::startpos());
    for (id, facts) in [
        ("fide-2023-blitz-b3", 0),
        ("fide-2023-rapid-a5", 1),
        ("cn-classic", 0),
    ] {
        let ruleset = rulesets().find(id).unwrap();
        let report = replay(ruleset, &start, Variant::Standard, Some(&control), &[]);
        assert_eq!(report.category, Some(TimeCategory::Blitz));
        assert_eq!(report.missing_facts.len(), facts, "{id}");
    }
}

fn read(white: u64, black: u64, event: Event) -> Event {
    let reading = ClockReading([Some(Duration::from_secs(white)), Some(Duration::from_secs(black))]);
    Event { reading, ..event }
}

#[test]
fn readings_stand_in_for_times() {
    let ruleset = rulesets().find("cn-classic").unwrap();
    let start = Game::new(Board::startpos());
    let rule = |events: &[Event]| replay(ruleset, &start, Variant::Standard, None, events);
    let remaining = |report: &Report| {
        let clocks = report.clocks.as_ref().unwrap();
        [0, 1].map(|side| clocks.sides[side].remaining.as_secs())
    };
    let mut events = vec![
        mv(W, "e2e4"),
        read(290, 600, press(W)),
        read(290, 580, mv(B, "e7e5")),
    ];
    let report = rule(&events);
    assert_eq!(remaining(&report), [290, 580]);
    assert_eq!(report.clocks.unwrap().running, B);
    // With less than five minutes on the clock that was read, White need not record.
    events.push(read(290, 575, press(B)));
    events.push(at(
        W,
        EventKind::Recording {
            lapse: RecordingLapse::Stopped,
            remaining: None,
            increment: None,
        },
    ));
    let report = rule(&events);
    assert_eq!(report.rulings[4].reason, Reason::NeedNotRecord);
    // Five minutes more used time for a wrong claim lose.
    let mut claimed = events.clone();
    claimed.push(claim(W, ThreefoldRepetition, None, None));
    assert_eq!(rule(&claimed).rulings[5].reason, Reason::ClaimWrongLoses);
    // The flag of a clock that stands, or is read with it, has not fallen. White's has run since it was read: what the
    // arbiter sees, or confirms, then counts.
    let flagged = |event: Event| {
        let report = rule(&[&events[..], &[event]].concat());
        let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
        (report.rulings[5].reason, facts)
    };
    let by_player = |confirmed| flag_seen(B, W, Witness::Player, confirmed);
    assert_eq!(flagged(flag(B)), (Reason::FlagUp, vec![]));
    assert_eq!(flagged(read(3, 575, flag(W))), (Reason::FlagUp, vec![]));
    assert_eq!(flagged(read(0, 575, flag(W))), (Reason::FlagLoss, vec![]));
    assert_eq!(flagged(flag(W)), (Reason::FlagLoss, vec![]));
    assert_eq!(flagged(by_player(Some(true))), (Reason::FlagLoss, vec![]));
    assert_eq!(
        flagged(by_player(None)),
        (Reason::FlagUnconfirmed, vec!["confirmed"])
    );
    // A move whose time nobody knows leaves the clocks unknown.
    let report = rule(&[events[1].clone(), mv(W, "d2d4")]);
    assert_eq!((report.clocks, report.missing_facts[0].fact), (None, "at"));
}

/// 6.2.1.2, 6.2.2, 6.4: a move is complete with its press or with its player's next move, and his clock runs until then.
#[test]
fn a_move_that_was_never_pressed_costs_its_player_time() {
    let control = TimeControl::new(vec![period(2, 1, 10), period(0, 30, 0)]).unwrap();
    let start = Game::new(Board::startpos());
    let rule = |id, events: &[Event]| {
        let ruleset = rulesets().find(id).unwrap();
        replay(ruleset, &start, Variant::Standard, Some(&control), events)
    };
    let clocks = |report: &Report| {
        let clocks = report.clocks.unwrap();
        let left = clocks.sides.map(|side| side.remaining.as_secs());
        (left, clocks.sides.map(|side| side.moves), clocks.running)
    };
    let replied = [when(55, mv(W, "e2e4")), when(57, mv(B, "e7e5"))];
    let on = |more: &[Event]| [&replied[..], more].concat();
    for id in ["fide-2023", "cn-classic"] {
        // Five seconds left, and the reply came after two: his clock still runs, and his flag falls.
        assert_eq!(clocks(&rule(id, &replied)), ([3, 60], [0, 0], W), "{id}");
        let flagged = rule(id, &on(&[when(75, flag(W))]));
        assert_eq!(flagged.rulings[2].reason, Reason::FlagLoss, "{id}");
        let early = rule(id, &on(&[when(59, flag(W))]));
        assert_eq!(early.rulings[2].reason, Reason::FlagUp, "{id}");
        // He may press after the reply: that completes his move and starts Black's clock.
        let late = on(&[when(58, press(W))]);
        let report = rule(id, &late);
        assert!(
            report.rulings[2]
                .effects
                .contains(&Effect::ClockRuns { side: BLACK }),
            "{id}"
        );
        assert_eq!(clocks(&report), ([12, 60], [1, 0], B), "{id}");
        let both = [&late[..], &[when(61, press(B))]].concat();
        assert_eq!(clocks(&rule(id, &both)), ([12, 67], [1, 1], W), "{id}");
        // Black's press moves no hand while White's clock runs; White's next move completes the one before it, and a
        // press after it begins his second period.
        let next = on(&[when(57, press(B)), when(58, mv(W, "g1f3")), when(59, press(W))]);
        assert_eq!(clocks(&rule(id, &next[..3])), ([3, 60], [0, 1], W), "{id}");
        assert_eq!(clocks(&rule(id, &next[..4])), ([2, 60], [1, 1], W), "{id}");
        assert_eq!(clocks(&rule(id, &next)), ([1 + 10 + 1800, 60], [2, 1], B), "{id}");
        // The last move of a period does not count before it is pressed.
        let last = [&next[..4], &[when(60, flag(W))]].concat();
        assert_eq!(rule(id, &last).rulings[4].reason, Reason::FlagLoss, "{id}");
    }
    // Where nothing is pressed, the move starts the other clock.
    assert_eq!(clocks(&rule("online-platform", &replied)), ([15, 68], [1, 1], W));
    let flagged = rule("online-platform", &on(&[when(75, flag(W))]));
    assert_eq!(flagged.rulings[2].reason, Reason::FlagVoid);
}

/// I.5, 6.3.1: the sealed move is a completed one, and so is a sealed reply.
#[test]
fn sealed_moves_count_on_the_clock() {
    let control = TimeControl::new(vec![period(1, 10, 5), period(0, 20, 0)]).unwrap();
    let start = Game::new(Board::startpos());
    let ruleset = rulesets().find("fide-2023").unwrap();
    let events = [
        when(100, seal("e2e4", true)),
        when(200, resumption(true, false, 0, 0)),
        when(230, seal_by(B, "e7e5", true, None)),
        when(260, late(W, 1)),
    ];
    let sides = |count: usize| {
        let report = replay(
            ruleset,
            &start,
            Variant::Standard,
            Some(&control),
            &events[..count],
        );
        let clocks = report.clocks.unwrap();
        clocks
            .sides
            .map(|side| (side.remaining.as_secs(), side.moves, side.period))
    };
    assert_eq!(sides(1), [(500, 0, 0), (600, 0, 0)]);
    // White's move and increment, and his second period.
    assert_eq!(sides(2), [(505 + 1200, 1, 1), (600, 0, 0)]);
    assert_eq!(sides(4), [(1705 - 30, 1, 1), (570 + 5 + 1200, 1, 1)]);
}

/// A clock that is computed says nothing of a flag whose time nobody reported (6.8, 6.9).
#[test]
fn a_flag_without_its_time_is_not_weighed_against_an_old_one() {
    let ruleset = rulesets().find("fide-2023").unwrap();
    let control = TimeControl::new(vec![period(0, 90, 0)]).unwrap();
    let start = Game::new(Board::startpos());
    let rule = |last: Event| {
        let events = [when(10, mv(W, "e2e4")), when(20, press(W)), last];
        let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
        let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
        (report.rulings[2].reason, facts)
    };
    let by_player = || flag_seen(W, B, Witness::Player, None);
    assert_eq!(rule(flag(B)), (Reason::FlagLoss, vec![]));
    assert_eq!(rule(when(5419, flag(B))), (Reason::FlagUp, vec![]));
    assert_eq!(rule(when(5420, flag(B))), (Reason::FlagLoss, vec![]));
    assert_eq!(rule(by_player()), (Reason::MissingFact, vec!["at"]));
    assert_eq!(rule(when(5419, by_player())), (Reason::FlagUp, vec![]));
    assert_eq!(rule(when(5420, by_player())), (Reason::FlagLoss, vec![]));
    // White's clock has stopped.
    assert_eq!(rule(flag(W)), (Reason::FlagUp, vec![]));
}

#[test]
fn clocks_stop_start_and_are_set() {
    let control = TimeControl::new(vec![period(40, 90, 0), period(0, 30, 0)]).unwrap();
    let ruleset = rulesets().find("fide-2023").unwrap();
    let start = Game::new(Board::startpos());
    let pause = |reason| at(W, EventKind::Pause { reason });
    let events = [
        when(60, pause(PauseReason::Assistance)),
        when(360, at(ARBITER, EventKind::ClockStart)),
        when(400, mv(W, "e2e4")),
        when(400, press(W)),
        when(500, at(B, EventKind::Disturbance { interrupted: false })),
        when(500, choose_with(Choice::AddTime, None, Some(120))),
        when(
            510,
            at(
                W,
                EventKind::ClockFault {
                    fault: ClockFault::Setting,
                    flag_fallen: false,
                    moved_since_resumption: false,
                },
            ),
        ),
        when(510, set_clocks(Choice::SetClocks, [Some(5000), None])),
        when(520, mv(B, "e7e5")),
        when(530, press(B)),
    ];
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    let reasons: Vec<_> = report.rulings.iter().map(|ruling| ruling.reason).collect();
    assert_eq!(reasons[..2], [Reason::Paused, Reason::ClocksStarted]);
    assert_eq!(
        reasons[4..8],
        [
            Reason::Disturbed,
            Reason::OptionChosen,
            Reason::ClockCorrected,
            Reason::OptionChosen
        ]
    );
    let clocks = report.clocks.unwrap();
    // White: a minute, then forty seconds, then set; Black: 130 seconds against two minutes for the disturbance.
    assert_eq!(clocks.sides[0].remaining, Duration::from_secs(5000));
    assert_eq!(
        clocks.sides[1].remaining,
        Duration::from_secs(90 * 60 - 130 + 120)
    );
    assert_eq!(report.missing_facts, []);
}

#[test]
fn times_of_an_irregularity_are_shared_out_where_the_floor_allows() {
    let ruleset = rulesets().find("cn-classic").unwrap();
    let start = Game::new(Board::startpos());
    let report_at = |moves_before| {
        at(
            B,
            EventKind::IllegalMoveReport {
                after_signature: false,
                position_known: true,
                times_known: false,
                both_agree: false,
                moves_before: Some(moves_before),
                side: None,
            },
        )
    };
    // Two moves each in 100 and 200 seconds, the irregularity after the first.
    let events = [
        when(60, mv(W, "e2e4")),
        when(60, press(W)),
        when(160, mv(B, "e7e5")),
        when(160, press(B)),
        when(200, mv(W, "g1f3")),
        when(200, press(W)),
        when(300, mv(B, "b8c6")),
        when(300, press(B)),
        when(300, mv(W, "f1f7")),
        when(300, report_at(1)),
    ];
    let rule = |minutes| {
        let control = TimeControl::new(vec![period(40, minutes, 0), period(0, 30, 0)]).unwrap();
        replay(ruleset, &start, Variant::Standard, Some(&control), &events)
    };
    let shared = rule(120);
    assert!(shared.rulings[9].effects.contains(&Effect::ClockSet {
        side: WHITE,
        time: Duration::from_secs(7200 - 50)
    }));
    let clocks = shared.clocks.unwrap();
    assert_eq!(clocks.sides[0].remaining, Duration::from_secs(7200 - 50));
    assert_eq!(clocks.sides[1].remaining, Duration::from_secs(7200 - 100));
    // A minute a move for the 38 to come is not left: the article may not be used.
    let barred = rule(30);
    assert!(
        barred.rulings[9]
            .effects
            .contains(&Effect::Option(Choice::SetClocks))
    );
    assert!(barred.rulings[9].articles.contains(&"12.4".to_owned()));
    assert_eq!(
        barred.clocks.unwrap().sides[0].remaining,
        Duration::from_secs(1800 - 100)
    );
    // Nobody can have completed so many moves: which it was is not known, and nothing is shared out.
    let control = TimeControl::new(vec![period(40, 120, 0), period(0, 30, 0)]).unwrap();
    let mut events = events;
    events[9] = when(300, report_at(4_000_000_000));
    let absurd = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert!(!absurd.rulings[9].effects.contains(&Effect::ShareTimes));
    assert!(
        absurd
            .missing_facts
            .iter()
            .any(|missing| missing.fact == "moves_before")
    );
}

/// A control whose first period gives no time starts no clock.
#[test]
fn a_first_period_without_time_is_no_time_control() {
    let none = TimeControl::new(vec![period(0, 0, 30)]);
    assert_eq!(none, Err(tabiya_arbiter::replay::TimeControlError::NoTime));
    assert!(TimeControl::new(vec![period(40, 90, 0), period(0, 0, 30)]).is_ok());
}

/// 8.2 with 12.6: the times of a displacement that is found later are shared out where they are not known.
#[test]
fn times_of_a_displacement_are_shared_out_if_unknown() {
    let ruleset = rulesets().find("cn-classic").unwrap();
    let start = Game::new(Board::startpos());
    let control = TimeControl::new(vec![period(40, 120, 0), period(0, 30, 0)]).unwrap();
    let rule = |times_known, moves_before| {
        let kind = EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known,
            moves_before,
        };
        // Two moves each in 100 and 200 seconds, the displacement after the first.
        let events = [
            when(60, mv(W, "e2e4")),
            when(60, press(W)),
            when(160, mv(B, "e7e5")),
            when(160, press(B)),
            when(200, mv(W, "g1f3")),
            when(200, press(W)),
            when(300, mv(B, "b8c6")),
            when(300, press(B)),
            when(300, at(W, kind)),
        ];
        replay(ruleset, &start, Variant::Standard, Some(&control), &events)
    };
    let left = |report: &Report| report.clocks.unwrap().sides.map(|side| side.remaining.as_secs());
    let shared = rule(false, Some(1));
    assert_eq!(shared.rulings[8].reason, Reason::DisplacedLater);
    assert_eq!(shared.rulings[8].articles, ["8.2", "12.6"]);
    assert_eq!(left(&shared), [7200 - 50, 7200 - 100]);
    let told = rule(false, None);
    assert_eq!(told.rulings[8].effects, [Effect::Restored, Effect::ShareTimes]);
    let known = rule(true, Some(1));
    assert_eq!(known.rulings[8].articles, ["8.2"]);
    assert_eq!(known.rulings[8].effects, [Effect::Restored]);
    assert_eq!(left(&known), [7200 - 100, 7200 - 200]);
}

/// Both flags have fallen, nobody knows which first: the next period begins on both clocks, less what was overstepped.
#[test]
fn the_next_period_reaches_the_clocks() {
    let control = TimeControl::new(vec![period(40, 120, 0), period(0, 60, 0)]).unwrap();
    let ruleset = rulesets().find("cn-classic").unwrap();
    let start = Game::new(Board::startpos());
    let mut events = vec![
        when(7250, mv(W, "e2e4")),
        when(7250, press(W)),
        when(14500, both_flags(false)),
    ];
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings[2].reason, Reason::FlagsContinue);
    let sides = report.clocks.unwrap().sides;
    let state = sides.map(|side| (side.remaining.as_secs(), side.period, side.run_out));
    assert_eq!(state, [(3550, 1, false), (3550, 1, false)]);
    events.push(when(14510, mv(B, "e7e5")));
    events.push(when(14510, press(B)));
    events.push(when(14520, flag(W)));
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings[5].reason, Reason::FlagUp);
    let sides = report.clocks.unwrap().sides;
    assert_eq!(sides.map(|side| side.remaining.as_secs()), [3540, 3540]);
}

/// White's king is walled in; whether Black can mate takes a longer search than a ruling goes into. However often the
/// flag is reported, the question is gone into once, and every report is told that the answer is not known.
#[test]
fn an_open_question_is_asked_once() {
    let ruleset = rulesets().find("fide-2023").unwrap();
    let board = Board::from_fen("1k6/1P1p1p1p/BP1p1p1p/1P6/8/8/3P1P1P/3K4 w - - 0 1").unwrap();
    let report = replay(
        ruleset,
        &Game::new(board),
        Variant::Standard,
        None,
        &vec![flag(W); 2000],
    );
    assert!(report.conclusion.is_none());
    assert_eq!(report.rulings.len(), 2000);
    for ruling in &report.rulings {
        assert_eq!(ruling.reason, Reason::Undecided);
    }
}
