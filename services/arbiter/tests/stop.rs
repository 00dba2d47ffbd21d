//! Work that is given up when a flag is raised.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tabiya_arbiter::{
    compare::{Ruled, compare, compare_while},
    recorded::Record,
    replay::{Event, EventKind, Witness, replay, replay_until},
    ruleset::Library,
    standings::{Contest, Edition, Fraction, Rules, Scheme, System, table, table_until},
};
use tabiya_rules::{Board, Color, Game, Variant};

/// Black is walled in, which takes more than 200,000 positions to see.
const WALLED: &str = "1k6/1P1p1p1p/BP1p1p1p/1P1p1p1p/8/3P1P1P/3P1P1P/3K4 w - - 0 1";

/// White's flag falls again and again, in one position after the other.
fn flags() -> (Game, Vec<Event>) {
    let mv = |side, text: &str| {
        let kind = EventKind::Move {
            text: text.into(),
            notation: None,
            two_hands: false,
            unnoticed: false,
        };
        Event::new(Some(side), kind)
    };
    let flag = EventKind::FlagFall {
        side: Some(Color::White),
        last_period: None,
        witness: Witness::Arbiter,
        confirmed: None,
    };
    let mut events = Vec::new();
    for (turn, pawn) in ["d5d4", "f5f4", "h5h4", "d6d5", "f6f5", "h6h5"]
        .into_iter()
        .enumerate()
    {
        events.push(Event::new(None, flag.clone()));
        events.push(mv(Color::White, ["d1c1", "c1d1"][turn % 2]));
        events.push(mv(Color::Black, pawn));
    }
    (Game::new(Board::from_fen(WALLED).unwrap()), events)
}

#[test]
fn a_flag_that_nobody_raises_changes_nothing() {
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let (game, mut events) = flags();
    events.truncate(3);
    let ruled = replay(ruleset, &game, Variant::Standard, None, &events);
    let stop = Arc::default();
    let stoppable = replay_until(ruleset, &game, Variant::Standard, None, &events, &stop);
    assert_eq!(stoppable, Some(ruled));
    let record = Record::read("1. f3 e5 2. g4 Qh4# 0-1", 100).unwrap();
    assert_eq!(record.rule_until(ruleset, &stop), Some(record.rule(ruleset)));
}

#[test]
fn a_replay_ends_soon_after_its_flag_is_raised() {
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    let (game, events) = flags();
    let stop = Arc::<AtomicBool>::default();
    let raised = stop.clone();
    let raiser = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        raised.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let report = replay_until(ruleset, &game, Variant::Standard, None, &events, &stop);
    let ended = Instant::now();
    let since = raiser.join().unwrap();
    assert!(ended < since + Duration::from_secs(2), "{:?}", ended - since);
    // A machine that proves all of it in less time has nothing to give up.
    if ended > since {
        assert_eq!(report, None);
    }
    assert_eq!(
        replay_until(ruleset, &game, Variant::Standard, None, &events, &stop),
        None
    );
}

#[test]
fn a_comparison_ends_when_it_is_not_wanted_any_more() {
    let library = Library::built_in().unwrap();
    let rulesets = ["fide-2023", "popular"].map(|id| library.find(id).unwrap());
    let (game, events) = (
        Game::new(Board::from_fen("8/8/4k3/8/8/3K4/8/7R w - - 0 1").unwrap()),
        flags().1,
    );
    let reports = rulesets.map(|ruleset| replay(ruleset, &game, Variant::Standard, None, &events));
    let ruled = [0, 1].map(|at| Ruled {
        ruleset: rulesets[at],
        events: &events,
        report: &reports[at],
    });
    let all = compare(&ruled, Variant::Standard);
    let (mut heard, mut calls) = (Vec::new(), 0);
    compare_while(&ruled, Variant::Standard, &mut |mut found| {
        heard.append(&mut found);
        calls += 1;
        false
    });
    assert_eq!(calls, 1);
    assert!(heard.len() < all.len() && all.starts_with(&heard), "{heard:?}");
}

#[test]
fn a_ranking_ends_with_its_flag() {
    let contest = Contest {
        people: vec![Default::default(); 3],
        rows: vec![Vec::new(); 3],
        rounds: 1,
        system: System::Swiss,
        scheme: Scheme::STANDARD,
        extra: vec![Fraction::ZERO; 3],
        teams: None,
    };
    let (field, rules) = (contest.field(), Rules::of(Vec::new(), Edition::default()));
    let ranked = table(&field, &rules);
    assert_eq!(table_until(&field, &rules, &AtomicBool::new(false)), Some(ranked));
    assert_eq!(table_until(&field, &rules, &AtomicBool::new(true)), None);
}
