//! What holds for every list of events, shown on random ones.

mod mirror;
#[path = "../support/random_events.rs"]
mod random_events;

use std::time::Duration;

use random_events::{Scope, Source, events};
use tabiya_arbiter::{
    replay::{
        Choice, Conclusion, Decision, DelayMode, Event, EventKind, Period, Report, TimeControl, replay,
    },
    ruleset::{Domain, Library, Rule, Ruleset},
};
use tabiya_rules::{Board, Game, Variant};

/// Lists for each ruleset.
const LISTS: u64 = 40;

/// Splitmix64: a seed reproduces a list.
struct Random(u64);

impl Source for Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count as u64) as usize
    }
}

const ALL: Scope = Scope {
    edits: true,
    one_sided: true,
    places: true,
    times: true,
};

/// Where a list starts.
const STARTS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 96 30",
    "8/P5k1/8/8/5r2/8/1p4K1/8 w - - 10 60",
];

fn control(seed: u64) -> Option<TimeControl> {
    let period = |moves, minutes: u64, seconds: u64, delay_mode| Period {
        moves,
        time: Duration::from_secs(60 * minutes),
        increment: Duration::from_secs(seconds),
        delay: Duration::from_secs(seconds / 2),
        delay_mode,
    };
    let (simple, bronstein) = (DelayMode::Simple, DelayMode::Bronstein);
    let periods = match seed % 3 {
        0 => return None,
        1 => vec![period(5, 60, 0, simple), period(0, 30, 0, simple)],
        _ => vec![period(0, 5, 4, bronstein)],
    };
    TimeControl::new(periods).ok()
}

/// One question: everything that a report depends on.
struct Question<'a> {
    ruleset: &'a Ruleset,
    start: Game,
    control: Option<TimeControl>,
}

impl Question<'_> {
    fn ask(&self, events: &[Event]) -> Report {
        replay(
            self.ruleset,
            &self.start,
            Variant::Standard,
            self.control.as_ref(),
            events,
        )
    }
}

/// Calls `check` with many questions, and a source for each.
fn on_every_ruleset(check: impl Fn(&Question<'_>, &mut Random, &str)) {
    for ruleset in Library::built_in().unwrap().rulesets() {
        for seed in 0..LISTS {
            let fen = STARTS[seed as usize % STARTS.len()];
            let question = Question {
                ruleset,
                start: Game::new(Board::from_fen(fen).unwrap()),
                control: control(seed / 3),
            };
            check(&question, &mut Random(seed), &format!("{} {seed}", ruleset.id));
        }
    }
}

#[test]
fn the_same_list_gives_the_same_bytes_and_a_prefix_never_knows_the_future() {
    on_every_ruleset(|question, source, name| {
        let list = events(source, &question.start, 24, ALL);
        let whole = question.ask(&list);
        assert_eq!(
            format!("{whole:?}"),
            format!("{:?}", question.ask(&list)),
            "{name}"
        );
        assert_eq!(whole.rulings.len(), list.len(), "{name}");
        for count in (0..list.len()).step_by(3) {
            let prefix = question.ask(&list[..count]);
            assert_eq!(prefix.rulings, whole.rulings[..count], "{name} {count}");
        }
    });
}

/// What a report says apart from its rulings.
fn verdict(report: &Report) -> (String, Option<Conclusion>) {
    let Report {
        status,
        conclusion,
        claimable,
        obligations,
        clocks,
        ..
    } = report;
    let rest = format!("{status:?} {claimable:?} {obligations:?} {clocks:?}");
    (rest, conclusion.clone())
}

/// Whether the laws let an event change what has ended, or the list itself.
fn reopens(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Retraction { .. }
            | EventKind::Correction { .. }
            | EventKind::TouchComplaint { .. }
            | EventKind::ArbiterDecision(Decision::Choice {
                choice: Choice::ChangeResult | Choice::Loss,
                ..
            })
    )
}

/// Whether an event is about a breach, which is punished after the end too.
fn punishes(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Breach { .. } | EventKind::ArbiterDecision(Decision::Choice { .. })
    )
}

#[test]
fn an_event_after_the_end_changes_nothing_and_is_answered() {
    let ended = std::cell::Cell::new(0);
    on_every_ruleset(|question, source, name| {
        let scope = Scope { edits: false, ..ALL };
        let list = events(source, &question.start, 30, scope);
        let Some(last) = question.ask(&list).conclusion.and_then(|end| end.event) else {
            return;
        };
        if list[last + 1..].iter().any(reopens) {
            return;
        }
        ended.set(ended.get() + 1);
        let at_end = question.ask(&list[..=last]);
        let later = question.ask(&list);
        assert_eq!(verdict(&later), verdict(&at_end), "{name}");
        let (before, after) = later.missing_facts.split_at(at_end.missing_facts.len());
        assert_eq!(before, at_end.missing_facts, "{name}");
        for missing in after {
            let event = &list[missing.event.unwrap()];
            assert!(punishes(event), "{name} {missing:?} {event:?}");
        }
        assert_eq!(later.rulings.len(), list.len(), "{name}");
    });
    assert!(ended.get() > 50, "{}", ended.get());
}

