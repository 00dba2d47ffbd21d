//! Clocks that were stopped stand until they are started: after a pause (6.11.3, 9.5.1) and after a seal (I.1.1, 13.1).

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Effect, Event, EventKind, PauseReason, Reason, Report, replay},
};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::events::*;

fn ruled(ruleset: &str, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let start = Game::new(Board::startpos());
    replay(
        ruleset,
        &start,
        Variant::Standard,
        Some(&guillotine(6000)),
        events,
    )
}

fn pause(at_second: u64, actor: Option<Color>, reason: PauseReason) -> Event {
    when(at_second, at(actor, EventKind::Pause { reason }))
}

fn start(at_second: u64) -> Event {
    when(at_second, at(ARBITER, EventKind::ClockStart))
}

/// What both clocks show, in seconds, and which runs.
fn clocks(report: &Report) -> ([u64; 2], Option<Color>) {
    let clocks = report.clocks.unwrap();
    (clocks.sides.map(|side| side.remaining.as_secs()), clocks.running)
}

fn names_a_clock(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::ClockRuns { .. }))
}

/// Rulings that would name a running clock, while the clocks stand.
#[test]
fn no_ruling_but_the_start_ends_a_pause() {
    let wrong = claim(W, ThreefoldRepetition, None, None);
    for (ruleset, others) in [
        (F, vec![displaced(W)]),
        (F, vec![wrong.clone()]),
        (F, vec![mv(W, "g1g4"), press(W)]),
        (F, vec![mv(W, "e2e4"), press(W)]),
        (F, vec![touch(W, "g1", false), mv(W, "e2e4"), press(W)]),
        (CN, vec![displaced(W)]),
        (CN, vec![mv(W, "g1g4"), report(ARBITER, false, true)]),
    ] {
        let mut list = vec![pause(100, W, PauseReason::Assistance)];
        let others = (101..).zip(others).map(|(second, event)| when(second, event));
        list.extend(others);
        list.push(when(500, adjust(ARBITER, "e2", None)));
        let before = ruled(ruleset, &list);
        let (left, running) = clocks(&before);
        assert_eq!(running, None, "{ruleset} {list:?}");
        assert_eq!(left[0], 5900, "{ruleset} {list:?}");
        let named = |ruling: &tabiya_arbiter::replay::Ruling| names_a_clock(&ruling.effects);
        assert!(
            !before.rulings.iter().any(named),
            "{ruleset} {:?}",
            before.rulings
        );
        // The arbiter starts the clock of whose turn it is.
        list.push(start(600));
        list.push(when(650, adjust(ARBITER, "e2", None)));
        let (after, running) = clocks(&ruled(ruleset, &list));
        let side = running.unwrap();
        assert_eq!(after[side.index()], left[side.index()] - 50, "{ruleset} {list:?}");
    }
}

/// The clocks that a player stopped for his claim run again once it is ruled on (9.5.1, 10.13).
#[test]
fn a_claim_ends_its_own_pause() {
    for ruleset in [F, CN] {
        let wrong = claim(W, ThreefoldRepetition, None, None);
        let list = [pause(100, W, PauseReason::Claim), when(400, wrong.clone())];
        let (_, running) = clocks(&ruled(ruleset, &list));
        assert_eq!(running, W, "{ruleset}");
        let list = [
            pause(100, W, PauseReason::Claim),
            pause(110, W, PauseReason::Assistance),
            when(400, wrong),
        ];
        let (_, running) = clocks(&ruled(ruleset, &list));
        assert_eq!(running, None, "{ruleset}");
    }
}

/// Where no article leaves the start to the arbiter, the press that completes the move starts the clock (5.6(5)).
#[test]
fn the_press_after_a_promotion_starts_the_clock() {
    let list = [
        pause(100, W, PauseReason::PromotionPiece),
        when(300, mv(W, "e2e4")),
        when(310, press(W)),
        when(330, adjust(ARBITER, "e2", None)),
    ];
    assert_eq!(clocks(&ruled(CN, &list)), ([5900, 5980], B));
    let (left, running) = clocks(&ruled(F, &list));
    assert_eq!((left, running), ([5900, 6000], None));
}

/// A player who puts the pieces back in the other's turn has his own clock started (7.4.1).
#[test]
fn the_start_knows_whose_time_it_is() {
    let list = [
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(20, displaced(W)),
        pause(30, B, PauseReason::Assistance),
        start(100),
        when(120, adjust(ARBITER, "e2", None)),
    ];
    assert_eq!(clocks(&ruled(F, &list)), ([6000 - 11 - 10 - 20, 6000 - 9], W));
}

#[test]
fn an_adjourned_game_has_no_clock_to_start_or_stop() {
    for ruleset in [F, CN] {
        let sealed = when(100, seal("e2e4", true));
        for (event, rule) in [
            (start(200), "seal"),
            (pause(200, B, PauseReason::Assistance), "seal"),
        ] {
            let report = ruled(ruleset, &[sealed.clone(), event]);
            let ruling = &report.rulings[1];
            assert_eq!(
                (ruling.accepted, ruling.reason),
                (false, Reason::Adjourned),
                "{ruleset}"
            );
            assert_eq!(ruling.rules[0].name(), rule);
            assert_eq!(report.clocks.unwrap().running, None, "{ruleset}");
        }
        // Nor does a ruling on something else start one; the resumption does.
        let list = [
            sealed.clone(),
            when(150, displaced(W)),
            when(200, resume(true, 0)),
            when(260, adjust(ARBITER, "e2", None)),
        ];
        let report = ruled(ruleset, &list[..2]);
        assert_eq!(clocks(&report), ([5900, 6000], None), "{ruleset}");
        assert!(!names_a_clock(&report.rulings[1].effects), "{ruleset}");
        assert_eq!(clocks(&ruled(ruleset, &list)), ([5900, 5940], B), "{ruleset}");
    }
}

/// While the envelope is shut, the clock of the player who has to reply runs, and that of an absent sealer once the reply
/// is sealed: they are what is stopped and started.
#[test]
fn the_clock_of_the_absent_player_is_started_again() {
    let list = [
        when(100, seal("e2e4", true)),
        when(200, resumption(false, true, 0, 0)),
        pause(210, W, PauseReason::Assistance),
        start(300),
        when(320, adjust(ARBITER, "e2", None)),
    ];
    assert_eq!(clocks(&ruled(F, &list)), ([5900, 6000 - 30], B));
    let list = [
        when(100, seal("e2e4", true)),
        when(200, resumption(true, false, 0, 0)),
        when(230, seal_by(B, "e7e5", true, None)),
        pause(240, B, PauseReason::Assistance),
        start(300),
        when(320, adjust(ARBITER, "e2", None)),
    ];
    let report = ruled(F, &list);
    assert_eq!(clocks(&report), ([5900 - 30, 6000 - 30], W));
    assert_eq!(
        report.clocks.unwrap().sides[0].remaining,
        Duration::from_secs(5870)
    );
}
