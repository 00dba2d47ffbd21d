//! Times that come with presses, with arrivals, or not at all.

use std::time::Duration;

use tabiya_arbiter::replay::{
    ClockReading, Event, EventKind, QuickplayClaim, Reason, Report, TimeControl, replay,
};
use tabiya_rules::{Board, Game, Variant};

use crate::events::*;

fn ruled(ruleset: &str, overrides: &[(&str, &str)], control: &TimeControl, events: &[Event]) -> Report {
    let overrides: Vec<_> = overrides
        .iter()
        .map(|&(k, v)| (k.to_owned(), v.to_owned()))
        .collect();
    let ruleset = rulesets().find(ruleset).unwrap();
    let ruleset = ruleset.with_overrides(&overrides).unwrap();
    let start = Game::new(Board::startpos());
    replay(&ruleset, &start, Variant::Standard, Some(control), events)
}

fn read(event: Event, white: Option<u64>, black: Option<u64>) -> Event {
    Event {
        reading: ClockReading([white, black].map(|left| left.map(Duration::from_secs))),
        ..event
    }
}

fn two_moves_then_the_rest() -> TimeControl {
    TimeControl::new(vec![period(2, 90, 0), period(0, 30, 0)]).unwrap()
}

/// A reading stands in place of a time, and the press ends the turn: moves need neither.
#[test]
fn presses_alone_carry_readings() {
    let control = two_moves_then_the_rest();
    let mut events = vec![
        mv(W, "e2e4"),
        read(press(W), Some(3000), None),
        mv(B, "e7e5"),
        read(press(B), None, Some(3000)),
        mv(W, "g1f3"),
        read(press(W), Some(100), None),
        mv(B, "b8c6"),
        read(press(B), None, Some(900)),
    ];
    let claim = EventKind::QuickplayClaim {
        claim: QuickplayClaim::NormalMeans,
        remaining: None,
    };
    events.push(at(W, claim));
    let report = ruled("fide-2023", &[("guideline_iii", "true")], &control, &events);
    assert_eq!(report.rulings[8].reason, Reason::LeftToArbiter);
    assert_eq!(report.missing_facts, []);
    let sides = report.clocks.unwrap().sides;
    let shown = sides.map(|side| (side.remaining.as_secs(), side.period, side.moves));
    assert_eq!(shown, [(100, 1, 2), (900, 1, 2)]);
    // Who need not record is known from the control: it gives no increment.
    let stops = EventKind::Recording {
        lapse: tabiya_arbiter::replay::RecordingLapse::Stopped,
        remaining: None,
        increment: None,
    };
    let record = [&events[..8], &[at(W, stops)]].concat();
    let report = ruled("fide-2023", &[], &control, &record);
    assert_eq!(report.rulings[8].reason, Reason::NeedNotRecord);
}

/// Until the press tells it, what the clocks show is not known; a reply ends the turn all the same.
#[test]
fn a_move_without_a_time_waits_for_its_press() {
    let control = guillotine(5400);
    let asked = |events: &[Event]| {
        let report = ruled("fide-2023", &[], &control, events);
        let events: Vec<_> = report
            .missing_facts
            .iter()
            .map(|missing| (missing.event, missing.fact))
            .collect();
        (
            events,
            report.clocks.map(|clocks| clocks.sides[0].remaining.as_secs()),
        )
    };
    let first = mv(W, "e2e4");
    assert_eq!(asked(std::slice::from_ref(&first)), (vec![(Some(0), "at")], None));
    assert_eq!(asked(&[first.clone(), when(10, press(W))]), (vec![], Some(5390)));
    assert_eq!(
        asked(&[first.clone(), when(30, mv(B, "e7e5"))]),
        (vec![], Some(5370))
    );
    assert_eq!(
        asked(&[first.clone(), mv(B, "e7e5")]),
        (vec![(Some(0), "at")], None)
    );
    let lost = [first.clone(), mv(B, "e7e5"), when(50, press(B))];
    assert_eq!(asked(&lost), (vec![(Some(0), "at")], None));
    // A slip that is put right before the press ends no turn.
    let slip = [mv(W, "e2e5"), first, when(10, press(W))];
    assert_eq!(asked(&slip), (vec![], Some(5390)));
}

/// What the clocks need is asked for by the article on the clock, not by the rule of movement that the move breaks.
#[test]
fn times_are_asked_for_by_articles_on_time() {
    let report = ruled("fide-2023-blitz-b3", &[], &guillotine(180), &[mv(W, "e2e5")]);
    assert_eq!(report.rulings[0].articles, ["3.7.1"]);
    let asked = &report.missing_facts[0];
    assert_eq!(
        (asked.fact, &asked.articles[..]),
        ("at", &["6.2.2".to_owned()][..])
    );
}

