//! A question to a search, with everything that it takes to answer it.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use tabiya_api::{
    convert::{SearchQuestion, duration_message, iteration_message, result_message},
    error::ServiceError,
    v1::{self, StoppedBy},
};
use tabiya_evaluator::line_bytes;
use tabiya_search::{Limits, Searcher};

use crate::{
    compute::{Lent, Timed},
    engine::{Engine, Fetched, Means, SEARCHER_BYTES, Seat, Served, Sought},
};

/// Nodes of a search that had no thread before its deadline: enough to look at each move once, in most positions.
const RESCUE_NODES: u64 = 200;

/// A question that was read, with what it is to be searched with.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) question: SearchQuestion,
    pub(super) network: Arc<Served>,
    pub(super) seat: Seat,
}

/// A question with everything that its search needs.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) engine: Engine,
    question: Arc<SearchQuestion>,
    network: Arc<Served>,
    seat: Seat,
    /// When the caller's deadline wants the answer to be on its way.
    pub(super) answer_by: Option<Instant>,
    submitted: Instant,
}

impl Job {
    pub(super) fn new(engine: &Engine, prepared: Prepared, answer_by: Option<Instant>) -> Self {
        let Prepared {
            question,
            network,
            seat,
        } = prepared;
        Self {
            engine: engine.clone(),
            question: Arc::new(question),
            network,
            seat,
            answer_by,
            submitted: Instant::now(),
        }
    }

    /// Threads to help a search that is about to begin: as many as it may have and are free.
    pub(super) fn helpers(&self) -> Vec<Lent> {
        if self.seat.takes_helpers() {
            self.engine.interactive.lend(self.question.threads as usize - 1)
        } else {
            Vec::new()
        }
    }

    /// Place of its network.
    pub(super) fn network(&self) -> usize {
        self.network.place
    }

    /// Where it takes its evaluations from.
    pub(super) fn seat(&self) -> &Seat {
        &self.seat
    }

    /// Bytes that the search takes.
    pub(super) fn bytes(&self) -> usize {
        let line = line_bytes(self.network.network.architecture().width);
        self.question.limits.table_bytes() + (SEARCHER_BYTES + line) * self.question.threads as usize
    }

    /// How long the search may take by its own limits, from where it begins.
    pub(super) fn time(&self) -> Option<Duration> {
        self.question.limits.time
    }

    /// Plies from the start of a game to the position, by its own count of moves.
    pub(super) fn ply(&self) -> u64 {
        let board = self.question.position.board();
        2 * u64::from(board.fullmove_number()) + board.side_to_move().index() as u64
    }

    /// The same question as the next of several that have to be answered in time. If nothing else says how long it may
    /// take, it gets its share of the time that is left; what it leaves of it is for those after it.
    pub(super) fn next_of(&self, count: usize) -> Self {
        let limits = &self.question.limits;
        let own = limits.nodes.is_some() || limits.time.is_some();
        let now = Instant::now();
        let share = |by: Instant| now + by.saturating_duration_since(now) / count.max(1) as u32;
        Self {
            answer_by: if own {
                self.answer_by
            } else {
                self.answer_by.map(share)
            },
            ..self.clone()
        }
    }

    /// The question's limits for a search that begins now, takes no longer than `longest` and answers in time.
    pub(super) fn limits(&self, longest: Duration) -> Limits {
        let asked = &self.question.limits;
        let last = Instant::now().checked_add(longest);
        match self.answer_by {
            Some(by) => Limits {
                deadline: Some(last.map_or(by, |last| last.min(by))),
                ..asked.clone()
            },
            None => Limits {
                // Our own end shall not count as a limit that the caller gave.
                nodes: asked.effective_nodes(),
                deadline: last,
                ..asked.clone()
            },
        }
    }

