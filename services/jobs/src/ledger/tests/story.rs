//! Whole stories of a job: workers that die, freeze and answer late, processes that start again, items that end whoever
//! touches them. Every item ends with exactly one result.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Answer,
    Error,
}

/// How an item behaves when it is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    Good,
    /// The search fails.
    Fails,
    /// The process of the worker ends.
    Kills,
}

struct World {
    items: u32,
    natures: Vec<Nature>,
    now: Duration,
    ledger: Ledger,
    /// What is on disk.
    results: BTreeMap<u32, Outcome>,
    writes: u32,
    tasks: BTreeMap<u32, Kept>,
    restarts: u32,
    /// What each worker of the process holds.
    workers: Vec<Option<(LeaseId, Task)>>,
}

const CHUNK: u32 = 8;

/// What is on disk of a task.
#[derive(Clone, Copy)]
struct Kept {
    count: u32,
    past: Past,
    deaths: u32,
}

impl World {
    fn new(natures: Vec<Nature>) -> Self {
        let mut world = Self {
            items: natures.len() as u32,
            natures,
            now: Duration::ZERO,
            ledger: Ledger::new(PERIOD),
            results: BTreeMap::new(),
            writes: 0,
            tasks: BTreeMap::new(),
            restarts: 0,
            workers: vec![None; 3],
        };
        world.restart();
        world
    }

    fn is_over(&self) -> bool {
        self.results.len() as u32 == self.items
    }

    /// Everything but the disk is new.
    fn restart(&mut self) {
        self.restarts += 1;
        self.ledger = Ledger::new(PERIOD);
        self.workers.fill(None);
        self.reconcile();
    }

    fn reconcile(&mut self) {
        let mut spans = Vec::new();
        for first in (0..self.items).step_by(CHUNK as usize) {
            let Some(chunk) = Span::new(first, (first + CHUNK).min(self.items)) else {
                continue;
            };
            if chunk.places().all(|place| self.results.contains_key(&place)) {
                continue;
            }
            let known: Vec<_> = self
                .tasks
                .range(chunk.places())
                .map(|(&first, &kept)| (first, kept))
                .collect();
            if known.is_empty() {
                spans.push((chunk, NEW));
            }
            spans.extend(
                known
                    .into_iter()
                    .map(|(first, kept)| (span(first, kept.count), kept.past)),
            );
        }
        self.ledger.ensure(&id("a"), &pins("1"), &spans, Duration::ZERO);
    }

    fn kept(&mut self, task: &Task) -> &mut Kept {
        let kept = self.tasks.entry(task.span.first).or_insert(Kept {
            count: task.span.count,
            past: task.past,
            deaths: 0,
        });
        if kept.count != task.span.count {
            *kept = Kept {
                count: task.span.count,
                past: task.past,
                deaths: 0,
            };
        }
        kept
    }

    fn lease(&mut self, worker: usize) {
        let is_suspect =
            |held: &Option<(LeaseId, Task)>| matches!(held, Some((_, task)) if task.past.suspect);
        // Who has a suspect lets nobody else take anything.
        if self.workers[worker].is_none()
            && !self.workers.iter().any(is_suspect)
            && let Some((lease, task)) = self.ledger.lease(self.now, &[pins("1")])
        {
            self.kept(&task).past.suspect = true;
            self.workers[worker] = Some((lease, task));
        }
    }

    fn write(&mut self, place: u32, outcome: Outcome) {
        if let std::collections::btree_map::Entry::Vacant(entry) = self.results.entry(place) {
            entry.insert(outcome);
            self.writes += 1;
        }
    }

