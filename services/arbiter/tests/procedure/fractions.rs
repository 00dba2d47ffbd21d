//! Times in fractions of a second: what the arbiter says is what the clocks then show.

use std::time::Duration;

use tabiya_arbiter::replay::{Choice, ClockReading, Decision, Effect, Event, Reason, Report, replay};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::events::*;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// White moves and presses in ten seconds of his hour and a half, and Black has taken ten of his when the arbiter decides.
fn decided(ruleset: &str, choice: Choice, time: Option<Duration>, clocks: [Option<Duration>; 2]) -> Report {
    let decision = Decision::Choice {
        choice,
        event: None,
        side: Some(Color::White),
        time,
        half_points: 0,
        result: None,
        clocks: ClockReading(clocks),
    };
    let events: [Event; 3] = [
        when(10, mv(W, "e2e4")),
        when(10, press(W)),
        when(20, decide(decision)),
    ];
    let ruleset = rulesets().find(ruleset).unwrap();
    let start = Game::new(Board::startpos());
    replay(
        ruleset,
        &start,
        Variant::Standard,
        Some(&guillotine(5400)),
        &events,
    )
}

fn left(report: &Report) -> [Duration; 2] {
    report.clocks.unwrap().sides.map(|side| side.remaining)
}

/// 7.1: the clocks are set to what the arbiter says.
#[test]
fn clocks_are_set_to_the_millisecond() {
    let set = [Some(ms(59_900)), Some(ms(1_000_500))];
    let report = decided("fide-2023", Choice::SetClocks, None, set);
    assert_eq!(left(&report), [ms(59_900), ms(1_000_500)]);
    let effect = Effect::ClockSet {
        side: Color::White,
        time: ms(59_900),
    };
    assert!(report.rulings[2].effects.contains(&effect));
    // Less than a second is time.
    let report = decided("fide-2023", Choice::SetClocks, None, [Some(ms(900)), None]);
    let white = report.clocks.unwrap().sides[0];
    assert_eq!((white.remaining, white.run_out), (ms(900), false));
}

/// 12.9.2, 12.9.3: time given and taken; and no time is no decision.
#[test]
fn parts_of_a_second_are_given_and_taken() {
    let given = decided("fide-2023", Choice::AddOpponentTime, Some(ms(500)), [None; 2]);
    assert_eq!(left(&given), [ms(5_390_000), ms(5_390_500)]);
    let effect = Effect::TimeAdded {
        side: Color::Black,
        time: ms(500),
    };
    assert_eq!(given.rulings[2].effects, [effect]);
    let taken = decided("fide-2023", Choice::TakeOwnTime, Some(ms(500)), [None; 2]);
    assert_eq!(left(&taken), [ms(5_389_500), ms(5_390_000)]);
    // 16.5 of the older code: more used time for the offender.
    let taken = decided("cn-classic", Choice::TakeOwnTime, Some(ms(1_250)), [None; 2]);
    assert_eq!(left(&taken), [ms(5_388_750), ms(5_390_000)]);
    // Less than a millisecond is time, too.
    let little = Duration::from_micros(900);
    let given = decided("fide-2023", Choice::AddOpponentTime, Some(little), [None; 2]);
    assert_eq!(left(&given), [ms(5_390_000), ms(5_390_000) + little]);
    let report = decided(
        "fide-2023",
        Choice::AddOpponentTime,
        Some(Duration::ZERO),
        [None; 2],
    );
    assert_eq!(report.rulings[2].reason, Reason::MissingFact);
    assert_eq!(report.missing_facts[0].fact, "time");
    assert_eq!(left(&report), [ms(5_390_000), ms(5_390_000)]);
}
