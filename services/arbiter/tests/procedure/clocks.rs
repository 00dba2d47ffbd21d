//! Clocks: times, readings, and what moves them.

use std::time::Duration;

use tabiya_arbiter::{
    replay::{DelayMode, Event, Period, Reason, TimeControl, replay},
    ruleset::Library,
};
use tabiya_rules::{Board, Game, Variant};

use crate::events::*;

/// Clocks follow the events' times, penalties move them, and a flag that has not fallen is not claimed.
#[test]
fn clocks_follow_the_events() {
    let seconds = Duration::from_secs;
    let control = TimeControl::new(vec![Period {
        moves: 0,
        time: seconds(300),
        increment: seconds(2),
        delay: Duration::ZERO,
        delay_mode: DelayMode::Simple,
    }])
    .unwrap();
    let when = |time: u64, event: Event| Event {
        at: Some(seconds(time)),
        ..event
    };
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let start = Game::new(Board::startpos());
    let mut events = vec![
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        // Never pressed, so it took until it was made.
        when(21, mv(B, "e7e5")),
        when(30, mv(W, "f1a7")),
        when(31, press(W)),
        when(40, flag(W)),
    ];
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!(report.rulings[5].reason, Reason::FlagUp);
    let clocks = report.clocks.unwrap();
    // Black: 300 - 10 + 120 for the illegal move; his own move is not complete yet.
    assert_eq!(clocks.sides[1].moves, 0);
    assert_eq!(clocks.sides[0].remaining, seconds(291));
    events.push(when(41, mv(W, "f1c4")));
    events.push(when(42, press(W)));
    let clocks = replay(ruleset, &start, Variant::Standard, Some(&control), &events)
        .clocks
        .unwrap();
    assert_eq!(
        (clocks.sides[0].remaining, clocks.sides[0].moves),
        (seconds(291 - 21 + 2), 2)
    );
    assert_eq!(
        (clocks.sides[1].remaining, clocks.running),
        (seconds(300 - 10 + 2 + 120), B)
    );
    // Without its time, a move leaves the clocks unknown.
    events.push(mv(B, "b8c6"));
    let report = replay(ruleset, &start, Variant::Standard, Some(&control), &events);
    assert_eq!((report.clocks, report.missing_facts[0].fact), (None, "at"));
}
