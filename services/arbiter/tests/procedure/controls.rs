//! What the time control decides of the laws: how fast a game is, which part of them holds, and which guideline.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Event, EventKind, Period, QuickplayClaim, Reason, Report, TimeCategory, TimeControl, replay,
};
use tabiya_rules::{Board, Game, Variant};

use crate::events::*;

/// Articles that are cited where there is a time control only; the tests below expect them.
pub(crate) const CITED: [&str; 7] = ["A.1", "B.1", "A.6", "B.4", "III.1", "III.2.1", "III.2.2"];

fn ruled(ruleset: &str, overrides: &[(&str, &str)], periods: Vec<Period>, events: &[Event]) -> Report {
    let overrides: Vec<_> = overrides
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let ruleset = rulesets().find(ruleset).unwrap();
    let ruleset = ruleset.with_overrides(&overrides).unwrap();
    let control = TimeControl::new(periods).unwrap();
    let start = Game::new(Board::startpos());
    replay(&ruleset, &start, Variant::Standard, Some(&control), events)
}

/// A.1, B.1: by the time for sixty moves. A.6, B.4: which rules hold the event says; a ruleset that is not for such games
/// does not know it.
#[test]
fn which_rules_hold_is_asked_where_the_ruleset_is_for_other_games() {
    use TimeCategory::{Blitz, Rapid, Standard};

    for (minutes, increment, category) in [
        (90, 30, Standard),
        (60, 0, Standard),
        // 59 minutes and 59 times a second are a second less than an hour.
        (59, 0, Rapid),
        (30, 29, Rapid),
        (30, 30, Standard),
        (10, 1, Rapid),
        (10, 0, Blitz),
        (3, 2, Blitz),
        (5, 5, Blitz),
        (5, 6, Rapid),
    ] {
        for (ruleset, its, articles) in [
            (F, Some(Standard), &["A.1", "B.1", "A.6", "B.4"][..]),
            (A4, Some(Rapid), &["A.1", "A.6", "B.4"]),
            (A5, Some(Rapid), &["A.1", "A.6", "B.4"]),
            (B2, Some(Blitz), &["B.1", "A.6", "B.4"]),
            (B3, Some(Blitz), &["B.1", "A.6", "B.4"]),
            (CN, None, &[]),
            ("popular", None, &[]),
        ] {
            let report = ruled(ruleset, &[], vec![period(0, minutes, increment)], &[]);
            assert_eq!(report.category, Some(category), "{minutes}+{increment}");
            let missing: Vec<_> = report
                .missing_facts
                .iter()
                .map(|missing| (missing.event, missing.fact, &missing.articles[..]))
                .collect();
            match its.is_none_or(|its| its == category) {
                true => assert!(missing.is_empty(), "{ruleset} {minutes}+{increment}: {missing:?}"),
                false => {
                    let articles: Vec<_> = articles.iter().map(|number| (*number).to_owned()).collect();
                    assert_eq!(
                        missing,
                        [(None, "ruleset", &articles[..])],
                        "{ruleset} {minutes}+{increment}"
                    );
                }
            }
        }
    }
}

fn asks(claim: QuickplayClaim) -> Event {
    let remaining = Some(Duration::from_secs(60));
    at(W, EventKind::QuickplayClaim { claim, remaining })
}

/// III.1, III.2.1, III.2.2: announced, without increment, never for blitz, and in the last period only. III.4 to III.6 leave
/// what is asked to the arbiter.
#[test]
fn the_guideline_is_for_the_last_period_of_slow_games_without_increment() {
    let announced = [("guideline_iii", "true")];
    for (claim, article) in [
        (QuickplayClaim::Increment, "III.4"),
        (QuickplayClaim::NormalMeans, "III.5"),
        (QuickplayClaim::Unsupervised, "III.6"),
    ] {
        let asked = |ruleset, overrides: &[_], periods| {
            let report = ruled(ruleset, overrides, periods, &[asks(claim)]);
            let ruling = &report.rulings[0];
            assert!(report.conclusion.is_none(), "{article}: {report:?}");
            (ruling.accepted, ruling.reason, ruling.articles.clone())
        };
        let left = match claim {
            QuickplayClaim::Unsupervised => Reason::AwaitsDecision,
            _ => Reason::LeftToArbiter,
        };
        let own = vec![article.to_owned()];
        for (ruleset, minutes) in [(F, 90), (A4, 25), (A5, 25)] {
            let here = || vec![period(0, minutes, 0)];
            assert_eq!(
                asked(ruleset, &announced, here()),
                (true, left, own.clone()),
                "{ruleset}"
            );
            assert_eq!(
                asked(ruleset, &[], here()),
                (false, Reason::MissingFact, own.clone()),
                "{ruleset}"
            );
            let with_increment = vec![period(0, minutes, 5)];
            let scope = vec!["III.2.1".to_owned(), "III.2.2".to_owned()];
            assert_eq!(
                asked(ruleset, &announced, with_increment),
                (false, Reason::QuickplayElsewhere, scope),
                "{ruleset}"
            );
        }
        for ruleset in [B2, B3] {
            let scope = vec!["III.2.1".to_owned(), "III.2.2".to_owned()];
            let blitz = asked(ruleset, &[], vec![period(0, 5, 0)]);
            assert_eq!(blitz, (false, Reason::QuickplayElsewhere, scope), "{ruleset}");
        }
        let earlier = vec![period(40, 90, 0), period(0, 30, 0)];
        let timed = [when(5340, asks(claim))];
        let report = ruled(F, &announced, earlier, &timed);
        assert_eq!(report.rulings[0].reason, Reason::QuickplayBefore);
        assert_eq!(report.rulings[0].articles, [article, "III.1"]);
        // The older code and the lay texts know no such thing.
        for ruleset in [CN, "popular", "club", "online-platform"] {
            let none = asked(ruleset, &[], vec![period(0, 90, 0)]);
            assert_eq!(none, (false, Reason::Unstated, vec![]), "{ruleset}");
        }
    }
}
