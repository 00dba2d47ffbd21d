//! Times to the nanosecond, times of edits, clocks of games that were over before, and clocks that contradict a flag.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Choice, ClockReading, Clocks, Decision, Effect, Event, EventKind, GameResult, Reason, Report,
    TimeControl, replay,
};
use tabiya_rules::{Board, Color, Game, Move, Variant, uci};

use crate::events::*;

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Board::from_fen(fen).unwrap());
    for text in moves.split_whitespace() {
        let mv: Move = uci::parse(game.board(), text, Variant::Standard).unwrap();
        game.play(mv);
    }
    game
}

fn ruled(control: &TimeControl, game: &Game, events: &[Event]) -> Report {
    let ruleset = rulesets().find(F).unwrap();
    replay(ruleset, game, Variant::Standard, Some(control), events)
}

fn five_minutes(events: &[Event]) -> Report {
    ruled(&guillotine(300), &Game::new(Board::startpos()), events)
}

fn read(white: Duration, black: Duration, event: Event) -> Event {
    Event {
        reading: ClockReading([Some(white), Some(black)]),
        ..event
    }
}

fn last(report: &Report) -> Reason {
    report.rulings.last().unwrap().reason
}

fn left(report: &Report) -> [Duration; 2] {
    report.clocks.unwrap().sides.map(|side| side.remaining)
}

/// 6.8: a flag falls when no time is left at all, and the least part of a millisecond is time left.
#[test]
fn no_time_is_cut() {
    let five = Duration::from_secs(5);
    for (nanos, reason) in [
        (0, Reason::FlagLoss),
        (1, Reason::FlagUp),
        (999_999, Reason::FlagUp),
        (1_000_000, Reason::FlagUp),
    ] {
        let shown = Duration::from_nanos(nanos);
        let report = five_minutes(&[mv(W, "e2e4"), read(shown, five, flag(W))]);
        assert_eq!(last(&report), reason, "{nanos}");
        if reason == Reason::FlagUp {
            assert_eq!(left(&report), [shown, five], "{nanos}");
        }
    }
    // What is used is taken off to the nanosecond.
    let at = |nanos: u64, event: Event| Event {
        at: Some(Duration::from_nanos(nanos)),
        ..event
    };
    let events = [
        at(1, mv(W, "e2e4")),
        at(999_999, press(W)),
        at(1_500_000, mv(B, "e7e5")),
    ];
    let full = Duration::from_secs(300);
    assert_eq!(
        left(&five_minutes(&events)),
        [
            full - Duration::from_nanos(999_999),
            full - Duration::from_nanos(500_001)
        ]
    );
}

/// As 0 gives no time, and is refused, so does 1 ns give some.
#[test]
fn the_least_time_is_some() {
    let nano = Duration::from_nanos(1);
    let mut only = short_period(0, 0);
    only.time = nano;
    let control = TimeControl::new(vec![only]).unwrap();
    let start = Game::new(Board::startpos());
    let clocks = ruled(&control, &start, &[]).clocks.unwrap();
    assert_eq!(
        clocks.sides.map(|side| (side.remaining, side.run_out)),
        [(nano, false); 2]
    );
    let flag_at = |time| Event {
        at: Some(time),
        ..flag(W)
    };
    assert_eq!(
        last(&ruled(&control, &start, &[flag_at(Duration::ZERO)])),
        Reason::FlagUp
    );
    assert_eq!(last(&ruled(&control, &start, &[flag_at(nano)])), Reason::FlagLoss);
}

/// What the arbiter sets or gives is taken as exactly.
#[test]
fn what_the_arbiter_gives_is_not_cut() {
    let half = Duration::from_micros(500);
    let mut event = set_clocks(Choice::SetClocks, [Some(60), None]);
    if let EventKind::ArbiterDecision(Decision::Choice { clocks, .. }) = &mut event.kind {
        clocks.0[0] = Some(Duration::from_secs(310) + half);
    }
    let report = five_minutes(&[event]);
    let set = Effect::ClockSet {
        side: Color::White,
        time: Duration::from_secs(310) + half,
    };
    assert!(
        report.rulings[0].effects.contains(&set),
        "{:?}",
        report.rulings[0]
    );
    assert_eq!(left(&report)[0], Duration::from_secs(310) + half);
}

