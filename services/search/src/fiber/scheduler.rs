//! Runs fibers in groups until there is nothing left to search.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use tabiya_evaluator::{BackendError, PackedPosition};
use tabiya_rules::Game;

use super::evaluator::Reply;
use super::{FiberEvaluator, LeafBackend, STACK_BYTES};
use crate::{Limits, Options, SearchResult, Searcher};

/// Most nodes between two looks at the clock: a node may take a round trip to the device.
const CLOCK_INTERVAL: u64 = 16;

/// Bytes of the tables of running searches together from which on no more is begun.
const MAX_TABLES: usize = 1 << 30;

/// Largest table that is kept for the next search.
const KEPT_TABLE: usize = 4 << 20;

/// One search to be run.
pub struct Task<T> {
    /// Comes back with the answer.
    pub ticket: T,
    /// Position and history.
    pub game: Game,
    /// What ends the search.
    pub limits: Limits,
    /// What is asked of it.
    pub options: Options,
    /// Ends it when set, at its next leaf.
    pub stop: Arc<AtomicBool>,
}

/// What a source of tasks has to give.
pub enum Supply<T> {
    /// A task.
    Task(Box<Task<T>>),
    /// None now, perhaps later.
    NothingNow,
    /// None any more.
    Closed,
}

/// Why fibers could not go on.
#[derive(Debug, thiserror::Error)]
pub enum FiberError {
    /// The system gives no memory for another stack.
    #[error("no stack for a fiber: {0}")]
    Stack(#[source] io::Error),
    /// The backend failed.
    #[error("leaves were not evaluated: {0}")]
    Backend(#[from] BackendError),
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FiberStats {
    /// Batches sent to the backend.
    pub batches: u64,
    /// Positions in them.
    pub positions: u64,
}

/// What a fiber works on. It lies on the heap: a coroutine takes in and gives back only small things.
struct Work {
    game: Game,
    limits: Limits,
    options: Options,
    searcher: Searcher,
}

type Fiber = Coroutine<Reply, PackedPosition, Box<(SearchResult, Searcher)>, DefaultStack>;

struct Running<T> {
    ticket: T,
    stop: Arc<AtomicBool>,
    fiber: Fiber,
    /// Bytes of its table.
    table: usize,
}

struct Group<T> {
    running: Vec<Running<T>>,
    /// One for each running fiber, in the same order.
    positions: Vec<PackedPosition>,
    values: Vec<i32>,
    /// Whether the positions are with the backend.
    outstanding: bool,
}

/// Fibers of one thread. Stacks and tables are kept from task to task, but for great tables.
///
/// Memory is bounded: while the tables of running searches take 1 GiB (see [`with_table_limit`]), others wait.
///
/// [`with_table_limit`]: Self::with_table_limit
pub struct FiberScheduler<T> {
    groups: Vec<Group<T>>,
    fibers_per_group: usize,
    /// Bytes of the tables of running searches.
    tables: usize,
    max_tables: usize,
    stacks: Vec<DefaultStack>,
    searchers: Vec<Searcher>,
    stats: FiberStats,
}

impl<T> FiberScheduler<T> {
    /// A scheduler of at most `fibers` searches at a time, rounded up to a multiple of `groups`, in so many groups; each
    /// number is at least one.
    pub fn new(fibers: usize, groups: usize) -> Self {
        let groups = groups.max(1);
        let empty = || Group {
            running: Vec::new(),
            positions: Vec::new(),
            values: Vec::new(),
            outstanding: false,
        };
        Self {
            groups: (0..groups).map(|_| empty()).collect(),
            fibers_per_group: fibers.div_ceil(groups).max(1),
            tables: 0,
            max_tables: MAX_TABLES,
            stacks: Vec::new(),
            searchers: Vec::new(),
            stats: FiberStats::default(),
        }
    }

    /// The scheduler with another limit: no search is begun while the tables of those running take `bytes` or more. One
    /// may always run.
    #[must_use]
    pub fn with_table_limit(mut self, bytes: usize) -> Self {
        self.max_tables = bytes.max(1);
        self
    }

    /// Bytes of all tables, of running searches and kept.
    pub fn table_bytes(&self) -> usize {
        self.tables + self.searchers.iter().map(Searcher::table_bytes).sum::<usize>()
    }

    /// Batches and positions since the scheduler was made.
    pub fn stats(&self) -> FiberStats {
        self.stats
    }

    /// Runs tasks from `source` until it is closed and all are finished.
    ///
    /// `source` is asked whenever there is room in a group, which its first argument names: the group's positions stay
    /// together, so that a backend may have several networks, each for groups of its own. The second one says that nothing is
    /// running, so that it may block until there is a task. `finish` gets each ticket with its answer, in the order of finishing.
    ///
    /// # Errors
    /// When the backend fails or there is no memory for a stack. Every task under way is then ended and its ticket handed to
    /// `finish` with no answer; the scheduler can be run again.
    pub fn run(
        &mut self,
        source: &mut dyn FnMut(usize, bool) -> Supply<T>,
        backend: &mut dyn LeafBackend,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) -> Result<(), FiberError> {
        let outcome = self.run_groups(source, backend, finish);
        if outcome.is_err() {
            for index in 0..self.groups.len() {
                self.abandon(index, backend, finish);
            }
        }
        outcome
    }

    fn run_groups(
        &mut self,
        source: &mut dyn FnMut(usize, bool) -> Supply<T>,
        backend: &mut dyn LeafBackend,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) -> Result<(), FiberError> {
        let mut closed = false;
        loop {
            for index in 0..self.groups.len() {
                self.advance(index, backend, finish)?;
                while !closed
                    && self.groups[index].running.len() < self.fibers_per_group
                    && self.tables < self.max_tables
                {
                    let idle = self.groups.iter().all(|group| group.running.is_empty());
                    match source(index, idle) {
                        Supply::Task(task) => self.start(index, *task, finish)?,
                        Supply::NothingNow => break,
                        Supply::Closed => closed = true,
                    }
                }
                self.submit(index, backend)?;
            }
            if closed && self.groups.iter().all(|group| group.running.is_empty()) {
                return Ok(());
            }
        }
    }

    /// Collects a group's values and lets each of its fibers go on to its next leaf.
    fn advance(
        &mut self,
        index: usize,
        backend: &mut dyn LeafBackend,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) -> Result<(), FiberError> {
        let group = &mut self.groups[index];
        if !group.outstanding {
            return Ok(());
        }
        group.outstanding = false;
        group.values.resize(group.positions.len(), 0);
        backend.collect(index, &mut group.values)?;
        group.positions.clear();
        let running = std::mem::take(&mut group.running);
        let values = std::mem::take(&mut group.values);
        for (running, &value) in running.into_iter().zip(&values) {
            let stopped = running.stop.load(Relaxed);
            self.resume(
                index,
                running,
                if stopped { Reply::Stop } else { Reply::Value(value) },
                finish,
            );
        }
        self.groups[index].values = values;
        Ok(())
    }

    fn submit(&mut self, index: usize, backend: &mut dyn LeafBackend) -> Result<(), FiberError> {
        let group = &mut self.groups[index];
        if !group.positions.is_empty() {
            backend.submit(index, &group.positions)?;
            group.outstanding = true;
            self.stats.batches += 1;
            self.stats.positions += group.positions.len() as u64;
        }
        Ok(())
    }

    /// Makes a fiber of a task and runs it to its first leaf.
    fn start(
        &mut self,
        index: usize,
        task: Task<T>,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) -> Result<(), FiberError> {
        let Task {
            ticket,
            game,
            limits,
            mut options,
            stop,
        } = task;
        options.clock_interval = options.clock_interval.min(CLOCK_INTERVAL);
        let stack = match self
            .stacks
            .pop()
            .map_or_else(|| DefaultStack::new(STACK_BYTES), Ok)
        {
            Ok(stack) => stack,
            Err(error) => {
                finish(ticket, None);
                return Err(FiberError::Stack(error));
            }
        };
        let searcher = match self.searchers.pop() {
            Some(mut searcher) => {
                searcher.prepare(&limits);
                searcher
            }
            None => Searcher::new(limits.table_bytes()),
        };
        let table = searcher.table_bytes();
        self.tables += table;
        let work = Box::new(Work {
            game,
            limits,
            options,
            searcher,
        });
        let fiber = Coroutine::with_stack(stack, move |yielder, _| {
            let Work {
                game,
                limits,
                options,
                mut searcher,
            } = *work;
            let stopped = AtomicBool::new(false);
            let mut evaluator = FiberEvaluator::new(yielder, &stopped);
            let result = searcher.search(&game, &limits, &options, &mut evaluator, &stopped, &mut |_| {});
            Box::new((result, searcher))
        });
        let running = Running {
            ticket,
            stop,
            fiber,
            table,
        };
        self.resume(index, running, Reply::Start, finish);
        Ok(())
    }

    /// Lets a fiber go on, and either keeps it with the position it asks for or takes it apart.
    fn resume(
        &mut self,
        index: usize,
        mut running: Running<T>,
        reply: Reply,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) {
        match running.fiber.resume(reply) {
            CoroutineResult::Yield(position) => {
                let group = &mut self.groups[index];
                group.positions.push(position);
                group.running.push(running);
            }
            CoroutineResult::Return(answer) => {
                let (result, searcher) = *answer;
                self.stacks.push(running.fiber.into_stack());
                self.tables -= running.table;
                self.keep(searcher);
                finish(running.ticket, Some(result));
            }
        }
    }

    fn keep(&mut self, searcher: Searcher) {
        if searcher.table_bytes() <= KEPT_TABLE {
            self.searchers.push(searcher);
        }
    }

    /// Ends a group's fibers without an answer. What is still with the backend is waited for and thrown away.
    fn abandon(
        &mut self,
        index: usize,
        backend: &mut dyn LeafBackend,
        finish: &mut dyn FnMut(T, Option<SearchResult>),
    ) {
        let group = &mut self.groups[index];
        if std::mem::take(&mut group.outstanding) {
            group.values.resize(group.positions.len(), 0);
            // The run has failed already; this failure says nothing new.
            let _ = backend.collect(index, &mut group.values);
        }
        group.positions.clear();
        for mut running in std::mem::take(&mut group.running) {
            if let CoroutineResult::Return(answer) = running.fiber.resume(Reply::Stop) {
                self.stacks.push(running.fiber.into_stack());
                self.keep(answer.1);
            }
            self.tables -= running.table;
            finish(running.ticket, None);
        }
    }
}
