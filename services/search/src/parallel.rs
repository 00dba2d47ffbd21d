//! One search on several threads that share the table.
//!
//! Each thread deepens on its own, with its own statistics; what it finds out reaches the others by the table, whose
//! entries are read and written with atomics and recognised when half of one was overwritten. Helping threads leave
//! different depths out, so that some are always ahead. Nodes come out of one store, in portions: a node limit is never
//! exceeded by the sum, and of the last portions each thread leaves fewer than [`HELP_PORTION`] untouched.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use tabiya_evaluator::Evaluator;
use tabiya_rules::Game;

use crate::budget::Budget;
use crate::crew::{Crew, PORTION, Ration, Work};
use crate::mind::Mind;
use crate::worker::{Skipped, Worker};
use crate::{Iteration, Limits, Options, SearchResult, Searcher, StoppedBy};

/// Nodes that a thread takes from the common store at a time.
pub const HELP_PORTION: u64 = PORTION;
/// Stack of a helping thread, in bytes; only pages touched take memory.
const STACK: usize = 4 << 20;

/// The right to run one helping thread. It is dropped when that thread has ended.
pub trait Helper: Send {
    /// Whether the thread is needed for something else: it then leaves the search within microseconds.
    fn is_called_away(&self) -> bool {
        false
    }
}

/// A thread that stays as long as the search goes on.
impl Helper for () {}

/// Who searches besides the calling thread, and with what.
pub struct Team<'a, E, H> {
    /// Makes an evaluator; called once on each thread.
    pub make: &'a (dyn Fn() -> E + Sync),
    /// One for each helping thread.
    pub helpers: Vec<H>,
}

/// Depths that helping threads leave out, in turn.
const SKIPPED: [Skipped; 6] = [
    |depth| depth % 3 == 2,
    |depth| depth % 4 == 2,
    |depth| depth % 2 == 0,
    |depth| depth % 3 == 1,
    |depth| depth % 4 == 3,
    |depth| depth % 2 == 1,
];

/// Ends the helpers when it is dropped, also by a panic.
struct Finish<'a>(&'a AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl Searcher {
    /// Finds the best move with the calling thread and one more for each helper; with none it is the same as
    /// [`Searcher::search`].
    ///
    /// The answer is that of the deepest iteration finished by any thread, the calling thread's first; `on_iteration`
    /// hears of the calling thread's. Work is the sum over the threads. A helper whose thread the system refuses is
    /// dropped unused; [`SearchResult::threads`] tells how many searched.
    pub fn search_with_helpers<E: Evaluator, H: Helper>(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &Options,
        team: Team<'_, E, H>,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Iteration<'_>),
    ) -> SearchResult {
        let Team { make, helpers } = team;
        let mut evaluator = make();
        if helpers.is_empty() {
            return self.search(game, limits, options, &mut evaluator, stop, on_iteration);
        }
        self.table.age();
        self.helpers
            .resize_with(helpers.len().max(self.helpers.len()), Mind::new);
        let table = &self.table;
        let crew = Crew::new(
            limits.effective_nodes().unwrap_or(u64::MAX),
            1 + helpers.len(),
            stop,
        );
        // What ends an iteration early, such as a mate found, is for the first thread to say.
        let helping = Limits {
            mate: None,
            budget: None,
            ..limits.clone()
        };
        thread::scope(|scope| {
            let finish = Finish(&crew.finished);
            let mut running = Vec::with_capacity(helpers.len());
            for (index, (helper, mind)) in helpers.into_iter().zip(&mut self.helpers).enumerate() {
                let (crew, helping) = (&crew, &helping);
                let help = move || {
                    let mut evaluator = make();
                    let ration = Ration {
                        crew,
                        thread: index + 1,
                        leave: &|| helper.is_called_away(),
                    };
                    let budget = Budget::rationed(helping, options.clock_interval, &crew.finished, ration);
                    let mut worker = Worker::new(table, mind, &mut evaluator, budget, game, options);
                    worker.skipped = SKIPPED[index % SKIPPED.len()];
                    let result = worker.deepen(game.board(), helping, options.multi_pv, &mut |_| {});
                    // For what the first thread reports while it goes on alone.
                    crew.record(index + 1, worker.budget.work);
                    result
                };
                let builder = thread::Builder::new()
                    .name(format!("search-{}", index + 1))
                    .stack_size(STACK);
                match builder.spawn_scoped(scope, help) {
                    Ok(handle) => running.push(handle),
                    Err(_) => break,
                }
            }
            let ration = Ration {
                crew: &crew,
                thread: 0,
                leave: &|| false,
            };
            let budget = Budget::rationed(limits, options.clock_interval, stop, ration);
            let mut worker = Worker::new(table, &mut self.mind, &mut evaluator, budget, game, options);
            let mut result = worker.deepen(game.board(), limits, options.multi_pv, on_iteration);
            drop(finish);
            let answers: Vec<_> = running
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect();
            result.elapsed = worker.budget.elapsed();
            gather(&mut result, answers);
            result
        })
    }
}

/// Adds what the helpers did, and takes over the answer of one that came further.
fn gather(result: &mut SearchResult, answers: Vec<SearchResult>) {
    let work = |result: &SearchResult| Work {
        nodes: result.nodes,
        evaluations: result.evaluations,
        tt_hits: result.tt_hits,
        tb_hits: result.tb_hits,
    };
    let total = answers
        .iter()
        .fold(work(result), |sum, answer| sum.plus(work(answer)));
    result.threads += answers.len() as u32;
    for answer in answers {
        // A proved mate was asked for, and is what it is.
        if answer.depth > result.depth && result.stopped_by != StoppedBy::Mate {
            result.best_move = answer.best_move;
            result.ponder = answer.ponder;
            result.lines = answer.lines;
            result.score = answer.score;
            result.depth = answer.depth;
        }
    }
    result.nodes = total.nodes;
    result.evaluations = total.evaluations;
    result.tt_hits = total.tt_hits;
    result.tb_hits = total.tb_hits;
}
