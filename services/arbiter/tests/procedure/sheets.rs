//! Score sheets: who need not record and how long, and what is completed after a flag.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Effect, Event, EventKind, Period, Reason, RecordingLapse, Report, TimeControl, replay,
};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{GoesOn, Rules},
        case,
    },
    events::*,
};

fn stopped(actor: Option<Color>, seconds: Option<u64>) -> Event {
    at(
        actor,
        EventKind::Recording {
            lapse: RecordingLapse::Stopped,
            remaining: seconds.map(Duration::from_secs),
            increment: None,
        },
    )
}

fn short(actor: Option<Color>) -> Event {
    at(
        actor,
        EventKind::Recording {
            lapse: RecordingLapse::Stopped,
            remaining: Some(Duration::from_secs(200)),
            increment: Some(Duration::ZERO),
        },
    )
}

/// 8.5: who stopped recording by 8.4 completes his sheet once a flag has fallen, and both do so with the clocks stopped.
fn after_a_flag() -> Vec<Case> {
    let need_not = || Rules(true, Reason::NeedNotRecord);
    let goes_on = || Rules(false, Reason::FlagsContinue);
    let due = |side| Effect::CompleteSheet { side };
    vec![
        case("", F, vec![short(W)], need_not(), &["8.4", "8.5.2"]).effect(due(WHITE)),
        case("", F, vec![short(W), short(B)], need_not(), &["8.4", "8.5.1"]).effect(due(BLACK)),
        case("", CN, vec![short(W)], need_not(), &["11.2", "11.6"]).effect(due(WHITE)),
        case("", "club", vec![short(W)], need_not(), &["record"]),
        case(
            "",
            F,
            vec![short(B), both_flags(false)],
            goes_on(),
            &["III.3.1", "8.5.2"],
        )
        .set("guideline_iii", "true")
        .effect(due(BLACK)),
        case(
            "",
            F,
            vec![short(W), short(B), both_flags(false)],
            goes_on(),
            &["III.3.1", "8.5.1"],
        )
        .set("guideline_iii", "true")
        .effect(Effect::ClocksPaused),
        case(
            "",
            CN,
            vec![short(B), both_flags(false)],
            goes_on(),
            &["12.8", "11.6"],
        )
        .effect(Effect::ClockRuns { side: BLACK }),
        case(
            "",
            CN,
            vec![short(W), short(B), both_flags(false)],
            goes_on(),
            &["12.8", "11.7"],
        )
        .effect(Effect::ClocksPaused),
    ]
}

/// 8.5.2 lends the opponent's sheet to the player on move only; 11.5 lends it at the borrower's expense.
fn borrowed() -> Vec<Case> {
    let borrows = |ruleset, actor, want, articles| {
        let asked = vec![lapse(actor, RecordingLapse::Borrows)];
        case("", ruleset, asked, want, articles)
    };
    let lent = || Rules(true, Reason::SheetLent);
    vec![
        borrows(F, W, lent(), &["8.5.2"]).effect(Effect::LendSheet { side: BLACK }),
        borrows(F, B, Rules(false, Reason::SheetKept), &["8.5.2"]),
        borrows(CN, B, lent(), &["11.5"])
            .effect(Effect::LendSheet { side: WHITE })
            .effect(Effect::ClockRuns { side: BLACK }),
    ]
}

#[test]
fn no_clock_is_started_off_the_move_for_a_sheet() {
    let runs = Effect::ClockRuns { side: BLACK };
    for (ruleset, lapse_kind, started) in [
        (F, RecordingLapse::Borrows, false),
        (F, RecordingLapse::OneIncomplete, false),
        (CN, RecordingLapse::OneIncomplete, true),
    ] {
        let report = case("", ruleset, vec![lapse(B, lapse_kind)], GoesOn, &[]).report();
        assert_eq!(
            report.rulings[0].effects.contains(&runs),
            started,
            "{ruleset} {lapse_kind:?}"
        );
    }
}

fn ruled(ruleset: &str, periods: Option<Vec<Period>>, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let start = Game::new(Board::startpos());
    let control = periods.map(|periods| TimeControl::new(periods).unwrap());
    replay(ruleset, &start, Variant::Standard, control.as_ref(), events)
}

/// 8.4: time that is added takes nothing away; the next period does.
#[test]
fn the_exemption_lasts_for_the_rest_of_the_period() {
    let events = [
        // 290 of 5400 seconds are left.
        when(5110, mv(W, "e2e4")),
        when(5110, press(W)),
        // An illegal move gives White two minutes: 410 are left.
        when(5111, mv(B, "e7e4")),
        when(5111, press(B)),
        when(5112, mv(B, "e7e5")),
        when(5112, press(B)),
        when(5112, stopped(W, None)),
        when(5113, stopped(B, None)),
        // The second move is the last of the period, and thirty minutes come in.
        when(5115, mv(W, "g1f3")),
        when(5115, press(W)),
        when(5115, stopped(W, None)),
    ];
    let periods = || vec![period(2, 90, 0), period(0, 30, 0)];
    let report = ruled(F, Some(periods()), &events);
    let reasons: Vec<_> = [6, 7, 10].map(|index| report.rulings[index].reason).into();
    assert_eq!(
        reasons,
        [Reason::NeedNotRecord, Reason::MustRecord, Reason::MustRecord]
    );
    assert_eq!(report.rulings[6].articles, ["8.4", "8.5.2"]);
    // Thirty seconds more a move, and nobody is exempt.
    let increments = vec![period(2, 90, 30), period(0, 30, 30)];
    let report = ruled(F, Some(increments), &events[..7]);
    assert_eq!(report.rulings[6].reason, Reason::MustRecord);
}

/// Nobody said how many periods there are, so a time that has grown may be another period's.
#[test]
fn a_time_that_has_grown_may_be_another_periods() {
    let grown = [stopped(W, Some(200)), stopped(W, Some(600))];
    let report = ruled(CN, None, &grown);
    assert_eq!(report.rulings[1].reason, Reason::MissingFact);
    assert_eq!(report.missing_facts[0].fact, "time_control");
    let report = ruled(CN, Some(vec![period(0, 120, 0)]), &grown);
    assert_eq!(report.rulings[1].reason, Reason::NeedNotRecord);
    let report = ruled(CN, None, &[stopped(W, Some(600))]);
    assert_ne!(report.rulings[0].reason, Reason::NeedNotRecord);
}

/// III.2.2, III.3.1: with an increment, which flag fell first has to be found out.
#[test]
fn two_flags_with_an_increment_are_not_drawn() {
    let library = rulesets();
    let overrides = [("guideline_iii".to_owned(), "true".to_owned())];
    let ruleset = library.find(F).unwrap().with_overrides(&overrides).unwrap();
    let start = Game::new(Board::startpos());
    for (increment, reason) in [(0, Reason::FlagsDraw), (30, Reason::QuickplayElsewhere)] {
        let control = TimeControl::new(vec![period(40, 90, increment), period(0, 30, increment)]).unwrap();
        let report = replay(
            &ruleset,
            &start,
            Variant::Standard,
            Some(&control),
            &[both_flags(true)],
        );
        assert_eq!(report.rulings[0].reason, reason);
        assert!(report.rulings[0].articles.contains(&"III.3.1".to_owned()));
        assert_eq!(report.conclusion.is_some(), increment == 0);
        let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
        assert_eq!(facts.contains(&"side"), increment > 0);
    }
}

pub(crate) fn cases() -> Vec<Case> {
    [after_a_flag(), borrowed()].into_iter().flatten().collect()
}