    /// The worker gets to the end of its try, in time or late.
    fn finish(&mut self, worker: usize) {
        let holders = self.workers.iter().flatten().count();
        let Some((lease, task)) = self.workers[worker].take() else {
            return;
        };
        let mut verdict = Verdict::Try;
        let before = self.kept(&task).deaths;
        if task.past.suspect {
            if holders > 1 {
                // It waits until it is alone.
                self.workers[worker] = Some((lease, task));
                return;
            }
            self.kept(&task).deaths += 1;
            verdict = Verdict::after_deaths(task.span, before);
        }
        let missing: Vec<u32> = task
            .span
            .places()
            .filter(|place| !self.results.contains_key(place))
            .collect();
        let verdict = match verdict {
            Verdict::Try => {
                if missing
                    .iter()
                    .any(|&place| self.natures[place as usize] == Nature::Kills)
                {
                    self.restart();
                    return;
                }
                let fails = |place: &u32| self.natures[*place as usize] == Nature::Fails;
                let failed = missing.iter().any(fails);
                for place in missing {
                    if self.natures[place as usize] == Nature::Good {
                        self.write(place, Outcome::Answer);
                    }
                }
                if !failed {
                    let _ = self.ledger.done(self.now, lease);
                    return;
                }
                Verdict::after_failure(&task)
            }
            other => other,
        };
        let ended = match verdict {
            Verdict::Try => {
                *self.kept(&task) = Kept {
                    count: task.span.count,
                    past: Past {
                        failures: task.tries(),
                        suspect: false,
                    },
                    deaths: before,
                };
                self.ledger.give_back(self.now, lease, seconds(1), true)
            }
            Verdict::Split(first, second) => {
                // On disk first, as the store does it, whether or not the lease still holds.
                for part in [first, second] {
                    let past = Past {
                        failures: 0,
                        ..task.past
                    };
                    let kept = Kept {
                        count: part.count,
                        past,
                        deaths: 0,
                    };
                    self.tasks.insert(part.first, kept);
                }
                self.ledger.split(self.now, lease, &[first, second])
            }
            Verdict::GiveUp => {
                self.write(task.span.first, Outcome::Error);
                self.ledger.done(self.now, lease)
            }
        };
        let _ = ended;
    }
}

fn natures() -> impl Strategy<Value = Vec<Nature>> {
    let nature = prop_oneof![
        12 => Just(Nature::Good),
        1 => Just(Nature::Fails),
        1 => Just(Nature::Kills),
    ];
    prop::collection::vec(nature, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_item_ends_with_one_result(natures in natures(), fate in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut world = World::new(natures);
        for byte in fate {
            let worker = usize::from(byte >> 4) % world.workers.len();
            match byte % 16 {
                0..6 => world.lease(worker),
                6..12 => world.finish(worker),
                // The worker dies or is cut off; somebody new has its name.
                12 => world.workers[worker] = None,
                13 => world.now += seconds(7),
                14 => world.now += PERIOD,
                _ => world.restart(),
            }
        }
        // From here on nothing happens to the workers but what the items do to them.
        let mut rounds = 0;
        while !world.is_over() {
            rounds += 1;
            prop_assert!(rounds < 1000, "it does not end");
            for worker in 0..world.workers.len() {
                world.lease(worker);
                world.finish(worker);
            }
            world.now += seconds(10);
        }
        prop_assert_eq!(world.writes, world.items);
        let errors: BTreeSet<u32> = world
            .results
            .iter()
            .filter(|(_, outcome)| **outcome == Outcome::Error)
            .map(|(&place, _)| place)
            .collect();
        for (place, nature) in (0..).zip(&world.natures) {
            // However often the process ends around it, what does nothing wrong gets its answer.
            prop_assert_eq!(errors.contains(&place), *nature != Nature::Good, "{}", place);
        }
    }
}

/// Items that do nothing wrong get answers, however often their neighbours end the process around them.
#[test]
fn neighbours_of_what_kills_are_answered() {
    let mut natures = vec![Nature::Good; 24];
    natures[5] = Nature::Kills;
    natures[6] = Nature::Kills;
    natures[23] = Nature::Fails;
    let mut world = World::new(natures);
    let begun = world.restarts;
    while !world.is_over() {
        for worker in 0..3 {
            world.lease(worker);
        }
        for worker in [2, 1, 0] {
            world.finish(worker);
        }
        world.now += seconds(2);
    }
    let errors: Vec<_> = world
        .results
        .iter()
        .filter(|(_, outcome)| **outcome == Outcome::Error)
        .collect();
    assert_eq!(
        errors.iter().map(|(place, _)| **place).collect::<Vec<_>>(),
        [5, 6, 23]
    );
    // One of the chunk of 8 in company. Alone, one of it, of one half and of both its halves, and three of each of the two
    // items.
    assert_eq!(world.restarts - begun, 1 + 1 + 1 + 2 + 2 * 3);
}
