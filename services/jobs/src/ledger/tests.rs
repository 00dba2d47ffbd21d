use super::*;
use crate::Verdict;

mod model;
mod story;

const PERIOD: Duration = Duration::from_secs(30);

/// The past of a task that nobody has tried.
const NEW: Past = Past {
    failures: 0,
    suspect: false,
};

fn pins(engine: &str) -> Pins {
    Pins {
        engine: engine.into(),
        network: "n".into(),
        tables: String::new(),
    }
}

fn id(name: &str) -> JobId {
    JobId::parse(name).unwrap()
}

fn span(first: u32, count: u32) -> Span {
    Span { first, count }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A ledger with one job of chunks of 10 items.
fn ledger(chunks: u32) -> Ledger {
    let mut ledger = Ledger::new(PERIOD);
    let spans: Vec<_> = (0..chunks).map(|chunk| (span(10 * chunk, 10), NEW)).collect();
    ledger.ensure(&id("a"), &pins("1"), &spans, Duration::ZERO);
    ledger
}

fn first_places(ledger: &mut Ledger, now: Duration, times: usize) -> Vec<(String, u32)> {
    let mut places = Vec::new();
    for _ in 0..times {
        if let Some((_, task)) = ledger.lease(now, &[pins("1")]) {
            places.push((task.job_id.to_string(), task.span.first));
        }
    }
    places
}

#[test]
fn a_lease_runs_out_after_its_period_and_not_before() {
    let mut ledger = ledger(1);
    let (old, task) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
    assert_eq!((task.span, task.past), (span(0, 10), NEW));
    assert_eq!(ledger.lease(seconds(29), &[pins("1")]), None);
    assert_eq!(ledger.next_change(seconds(29)), Some(seconds(30)));
    // The process lives, so nothing is held against it.
    let (new, task) = ledger.lease(seconds(30), &[pins("1")]).unwrap();
    assert_eq!(task.past, NEW);
    // The one who had it comes too late, and takes nothing from the one who has it.
    assert_eq!(ledger.renew(seconds(31), old), Err(LeaseLost));
    assert_eq!(ledger.done(seconds(31), old), Err(LeaseLost));
    assert_eq!(
        ledger.give_back(seconds(31), old, seconds(0), true),
        Err(LeaseLost)
    );
    assert_eq!(ledger.split(seconds(31), old, &[]), Err(LeaseLost));
    assert!(ledger.done(seconds(31), new).is_ok());
    assert_eq!(ledger.depth(), Depth::default());
}

#[test]
fn a_renewed_lease_holds_from_then_on() {
    let mut ledger = ledger(1);
    let (lease, _) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
    ledger.renew(seconds(29), lease).unwrap();
    assert_eq!(ledger.lease(seconds(58), &[pins("1")]), None);
    ledger.renew(seconds(58), lease).unwrap();
    assert!(ledger.done(seconds(87), lease).is_ok());
}

#[test]
fn pauses_are_kept_and_tries_counted() {
    let mut ledger = ledger(1);
    let (lease, _) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
    ledger.give_back(seconds(1), lease, seconds(5), false).unwrap();
    assert_eq!(ledger.lease(seconds(5), &[pins("1")]), None);
    assert_eq!(ledger.next_change(seconds(5)), Some(seconds(6)));
    let (lease, task) = ledger.lease(seconds(6), &[pins("1")]).unwrap();
    assert_eq!(task.tries(), 1);
    ledger.give_back(seconds(6), lease, seconds(0), true).unwrap();
    let (_, task) = ledger.lease(seconds(6), &[pins("1")]).unwrap();
    assert_eq!(task.tries(), 2);
}

#[test]
fn jobs_take_turns() {
    let mut ledger = ledger(3);
    let one = [(span(0, 5), NEW)];
    ledger.ensure(&id("b"), &pins("1"), &one, Duration::ZERO);
    let served = first_places(&mut ledger, seconds(0), 9);
    let expected = [("a", 0), ("b", 0), ("a", 10), ("a", 20)];
    assert_eq!(served, expected.map(|(job, place)| (job.to_owned(), place)));
}

#[test]
fn other_pins_are_left_alone() {
    let mut ledger = ledger(1);
    ledger.ensure(&id("b"), &pins("2"), &[(span(0, 5), NEW)], Duration::ZERO);
    let (_, task) = ledger.lease(seconds(0), &[pins("2")]).unwrap();
    assert_eq!(task.job_id, id("b"));
    assert_eq!(ledger.lease(seconds(0), &[pins("2")]), None);
    assert!(ledger.lease(seconds(0), &[pins("3"), pins("1")]).is_some());
}

#[test]
fn what_is_there_is_not_put_in_again() {
    let mut ledger = ledger(2);
    let (lease, _) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
    let again = [
        (span(0, 10), NEW),
        (span(5, 10), NEW),
        (span(10, 10), NEW),
        (span(20, 1), NEW),
    ];
    ledger.ensure(&id("a"), &pins("1"), &again, Duration::ZERO);
    assert_eq!(
        ledger.depth(),
        Depth {
            waiting: 2,
            leased: 1
        }
    );
    ledger
        .split(seconds(0), lease, &[span(0, 5), span(5, 5)])
        .unwrap();
    ledger.ensure(&id("a"), &pins("1"), &[(span(0, 10), NEW)], Duration::ZERO);
    assert_eq!(
        ledger.depth(),
        Depth {
            waiting: 4,
            leased: 0
        }
    );
    ledger.forget(&id("a"));
    assert_eq!(ledger.depth(), Depth::default());
    assert_eq!(ledger.lease(seconds(0), &[pins("1")]), None);
}

#[test]
fn who_tells_of_a_failure_is_no_suspect_and_parts_of_a_suspect_are() {
    let mut ledger = Ledger::new(PERIOD);
    let past = Past {
        failures: 0,
        suspect: true,
    };
    let spans = [(span(0, 4), past), (span(4, 4), past)];
    ledger.ensure(&id("a"), &pins("1"), &spans, Duration::ZERO);
    let (first, task) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
    assert_eq!(task.past, past);
    ledger
        .split(seconds(0), first, &[span(0, 2), span(2, 2)])
        .unwrap();
    for _ in 0..3 {
        let (lease, task) = ledger.lease(seconds(0), &[pins("1")]).unwrap();
        assert_eq!(task.past, past, "{task:?}");
        ledger.give_back(seconds(0), lease, seconds(1), true).unwrap();
    }
    for _ in 0..3 {
        let (_, task) = ledger.lease(seconds(1), &[pins("1")]).unwrap();
        assert_eq!((task.tries(), task.past.suspect), (2, false), "{task:?}");
    }
}

#[test]
fn failures_and_deaths_lead_to_halves_and_to_single_items() {
    let task = |count, failures| Task {
        job_id: id("a"),
        span: span(0, count),
        past: Past {
            failures,
            suspect: false,
        },
    };
    let halves = Verdict::Split(span(0, 5), span(5, 5));
    assert_eq!(Verdict::after_failure(&task(10, 0)), Verdict::Try);
    assert_eq!(Verdict::after_failure(&task(10, 1)), halves);
    assert_eq!(Verdict::after_failure(&task(1, 1)), Verdict::Try);
    assert_eq!(Verdict::after_failure(&task(1, 2)), Verdict::GiveUp);
    assert_eq!(Verdict::after_deaths(span(0, 10), 0), Verdict::Try);
    assert_eq!(Verdict::after_deaths(span(0, 10), 1), halves);
    assert_eq!(Verdict::after_deaths(span(0, 1), 2), Verdict::Try);
    assert_eq!(Verdict::after_deaths(span(0, 1), 3), Verdict::GiveUp);
}
