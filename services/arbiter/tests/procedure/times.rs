//! Periods, increments and delays on the clocks of a game; whose clock runs from when on; adjourned games on theirs.

use std::time::Duration;

use tabiya_arbiter::replay::{
    DelayMode, Effect, EnvelopeItem, Event, EventKind, Period, Reason, Report, TimeControl, replay,
};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{Case, Want::Rules, case},
    events::*,
};

fn ruled(ruleset: &str, periods: Vec<Period>, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let control = TimeControl::new(periods).unwrap();
    let start = Game::new(Board::startpos());
    replay(ruleset, &start, Variant::Standard, Some(&control), events)
}

/// Seconds left on both clocks.
fn left(report: &Report) -> [u64; 2] {
    report.clocks.unwrap().sides.map(|side| side.remaining.as_secs())
}

/// Moves of both players in turn, each pressed so many seconds after the one before.
fn moves(seconds: &[u64]) -> Vec<Event> {
    let texts = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut now = 0;
    let mut events = Vec::new();
    for (ply, used) in seconds.iter().enumerate() {
        now += used;
        let side = [W, B][ply % 2];
        events.push(when(now, mv(side, texts[ply % 4])));
        events.push(when(now, press(side)));
    }
    events
}

const WITH_CLOCKS: [&str; 4] = [F, A4, CN, "cn-domestic"];

/// 6.3.1, 12.1: so many moves in so much time, and what is saved is carried over; 6.4, 10.14: who has made one too few when
/// his flag falls has lost.
#[test]
fn time_is_carried_over_to_the_next_period() {
    for ruleset in WITH_CLOCKS {
        let periods = || vec![short_period(2, 5400), short_period(0, 1800)];
        // White saves 5400 - 300, Black 5400 - 1100.
        let events = moves(&[100, 1000, 200, 100]);
        assert_eq!(
            left(&ruled(ruleset, periods(), &events[..4])),
            [5300, 4400],
            "{ruleset}"
        );
        let report = ruled(ruleset, periods(), &events);
        assert_eq!(left(&report), [5100 + 1800, 4300 + 1800], "{ruleset}");
        let sides = report.clocks.unwrap().sides.map(|side| (side.period, side.moves));
        assert_eq!(sides, [(1, 2), (1, 2)], "{ruleset}");
        // A second before the end of what he has, and at its end.
        for (seconds, reason) in [(6899, Reason::FlagUp), (6900, Reason::FlagLoss)] {
            let later = [&events[..], &[when(1400 + seconds, flag(W))]].concat();
            let report = ruled(ruleset, periods(), &later);
            assert_eq!(
                report.rulings.last().unwrap().reason,
                reason,
                "{ruleset} {seconds}"
            );
        }
        // One move too few in the first period.
        let one = [&events[..4], &[when(1100 + 5300, flag(W))]].concat();
        let report = ruled(ruleset, periods(), &one);
        assert_eq!(
            report.rulings.last().unwrap().reason,
            Reason::FlagLoss,
            "{ruleset}"
        );
    }
}

/// 6.3.2: an increment comes with every completed move; a delay lets the clock stand first, or gives back what was used.
#[test]
fn increments_and_delays_do_what_they_say() {
    let with = |increment: u64, delay: u64, delay_mode| {
        vec![Period {
            increment: Duration::from_secs(increment),
            delay: Duration::from_secs(delay),
            delay_mode,
            ..short_period(0, 600)
        }]
    };
    let used = |ruleset, periods| left(&ruled(ruleset, periods, &moves(&[20, 5, 30])));
    for ruleset in WITH_CLOCKS {
        assert_eq!(
            used(ruleset, with(0, 0, DelayMode::Simple)),
            [550, 595],
            "{ruleset}"
        );
        assert_eq!(
            used(ruleset, with(30, 0, DelayMode::Simple)),
            [550 + 60, 595 + 30],
            "{ruleset}"
        );
        // Ten seconds free in every turn, and never more than were used.
        for mode in [DelayMode::Simple, DelayMode::Bronstein] {
            assert_eq!(
                used(ruleset, with(0, 10, mode)),
                [600 - 10 - 20, 600],
                "{ruleset} {mode:?}"
            );
        }
    }
    // While a turn lasts, one clock stands and the other runs.
    let turn = |mode| left(&ruled(F, with(0, 10, mode), &[when(8, touch(W, "e2", false))]));
    assert_eq!(turn(DelayMode::Simple), [600, 600]);
    assert_eq!(turn(DelayMode::Bronstein), [592, 600]);
    // With a second left, a delay of ten saves the first move, and by Bronstein the flag falls.
    let flagged = |mode| {
        let events = [
            when(599, mv(W, "e2e4")),
            when(599, press(W)),
            when(600, mv(B, "e7e5")),
            when(600, press(B)),
        ];
        let report = ruled(
            F,
            with(0, 10, mode),
            &[&events[..], &[when(608, flag(W))]].concat(),
        );
        report.rulings.last().unwrap().reason
    };
    assert_eq!(flagged(DelayMode::Simple), Reason::FlagUp);
    assert_eq!(flagged(DelayMode::Bronstein), Reason::FlagUp);
}

