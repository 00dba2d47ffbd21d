//! The ledger beside a slow and obvious one: a list that is gone through for every question.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
struct Slow {
    tasks: Vec<SlowTask>,
    turns: Vec<usize>,
    next_lease: u64,
}

#[derive(Clone, Debug)]
struct SlowTask {
    job: usize,
    span: Span,
    failures: u32,
    /// Who holds it, and until when; or from when it may be taken.
    held: Result<(u64, Duration), Duration>,
}

impl Slow {
    fn ensure(&mut self, job: usize, spans: &[(Span, u32)], from: Duration) {
        for &(span, failures) in spans {
            let crosses = |task: &SlowTask| {
                task.job == job && task.span.places().any(|place| span.places().contains(&place))
            };
            if !self.tasks.iter().any(crosses) {
                self.tasks.push(SlowTask {
                    job,
                    span,
                    failures,
                    held: Err(from),
                });
            }
        }
        if !self.turns.contains(&job) {
            self.turns.push(job);
        }
        self.tidy();
    }

    fn tidy(&mut self) {
        let tasks = &self.tasks;
        self.turns.retain(|&job| tasks.iter().any(|task| task.job == job));
    }

    fn expire(&mut self, now: Duration) {
        for task in &mut self.tasks {
            if let Ok((_, until)) = task.held
                && until <= now
            {
                task.held = Err(until);
            }
        }
    }

    fn lease(&mut self, now: Duration, engine: usize) -> Option<(u64, usize, Span, u32)> {
        self.expire(now);
        for turn in 0..self.turns.len() {
            let job = self.turns[turn];
            // A job's number says its engine.
            if job % 2 != engine {
                continue;
            }
            let free = |task: &&mut SlowTask| task.job == job && task.held.is_err_and(|from| from <= now);
            let soonest = self
                .tasks
                .iter_mut()
                .filter(free)
                .min_by_key(|task| (task.held.err(), task.span.first));
            if let Some(task) = soonest {
                let lease = self.next_lease;
                self.next_lease += 1;
                task.held = Ok((lease, now + PERIOD));
                let found = (lease, job, task.span, task.failures);
                let served = self.turns.remove(turn);
                self.turns.push(served);
                return Some(found);
            }
        }
        None
    }

    fn end(&mut self, now: Duration, lease: u64) -> Option<SlowTask> {
        self.expire(now);
        let at = self
            .tasks
            .iter()
            .position(|task| task.held.is_ok_and(|(held, _)| held == lease))?;
        let task = self.tasks.remove(at);
        self.tidy();
        Some(task)
    }

    fn renew(&mut self, now: Duration, lease: u64) -> bool {
        self.expire(now);
        for task in &mut self.tasks {
            if let Ok((held, until)) = &mut task.held
                && *held == lease
            {
                *until = now + PERIOD;
                return true;
            }
        }
        false
    }
}

#[derive(Clone, Debug)]
enum Step {
    Ensure { job: usize, first: u32, count: u32 },
    Lease { engine: usize },
    Renew { nth: usize },
    Done { nth: usize },
    GiveBack { nth: usize, pause: u64, failed: bool },
    Split { nth: usize },
    Forget { job: usize },
    Wait { seconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..4_usize, 0..40_u32, 1..12_u32).prop_map(|(job, first, count)| Step::Ensure { job, first, count }),
        4 => (0..2_usize).prop_map(|engine| Step::Lease { engine }),
        1 => (0..30_usize).prop_map(|nth| Step::Renew { nth }),
        2 => (0..30_usize).prop_map(|nth| Step::Done { nth }),
        1 => (0..30_usize, 0..40_u64, any::<bool>())
            .prop_map(|(nth, pause, failed)| Step::GiveBack { nth, pause, failed }),
        1 => (0..30_usize).prop_map(|nth| Step::Split { nth }),
        1 => (0..4_usize).prop_map(|job| Step::Forget { job }),
        2 => (0..25_u64).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_ledger_does_what_a_list_would_do(steps in prop::collection::vec(step(), 1..80)) {
        let mut ledger = Ledger::new(PERIOD);
        let mut slow = Slow { tasks: Vec::new(), turns: Vec::new(), next_lease: 0 };
        let name = |job: usize| id(&format!("j{job}"));
        let engine_of = |job: usize| pins(&(job % 2).to_string());
        let mut now = Duration::ZERO;
        let mut leases: Vec<LeaseId> = Vec::new();
        for step in steps {
            match step {
                Step::Ensure { job, first, count } => {
                    let one = span(first, count);
                    ledger.ensure(&name(job), &engine_of(job), &[(one, NEW)], Duration::ZERO);
                    slow.ensure(job, &[(one, 0)], Duration::ZERO);
                }
                Step::Lease { engine } => {
                    let found = ledger.lease(now, &[engine_of(engine)]);
                    let expected = slow.lease(now, engine);
                    let seen = found.as_ref().map(|(_, task)| (task.job_id.clone(), task.span, task.past.failures));
                    prop_assert_eq!(seen, expected.map(|(_, job, span, failures)| (name(job), span, failures)));
                    if let Some((lease, _)) = found {
                        prop_assert!(!leases.contains(&lease));
                        leases.push(lease);
                    }
                }
                Step::Renew { nth } if nth < leases.len() => {
                    prop_assert_eq!(ledger.renew(now, leases[nth]).is_ok(), slow.renew(now, nth as u64));
                }
                Step::Done { nth } if nth < leases.len() => {
                    let task = ledger.done(now, leases[nth]).ok();
                    let expected = slow.end(now, nth as u64);
                    prop_assert_eq!(task.map(|task| task.span), expected.map(|task| task.span));
                }
                Step::GiveBack { nth, pause, failed } if nth < leases.len() => {
                    let task = ledger.give_back(now, leases[nth], seconds(pause), failed).ok();
                    let expected = slow.end(now, nth as u64).map(|task| {
                        let failures = task.failures + u32::from(failed);
                        slow.ensure(task.job, &[(task.span, failures)], now + seconds(pause));
                        failures
                    });
                    prop_assert_eq!(task.map(|task| task.past.failures), expected);
                }
                Step::Split { nth } if nth < leases.len() => {
                    let Some(task) = slow.end(now, nth as u64) else {
                        prop_assert!(ledger.split(now, leases[nth], &[]).is_err());
                        continue;
                    };
                    let parts: Vec<_> = task.span.halves().map_or(vec![task.span], |(a, b)| vec![a, b]);
                    let fresh: Vec<_> = parts.iter().map(|&part| (part, 0)).collect();
                    slow.ensure(task.job, &fresh, now);
                    prop_assert!(ledger.split(now, leases[nth], &parts).is_ok());
                }
                Step::Forget { job } => {
                    ledger.forget(&name(job));
                    slow.tasks.retain(|task| task.job != job);
                    slow.tidy();
                }
                Step::Wait { seconds: wait } => now += seconds(wait),
                _ => {}
            }
            let leased = slow.tasks.iter().filter(|task| task.held.is_ok()).count() as u64;
            let depth = ledger.depth();
            prop_assert_eq!(depth.leased + depth.waiting, slow.tasks.len() as u64);
            prop_assert_eq!(depth.leased, leased);
        }
    }
}