/// 6.6, 6.7: how late a player is counts from the start of play, when White's clock was started.
#[test]
fn an_arrival_tells_the_time() {
    let limit = [("late_limit_minutes", "30")];
    let left = |events: &[Event]| {
        let report = ruled("fide-2023", &limit, &guillotine(5400), events);
        report.clocks.unwrap().sides.map(|side| side.remaining.as_secs())
    };
    assert_eq!(left(&[late(W, 10)]), [4800, 5400]);
    assert_eq!(
        left(&[late(W, 10), when(610, mv(W, "e2e4")), when(620, press(W))]),
        [4780, 5400]
    );
    assert_eq!(
        left(&[when(10, mv(W, "e2e4")), when(10, press(W)), late(B, 20)]),
        [5390, 4210]
    );
    // What an event says of its time counts for more.
    assert_eq!(left(&[when(605, late(W, 10))]), [4795, 5400]);
}

/// 6.2.2: he may still press after the opponent has replied, and has pressed though his clock did not run.
#[test]
fn a_late_press_after_the_opponents_is_no_press_without_a_move() {
    let events = [
        when(10, mv(W, "e2e4")),
        when(20, mv(B, "e7e5")),
        when(25, press(B)),
        when(30, press(W)),
        when(40, press(B)),
        when(50, mv(W, "g1f3")),
        when(50, press(W)),
    ];
    let report = |count: usize| ruled("fide-2023", &[], &guillotine(5400), &events[..count]);
    let shown = |count: usize| {
        let clocks = report(count).clocks.unwrap();
        let left = clocks.sides.map(|side| side.remaining.as_secs());
        (left, clocks.sides.map(|side| side.moves), clocks.running)
    };
    let pressed = &report(4).rulings[3];
    assert_eq!((pressed.accepted, pressed.reason), (true, Reason::MoveCompleted));
    assert_eq!(pressed.articles, ["6.2.2", "6.2.1"]);
    // White's clock ran until he pressed, and Black's from there until he pressed again.
    assert_eq!(shown(4), ([5370, 5400], [1, 1], B));
    assert_eq!(report(5).rulings[4].reason, Reason::ClockHandedBack);
    assert_eq!(shown(5), ([5370, 5390], [1, 1], W));
    assert_eq!(shown(7), ([5360, 5390], [2, 1], B));
}

/// The time of a retraction is a time, as any event's.
#[test]
fn clocks_after_an_edit_are_those_of_its_time() {
    let events = [
        when(10, mv(W, "e2e4")),
        when(10, press(W)),
        when(30, offer(W)),
        when(4000, retract(2)),
    ];
    let clocks = ruled("fide-2023", &[], &guillotine(5400), &events)
        .clocks
        .unwrap();
    assert_eq!(clocks.sides.map(|side| side.remaining.as_secs()), [5390, 1410]);
}

/// No clock runs once the game is over (9.5.1 for the claim).
#[test]
fn both_clocks_stand_at_the_end() {
    use tabiya_arbiter::{
        ClaimGround::ThreefoldRepetition,
        replay::{Effect, GameStatus},
    };

    let mate = ["f2f3", "e7e5", "g2g4", "d8h4"];
    let sides = [W, B].into_iter().cycle();
    let play = |moves: &[&str]| -> Vec<Event> {
        let timed = moves.iter().zip(sides.clone()).zip(1..);
        timed
            .flat_map(|((text, side), second)| {
                [when(10 * second, mv(side, text)), when(10 * second, press(side))]
            })
            .collect()
    };
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
    let agreed = [
        play(&mate[..2]),
        vec![when(25, offer(W)), when(30, answer(B, true))],
    ]
    .concat();
    let claimed = [
        play(&knights),
        vec![when(100, claim(W, ThreefoldRepetition, None, None))],
    ]
    .concat();
    for events in [play(&mate), agreed, claimed, vec![when(10, resign(W))]] {
        let report = ruled("fide-2023", &[], &guillotine(5400), &events);
        assert_eq!(report.status, GameStatus::Decided);
        assert_eq!(report.clocks.unwrap().running, None);
    }
    // A pawn left on its last rank becomes a queen, and mates: nobody's clock is started.
    let pawn = Game::new(Board::from_fen("7k/P5pp/8/8/8/8/7K/8 w - - 0 1").unwrap());
    let ruleset = rulesets().find("fide-2023").unwrap();
    let events = [when(10, mv(W, "a7a8")), when(12, press(W))];
    let report = replay(
        ruleset,
        &pawn,
        Variant::Standard,
        Some(&guillotine(5400)),
        &events,
    );
    let clocks = report.clocks.unwrap();
    assert_eq!(
        (report.conclusion.unwrap().reason, clocks.running),
        (Reason::Mate, None)
    );
    let runs = |effect: &Effect| matches!(effect, Effect::ClockRuns { .. });
    assert!(!report.rulings[1].effects.iter().any(runs));
}
