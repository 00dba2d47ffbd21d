//! One search that somebody waits for: on a thread of the pool, stopped when nobody waits any more, and answered in
//! time whatever happens.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::{Duration, Instant},
};

use tabiya_api::{
    convert::{SearchQuestion, duration_message, iteration_message, result_message},
    error::ServiceError,
    v1::{self, StoppedBy},
};
use tabiya_evaluator::batch::BatchEvaluator;
use tabiya_search::Limits;
use tokio::sync::mpsc;

use super::Context;
use crate::{
    compute::{Lent, StopGuard, Ticket, Timed},
    engine::{Engine, Fetched, Means, Seat, Sought},
    phase::Phase,
};

/// After the time to answer, the search's own clock gets this long to notice.
const SLACK: Duration = Duration::from_millis(2);

/// After it was told to stop, a search gets this long before its last iteration is the answer.
const PATIENCE: Duration = Duration::from_millis(3);

/// Nodes of a search that had no thread before its deadline: enough to look at each move once, in most positions.
const RESCUE_NODES: u64 = 200;

/// A question with everything that its search needs.
#[derive(Clone, Debug)]
pub(super) struct Job {
    engine: Engine,
    question: Arc<SearchQuestion>,
    seat: Seat,
    submitted: Instant,
}

impl Job {
    pub(super) fn new(engine: &Engine, question: SearchQuestion, seat: Seat) -> Self {
        Self {
            engine: engine.clone(),
            question: Arc::new(question),
            seat,
            submitted: Instant::now(),
        }
    }

    /// Threads to help a search that is about to begin: as many as it may have and are free.
    fn helpers(&self) -> Vec<Lent> {
        if self.seat.takes_helpers() {
            self.engine.interactive.lend(self.question.threads as usize - 1)
        } else {
            Vec::new()
        }
    }

    /// Plies from the start of a game to the position, by its own count of moves.
    pub(super) fn ply(&self) -> u64 {
        let board = self.question.position.board();
        2 * u64::from(board.fullmove_number()) + board.side_to_move().index() as u64
    }

    /// The question's limits, with the time by which the answer has to be on its way.
    pub(super) fn limits(&self, answer_by: Option<Instant>) -> Limits {
        Limits {
            deadline: answer_by,
            ..self.question.limits.clone()
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
        let (network, question) = (&self.engine.network, &self.question);
        let sought = self
            .seat
            .search(network, question, limits, means, stop, on_iteration)?;
        Ok(self.answer(&sought, limits, queue_time))
    }

    /// Searches beside many others on a device, once there is room.
    pub(super) async fn run_in_fiber(
        &self,
        batches: Arc<BatchEvaluator>,
        limits: Limits,
        stop: Arc<AtomicBool>,
    ) -> Result<Timed<v1::AnalyzeResponse>, ServiceError> {
        let Fetched { sought, queue_time } = self
            .engine
            .fibers
            .search(batches, &self.question, limits.clone(), stop)
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
        self.set_end(&mut answer, ended_by(&sought.result, limits));
        answer
    }

    /// Writes what ended a search, and whether the same request gives the same answer again.
    fn set_end(&self, answer: &mut v1::AnalyzeResponse, cause: StoppedBy) {
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
            stats.network = self.engine.network.name().into();
            stats.mean_batch_size = mean_batch;
            stats.queue_time = Some(duration_message(queue_time));
        }
        answer
    }
}

/// What ended a search, as far as the search itself knows.
pub(super) fn ended_by(result: &tabiya_search::SearchResult, limits: &Limits) -> StoppedBy {
    match result.stopped_by {
        tabiya_search::StoppedBy::Nodes => StoppedBy::Nodes,
        tabiya_search::StoppedBy::Depth => StoppedBy::Depth,
        tabiya_search::StoppedBy::Mate => StoppedBy::Mate,
        tabiya_search::StoppedBy::Time if limits.time.is_some_and(|time| result.elapsed >= time) => {
            StoppedBy::Time
        }
        tabiya_search::StoppedBy::Time => StoppedBy::Deadline,
        tabiya_search::StoppedBy::Exhausted if result.best_move.is_none() => StoppedBy::NoLegalMoves,
        tabiya_search::StoppedBy::Exhausted => StoppedBy::Depth,
        tabiya_search::StoppedBy::Stop => StoppedBy::Unspecified,
    }
}

/// A search under way. Dropping it stops the search.
pub(super) struct SearchRun {
    job: Job,
    ticket: Ticket<Result<v1::AnalyzeResponse, ServiceError>>,
    guard: StopGuard,
    /// The last finished iteration, for when the search's thread does not get to answer in time.
    best: Arc<Mutex<Option<v1::AnalyzeResponse>>>,
    iterations: mpsc::UnboundedReceiver<v1::AnalyzeResponse>,
    /// The answer, while iterations stand in front of it.
    done: Option<Result<v1::AnalyzeResponse, ServiceError>>,
    answer_by: Option<Instant>,
    context: Context,
}