/// 6.6, 12.3: White's clock starts at the set time, whoever is there; 6.7.2: where nobody is, he loses the time. Each press
/// stops the own clock and starts the other.
#[test]
fn whites_clock_starts_on_time() {
    for ruleset in WITH_CLOCKS {
        let periods = || vec![short_period(0, 5400)];
        let first = [
            when(600, mv(W, "e2e4")),
            when(601, press(W)),
            when(700, mv(B, "e7e5")),
        ];
        let report = ruled(ruleset, periods(), &first);
        assert_eq!(
            (left(&report), report.clocks.unwrap().running),
            ([4799, 5301], B),
            "{ruleset}"
        );
        assert!(
            report.rulings[1]
                .effects
                .contains(&Effect::ClockRuns { side: BLACK })
        );
    }
    // Both come late, and within the time allowed: it is White's that has run.
    let absent = [
        when(900, arrival(W, 15, true, false)),
        when(900, arrival(B, 15, false, false)),
    ];
    for ruleset in [CN, "cn-domestic"] {
        let report = ruled(ruleset, vec![short_period(0, 5400)], &absent);
        assert!(report.rulings.iter().all(|ruling| ruling.accepted), "{ruleset}");
        assert_eq!(
            (left(&report), report.clocks.unwrap().running),
            ([4500, 5400], W),
            "{ruleset}"
        );
    }
}

/// I.5, 14.1: the game is resumed from the position before the sealed move, with the times of the adjournment, whenever that
/// is; I.9.1, 14.2: the clock that runs then is the replier's.
#[test]
fn adjourned_games_are_resumed_with_their_times() {
    let days = 3 * 24 * 3600;
    for ruleset in [F, CN, "cn-domestic"] {
        let mut events = moves(&[100, 200]);
        events.push(when(1000, seal_by(W, "e2e4", true, None)));
        events.push(when(days, resume(true, 0)));
        let adjourned = ruled(
            ruleset,
            vec![short_period(40, 7200), short_period(0, 3600)],
            &events[..5],
        );
        let then = left(&adjourned);
        assert_eq!(
            (then, adjourned.clocks.unwrap().running),
            ([7200 - 800, 7000], None),
            "{ruleset}"
        );
        let resumed = ruled(
            ruleset,
            vec![short_period(40, 7200), short_period(0, 3600)],
            &events,
        );
        assert_eq!(
            (left(&resumed), resumed.clocks.unwrap().running),
            (then, B),
            "{ruleset}"
        );
        // From then on his time is used.
        events.push(when(days + 60, mv(B, "e7e5")));
        events.push(when(days + 60, press(B)));
        let later = ruled(
            ruleset,
            vec![short_period(40, 7200), short_period(0, 3600)],
            &events,
        );
        assert_eq!(
            later.rulings.last().unwrap().reason,
            Reason::MoveCompleted,
            "{ruleset}"
        );
        assert_eq!(
            (left(&later), later.clocks.unwrap().running),
            ([then[0], 6940], W),
            "{ruleset}"
        );
    }
}

/// I.2, 13.2(1) to (5): each thing that the envelope has to say, where it does not.
fn envelopes() -> Vec<Case> {
    use EnvelopeItem::{MoveNumber, Names, Position, Resumption, Sealer, Times};

    let all = [Names, Position, Times, Sealer, MoveNumber, Resumption];
    let checked = |ruleset, items: Vec<EnvelopeItem>, accepted, reason, articles| {
        let events = vec![
            seal("e2e4", true),
            at(ARBITER, EventKind::EnvelopeChecked { items }),
        ];
        case("", ruleset, events, Rules(accepted, reason), articles)
    };
    let (complete, incomplete) = (Reason::EnvelopeComplete, Reason::EnvelopeIncomplete);
    let mut cases = vec![
        checked(F, all.to_vec(), true, complete, &["I.2", "I.3"]),
        checked(CN, all.to_vec(), true, complete, &["13.2", "13.3"]),
    ];
    for lacking in all {
        let items: Vec<_> = all.into_iter().filter(|item| *item != lacking).collect();
        let lacks = || Effect::CompleteEnvelope(vec![lacking]);
        cases.push(checked(F, items.clone(), false, incomplete, &["I.2", "I.3"]).effect(lacks()));
        // Time and place of the resumption are FIDE's alone.
        cases.push(match lacking {
            Resumption => checked(CN, items, true, complete, &["13.2"]),
            _ => checked(CN, items, false, incomplete, &["13.2"]).effect(lacks()),
        });
    }
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    envelopes()
}