#[test]
fn a_retraction_is_the_list_without_its_event_and_a_correction_the_list_with_the_other() {
    on_every_ruleset(|question, source, name| {
        let scope = Scope {
            edits: false,
            places: false,
            ..ALL
        };
        let list = events(source, &question.start, 16, scope);
        let place = source.below(list.len());
        let arbiter = |kind| Event::new(None, kind);

        let mut retracted = list.clone();
        retracted.push(arbiter(EventKind::Retraction { event: place }));
        let mut without = list.clone();
        without.remove(place);
        let (retracted, without) = (question.ask(&retracted), question.ask(&without));
        let (said, end) = verdict(&retracted);
        let (expected, expected_end) = verdict(&without);
        assert_eq!(said, expected, "{name} without {place}");
        let moved = |end: Conclusion| Conclusion {
            // Places after the event's are one further back.
            event: end.event.map(|event| event + usize::from(event >= place)),
            ..end
        };
        assert_eq!(end, expected_end.map(moved), "{name} without {place}");

        let by = events(source, &question.start, 1, scope).remove(0);
        let at = by.at.or(list[place].at);
        let by = Event { at, ..by };
        let mut corrected = list.clone();
        corrected.push(arbiter(EventKind::Correction {
            event: place,
            by: Box::new(by.clone()),
        }));
        let mut with = list.clone();
        with[place] = by;
        let (corrected, with) = (question.ask(&corrected), question.ask(&with));
        assert_eq!(verdict(&corrected), verdict(&with), "{name} with {place}");
        assert_eq!(corrected.missing_facts, with.missing_facts, "{name} with {place}");
        // The rulings that stand now are those given, with what the correction says instead.
        let mut standing = corrected.rulings[..list.len()].to_vec();
        for ruling in &corrected.rulings[list.len()].replayed {
            standing[ruling.event] = ruling.clone();
        }
        assert_eq!(standing, with.rulings, "{name} with {place}");
    });
}

/// The ruleset, and with each switch changed to each of a few values, as far as a caller may.
fn variations(ruleset: &Ruleset) -> Vec<(String, Ruleset)> {
    let mut found = vec![(String::new(), ruleset.clone())];
    for switch in ruleset.switches.list() {
        let values: Vec<String> = match switch.domain {
            Domain::Flag => vec!["true".to_owned(), "false".to_owned()],
            Domain::Number { min, max } | Domain::Count { min, max } => {
                [min, min + 1, max.min(3)].map(|value| value.to_string()).to_vec()
            }
            Domain::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Domain::Words(_) | Domain::Form(_) => continue,
        };
        for value in values.into_iter().filter(|value| *value != switch.value) {
            let set = (switch.name.to_owned(), value);
            let changed = ruleset.with_overrides(std::slice::from_ref(&set));
            let changed = changed.ok().filter(|changed| changed.uncited().is_empty());
            found.extend(changed.map(|changed| (format!("{}={}", set.0, set.1), changed)));
        }
    }
    found
}

/// A ruling rests on articles, also where a caller changed a switch, but where the code does not mention what was asked.
/// The short codes are silent on much: clocks, seals, accidents.
#[test]
fn what_a_ruling_rests_on_is_cited() {
    for ruleset in Library::built_in().unwrap().rulesets() {
        if ["popular", "online-platform", "club"].contains(&ruleset.id.as_str()) {
            continue;
        }
        for (name, changed) in variations(ruleset) {
            for seed in 0..12 {
                let question = Question {
                    ruleset: &changed,
                    start: Game::new(Board::from_fen(STARTS[seed as usize % STARTS.len()]).unwrap()),
                    control: control(seed),
                };
                let list = events(&mut Random(seed), &question.start, 24, ALL);
                for ruling in question.ask(&list).rulings {
                    let unmentioned = |rule: &Rule| *rule == Rule::NotMentioned;
                    assert!(
                        !ruling.articles.is_empty() || ruling.rules.iter().all(unmentioned),
                        "{} {name} {seed} {ruling:?} {:?}",
                        ruleset.id,
                        list[ruling.event]
                    );
                }
            }
        }
    }
}

#[test]
fn swapping_the_colours_mirrors_the_ruling() {
    on_every_ruleset(|question, source, name| {
        let scope = Scope {
            one_sided: false,
            ..ALL
        };
        let list = events(source, &question.start, 24, scope);
        let mirrored = Question {
            ruleset: question.ruleset,
            start: mirror::game(&question.start),
            control: question.control.clone(),
        };
        let image: Vec<Event> = list.iter().map(mirror::event).collect();
        let expected = mirror::report(question.ask(&list));
        assert_eq!(
            mirror::sorted(mirrored.ask(&image)),
            mirror::sorted(expected),
            "{name}"
        );
    });
}