impl SearchRun {
    /// Queues a search.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the queue is full.
    pub(super) fn start(job: Job, context: Context) -> Result<Self, ServiceError> {
        let guard = StopGuard::default();
        let best = Arc::<Mutex<Option<v1::AnalyzeResponse>>>::default();
        // Bounded by the number of iterations, which the greatest depth bounds.
        let (sender, iterations) = mpsc::unbounded_channel();
        let answer_by = context.answer_by();
        let limits = job.limits(answer_by);
        let work = {
            let (job, stop, best) = (job.clone(), guard.flag(), best.clone());
            move || {
                if answer_by.is_some_and(|by| Instant::now() >= by) {
                    let mut late = rescue(&job)?;
                    if late.stopped_by() == StoppedBy::Unspecified {
                        job.set_end(&mut late, StoppedBy::Deadline);
                    }
                    return Ok(late);
                }
                let means = Means {
                    helpers: job.helpers(),
                    tables: None,
                };
                job.run(&limits, means, &stop, &mut |iteration| {
                    *best.lock().unwrap_or_else(PoisonError::into_inner) = Some(iteration.clone());
                    // A call that waits for the end only has dropped the receiver.
                    let _ = sender.send(iteration);
                })
            }
        };
        context.stats.add_positions(1);
        let ticket = job.engine.interactive.submit(1, work)?;
        Ok(Self {
            job,
            ticket,
            guard,
            best,
            iterations,
            done: None,
            answer_by,
            context,
        })
    }

    /// The next iteration, or the answer. After the answer there is nothing more.
    pub(super) async fn next(&mut self) -> Result<v1::AnalyzeResponse, ServiceError> {
        if self.done.is_none() {
            tokio::select! {
                biased;
                Some(iteration) = self.iterations.recv() => return Ok(iteration),
                answer = Self::answer(
                    &self.job, &mut self.ticket, &self.guard, &self.best, self.answer_by, &self.context,
                ) => self.done = Some(answer),
            }
            // A search that goes on beyond its answer reports to nobody.
            self.iterations.close();
        }
        // What was reported before the answer stands in front of it.
        if let Ok(iteration) = self.iterations.try_recv() {
            return Ok(iteration);
        }
        self.done.take().unwrap_or(Err(ServiceError::ShuttingDown))
    }

    /// The answer, without the iterations before it.
    pub(super) async fn finish(mut self) -> Result<v1::AnalyzeResponse, ServiceError> {
        self.iterations.close();
        Self::answer(
            &self.job,
            &mut self.ticket,
            &self.guard,
            &self.best,
            self.answer_by,
            &self.context,
        )
        .await
    }

    async fn answer(
        job: &Job,
        ticket: &mut Ticket<Result<v1::AnalyzeResponse, ServiceError>>,
        guard: &StopGuard,
        best: &Mutex<Option<v1::AnalyzeResponse>>,
        answer_by: Option<Instant>,
        context: &Context,
    ) -> Result<v1::AnalyzeResponse, ServiceError> {
        let cause = tokio::select! {
            biased;
            timed = &mut *ticket => {
                let timed = timed?;
                context.stats.add_times(timed.queue_time, timed.compute_time);
                return timed.value;
            }
            () = at(answer_by.map(|by| by + SLACK)) => StoppedBy::Deadline,
            () = job.engine.lifecycle.reached(Phase::Stopping) => StoppedBy::Shutdown,
        };
        guard.stop();
        guard.stop();
        let mut answer = if ticket.withdraw() {
            rescue(job)?
        } else if let Ok(timed) = tokio::time::timeout(PATIENCE, &mut *ticket).await {
            let timed = timed?;
            context.stats.add_times(timed.queue_time, timed.compute_time);
            timed.value?
        } else {
            let last = best.lock().unwrap_or_else(PoisonError::into_inner).take();
            match last {
                Some(last) => last,
                None => ticket.await?.value?,
            }
        };
        if answer.stopped_by() == StoppedBy::Unspecified {
            job.set_end(&mut answer, cause);
        }
        Ok(answer)
    }
}

/// A legal move and a little thought for a call that no thread had time for.
///
/// On the spot: it takes a fraction of a millisecond, and every hand-over between threads costs more than that on a
/// machine that is busy, which this one is.
fn rescue(job: &Job) -> Result<v1::AnalyzeResponse, ServiceError> {
    let rescued = Job {
        seat: Seat::Kernel(tabiya_evaluator::AnyKernel::best()),
        ..job.clone()
    };
    let mut answer = rescued.run(
        &Limits::nodes(RESCUE_NODES),
        Means::default(),
        &AtomicBool::new(false),
        &mut |_| {},
    )?;
    if answer.stopped_by() != StoppedBy::NoLegalMoves {
        // The nodes were not the caller's limit.
        answer.set_stopped_by(StoppedBy::Unspecified);
    }
    Ok(answer)
}

/// Completes at a point in time, or never.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