/// The clocks are those at the latest time that any event gave: a later edit does not undo the time of an earlier one.
#[test]
fn the_time_of_an_edit_stays() {
    let before = [when(20, mv(W, "e2e4")), touch(B, "e7", false)];
    let appeal = || at(W, EventKind::Appeal);
    let edited = |edits: &[Event]| {
        let report = five_minutes(&[&before[..], edits].concat());
        (last(&report), left(&report)[0].as_secs())
    };
    // White has not pressed: his clock runs on.
    let retraction = || when(310, retract(1));
    assert_eq!(edited(&[retraction(), appeal(), flag(W)]), (Reason::FlagLoss, 0));
    assert_eq!(
        edited(&[retraction(), appeal(), correct(3, appeal()), flag(W)]),
        (Reason::FlagLoss, 0)
    );
    // The same of a correction, of an edit that is refused and of one that is taken back.
    let corrected = when(100, correct(1, touch(B, "d7", false)));
    assert_eq!(edited(&[corrected.clone(), appeal(), retract(3)]).1, 200);
    assert_eq!(edited(&[when(100, retract(9)), appeal(), retract(3)]).1, 200);
    assert_eq!(edited(&[corrected, retract(2)]).1, 200);
}

/// What was written down after an edit without a time is ruled on as it was, and what is corrected to an earlier time than
/// the edit's happened then.
#[test]
fn an_edit_tells_the_time_to_what_follows_it() {
    let before = [
        when(20, mv(W, "e2e4")),
        touch(B, "e7", false),
        when(310, retract(1)),
    ];
    let report = five_minutes(&[&before[..], &[flag(W), at(W, EventKind::Appeal), retract(4)]].concat());
    assert_eq!(report.rulings[3].reason, Reason::FlagLoss);
    assert!(
        report.rulings[5].replayed.is_empty(),
        "{:?}",
        report.rulings[5].replayed
    );
    let early = when(330, correct(3, when(200, flag(W))));
    let report = five_minutes(&[&before[..], &[when(320, flag(W)), early]].concat());
    assert_eq!(report.rulings[3].reason, Reason::FlagLoss);
    assert_eq!(report.rulings[4].replayed[0].reason, Reason::FlagUp);
}

/// A game that was over before the first event has no clock that runs, as one that an event ends.
#[test]
fn clocks_stand_still_where_the_game_was_over_before() {
    const DEAD: &str = "k7/8/8/8/8/8/8/KB6 w - - 0 1";
    let appealed = [at(W, EventKind::Appeal), when(50, retract(0))];
    for (game, reason) in [
        (game(START, "f2f3 e7e5 g2g4 d8h4"), Reason::Mate),
        (game(DEAD, ""), Reason::Dead),
    ] {
        for events in [&[][..], &appealed[..1], &appealed] {
            let report = ruled(&guillotine(300), &game, events);
            assert_eq!(report.reason, reason);
            let Clocks { sides, running } = report.clocks.unwrap();
            assert_eq!(running, None, "{reason:?} {events:?}");
            let full = Duration::from_secs(300);
            assert_eq!(
                sides.map(|side| side.remaining),
                [full; 2],
                "{reason:?} {events:?}"
            );
        }
    }
}

/// Both flags are reported and the clocks show which one is down: that one counts. Where they show one only to be up, the
/// report has to say whose it means.
#[test]
fn clocks_tell_which_of_both_flags_is_down() {
    let (none, five) = (Duration::ZERO, Duration::from_secs(5));
    for (white, black, reason, winner) in [
        (none, five, Reason::FlagLoss, Some(BLACK)),
        (five, none, Reason::FlagLoss, Some(WHITE)),
        (five, five, Reason::FlagUp, None),
    ] {
        let report = five_minutes(&[mv(W, "e2e4"), read(white, black, both_flags(true))]);
        assert_eq!(last(&report), reason, "{white:?} {black:?}");
        let result = report.conclusion.and_then(|end| end.result);
        assert_eq!(result, winner.map(GameResult::Wins));
    }
    let one = Event {
        reading: ClockReading([None, Some(five)]),
        ..both_flags(true)
    };
    let report = five_minutes(&[one]);
    assert_eq!(last(&report), Reason::MissingFact);
    let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
    assert!(facts.contains(&"side"), "{facts:?}");
}