    /// Searches on the calling thread and in place of those lent. The answer says what ended it, unless that was the flag.
    pub(super) fn run(
        &self,
        limits: &Limits,
        means: Means<'_>,
        stop: &AtomicBool,
        heard: &mut dyn FnMut(v1::AnalyzeResponse),
    ) -> Result<v1::AnalyzeResponse, ServiceError> {
        let queue_time = self.submitted.elapsed();
        let position = &self.question.position;
        let threads = 1 + means.helpers.len() as u32;
        let on_iteration = &mut |iteration: &tabiya_search::Iteration<'_>, mean_batch: f64| {
            let message = iteration_message(position, iteration, threads);
            heard(self.labelled(message, mean_batch, queue_time));
        };
        let (network, question) = (&self.network.network, &self.question);
        let tables = &self.engine.tables;
        let mut own = means.tables.is_none().then(|| tables.take(limits));
        let means = Means {
            tables: means.tables.or(own.as_mut()),
            ..means
        };
        let sought = self
            .seat
            .search(network, question, limits, means, stop, on_iteration);
        if let Some(own) = own {
            tables.give_back(own);
        }
        Ok(self.answer(&sought?, limits, queue_time))
    }

    /// Searches beside many others on a device, once there is room.
    pub(super) async fn run_in_fiber(
        &self,
        limits: Limits,
        stop: Arc<AtomicBool>,
    ) -> Result<Timed<v1::AnalyzeResponse>, ServiceError> {
        let Fetched { sought, queue_time } = self
            .engine
            .fibers
            .search(&self.network, &self.question, limits.clone(), stop)
            .await?;
        let value = self.answer(&sought, &limits, queue_time);
        Ok(Timed {
            value,
            queue_time,
            compute_time: sought.result.elapsed,
        })
    }

    /// The end of a search, in the words of the contract.
    fn answer(&self, sought: &Sought, limits: &Limits, queue_time: Duration) -> v1::AnalyzeResponse {
        let message = result_message(&self.question.position, &sought.result);
        let mut answer = self.labelled(message, sought.mean_batch, queue_time);
        let end = ended_by(&sought.result, limits, self.answer_by);
        let searches = &self.engine.metrics.searches;
        searches.count(self.seat.backend(), &sought.result, end);
        self.set_end(&mut answer, end);
        answer
    }

    /// Writes what ended a search, and whether the same request gives the same answer again.
    pub(super) fn set_end(&self, answer: &mut v1::AnalyzeResponse, cause: StoppedBy) {
        answer.set_stopped_by(cause);
        if let Some(stats) = &mut answer.stats {
            let by_itself = matches!(
                cause,
                StoppedBy::Nodes | StoppedBy::Depth | StoppedBy::Mate | StoppedBy::NoLegalMoves
            );
            stats.deterministic = by_itself && self.question.threads == 1;
        }
    }

    fn labelled(
        &self,
        mut answer: v1::AnalyzeResponse,
        mean_batch: f64,
        queue_time: Duration,
    ) -> v1::AnalyzeResponse {
        if let Some(stats) = &mut answer.stats {
            stats.set_backend(self.seat.backend());
            stats.network = self.network.name().into();
            stats.mean_batch_size = mean_batch;
            stats.queue_time = Some(duration_message(queue_time));
        }
        answer
    }

    /// A legal move and a little thought for a call that no thread had time for.
    ///
    /// On the spot: it is little, and a hand-over would put it behind the very searches that took its time.
    pub(super) fn rescue(&self) -> Result<v1::AnalyzeResponse, ServiceError> {
        let rescued = Self {
            seat: Seat::Kernel(tabiya_evaluator::AnyKernel::best()),
            ..self.clone()
        };
        let limits = Limits::nodes(RESCUE_NODES);
        // To clear tables for whoever comes next would take longer than the search.
        let mut tables = Searcher::new(limits.table_bytes());
        let means = Means {
            tables: Some(&mut tables),
            ..Means::default()
        };
        let mut answer = rescued.run(&limits, means, &AtomicBool::new(false), &mut |_| {})?;
        if answer.stopped_by() != StoppedBy::NoLegalMoves {
            // The nodes were not the caller's limit.
            answer.set_stopped_by(StoppedBy::Unspecified);
        }
        Ok(answer)
    }
}

/// What ended a search, as far as the search itself knows.
fn ended_by(result: &tabiya_search::SearchResult, limits: &Limits, answer_by: Option<Instant>) -> StoppedBy {
    match result.stopped_by {
        tabiya_search::StoppedBy::Nodes => StoppedBy::Nodes,
        tabiya_search::StoppedBy::Depth => StoppedBy::Depth,
        tabiya_search::StoppedBy::Mate => StoppedBy::Mate,
        tabiya_search::StoppedBy::Time if limits.time.is_some_and(|time| result.elapsed >= time) => {
            StoppedBy::Time
        }
        tabiya_search::StoppedBy::Time if answer_by.is_some() && limits.deadline == answer_by => {
            StoppedBy::Deadline
        }
        // The longest time that this server gives a search.
        tabiya_search::StoppedBy::Time => StoppedBy::Time,
        tabiya_search::StoppedBy::Exhausted if result.best_move.is_none() => StoppedBy::NoLegalMoves,
        tabiya_search::StoppedBy::Exhausted => StoppedBy::Depth,
        tabiya_search::StoppedBy::Stop => StoppedBy::Unspecified,
    }
}
