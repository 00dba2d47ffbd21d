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
    engine::{Engine, Fetched, Means, SEARCHER_BYTES, Seat, Sought},
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
    /// When the caller's deadline wants the answer to be on its way.
    answer_by: Option<Instant>,
    submitted: Instant,
}

impl Job {
    pub(super) fn new(
        engine: &Engine,
        question: SearchQuestion,
        seat: Seat,
        answer_by: Option<Instant>,
    ) -> Self {
        Self {
            engine: engine.clone(),
            question: Arc::new(question),
            seat,
            answer_by,
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

    /// Bytes that the search takes.
    fn bytes(&self) -> usize {
        self.question.limits.table_bytes() + SEARCHER_BYTES * self.question.threads as usize
    }

    /// Plies from the start of a game to the position, by its own count of moves.
    pub(super) fn ply(&self) -> u64 {
        let board = self.question.position.board();
        2 * u64::from(board.fullmove_number()) + board.side_to_move().index() as u64
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
        let (network, question) = (&self.engine.network, &self.question);
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
        self.set_end(&mut answer, ended_by(&sought.result, limits, self.answer_by));
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

/// A search under way. Dropping it stops the search.
pub(super) struct SearchRun {
    iterations: mpsc::UnboundedReceiver<v1::AnalyzeResponse>,
    waiter: Waiter,
    /// The answer, while iterations stand in front of it.
    done: Option<Found>,
    /// Whether the answer was handed out.
    over: bool,
}

/// Waits for the end of a search and brings it about in time.
struct Waiter {
    job: Job,
    ticket: Ticket<Found>,
    guard: StopGuard,
    /// The last finished iteration, for when the search's thread does not get to answer in time.
    best: Arc<Mutex<Option<v1::AnalyzeResponse>>>,
    /// When a thread has to have been free, if no deadline says when an answer has to come.
    begin_by: Option<Instant>,
    /// Why the search was told to stop, once it was.
    told: Option<StoppedBy>,
    context: Context,
}

type Found = Result<v1::AnalyzeResponse, ServiceError>;

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
        let work = {
            let (job, stop, best) = (job.clone(), guard.flag(), best.clone());
            move || {
                let is_late = || job.answer_by.is_some_and(|by| Instant::now() >= by);
                let memory = job.engine.memory.take(job.bytes(), job.answer_by, &stop);
                if memory.is_none() || is_late() {
                    let mut late = rescue(&job)?;
                    if is_late() && late.stopped_by() == StoppedBy::Unspecified {
                        job.set_end(&mut late, StoppedBy::Deadline);
                    }
                    return Ok(late);
                }
                let means = Means {
                    helpers: job.helpers(),
                    tables: None,
                };
                let limits = job.limits(job.engine.longest_call);
                job.run(&limits, means, &stop, &mut |iteration| {
                    *best.lock().unwrap_or_else(PoisonError::into_inner) = Some(iteration.clone());
                    // A call that waits for the end only has dropped the receiver.
                    let _ = sender.send(iteration);
                })
            }
        };
        context.stats.add_positions(1);
        let ticket = job.engine.interactive.submit(1, work)?;
        let begin_by = match job.answer_by {
            Some(_) => None,
            None => context.arrived.checked_add(job.engine.longest_call),
        };
        Ok(Self {
            iterations,
            waiter: Waiter {
                job,
                ticket,
                guard,
                best,
                begin_by,
                told: None,
                context,
            },
            done: None,
            over: false,
        })
    }

    /// The next iteration, or the answer; `None` after the answer.
    pub(super) async fn next(&mut self) -> Option<Found> {
        if self.over {
            return None;
        }
        if self.done.is_none() {
            tokio::select! {
                biased;
                Some(iteration) = self.iterations.recv() => return Some(Ok(iteration)),
                answer = self.waiter.answer() => self.done = Some(answer),
            }
            // A search that goes on beyond its answer reports to nobody.
            self.iterations.close();
        }
        // What was reported before the answer stands in front of it.
        if let Ok(iteration) = self.iterations.try_recv() {
            return Some(Ok(iteration));
        }
        self.over = true;
        self.done.take()
    }

    /// The answer, without the iterations before it.
    pub(super) async fn finish(mut self) -> Found {
        self.iterations.close();
        self.waiter.answer().await
    }
}

impl Waiter {
    /// The answer. It may be asked for anew after its future was dropped, but not after it has been given.
    async fn answer(&mut self) -> Found {
        while self.told.is_none() {
            tokio::select! {
                biased;
                timed = &mut self.ticket => return self.finished(timed?),
                () = at(self.job.answer_by.map(|by| by + SLACK)) => self.stop(StoppedBy::Deadline),
                () = self.job.engine.lifecycle.reached(Phase::Stopping) => self.stop(StoppedBy::Shutdown),
                () = at(self.begin_by) => {
                    self.begin_by = None;
                    if self.ticket.withdraw() {
                        return Err(self.job.engine.interactive.overloaded());
                    }
                }
            }
        }
        if self.ticket.withdraw() {
            return Ok(self.ended(rescue(&self.job)?));
        }
        if let Ok(timed) = tokio::time::timeout(PATIENCE, &mut self.ticket).await {
            return self.finished(timed?);
        }
        let last = self.best.lock().unwrap_or_else(PoisonError::into_inner).take();
        match last {
            Some(last) => Ok(self.ended(last)),
            None => {
                let timed = (&mut self.ticket).await?;
                self.finished(timed)
            }
        }
    }

    fn stop(&mut self, cause: StoppedBy) {
        self.told = Some(cause);
        self.guard.stop();
    }

    fn finished(&self, timed: Timed<Found>) -> Found {
        self.context.stats.add_times(timed.queue_time, timed.compute_time);
        Ok(self.ended(timed.value?))
    }

    /// The answer with what ended it, which a search that was told to stop does not know.
    fn ended(&self, mut answer: v1::AnalyzeResponse) -> v1::AnalyzeResponse {
        if answer.stopped_by() == StoppedBy::Unspecified {
            let cause = self.told.unwrap_or(StoppedBy::Shutdown);
            self.job.set_end(&mut answer, cause);
        }
        answer
    }
}

/// A legal move and a little thought for a call that no thread had time for.
///
/// On the spot: it is little, and a hand-over would put it behind the very searches that took its time.
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

#[cfg(test)]
mod tests {
    use std::sync::{atomic::Ordering, mpsc as blocking};

    use tabiya_api::convert::{Asked, search_question};

    use super::*;
    use crate::{Config, GpuPolicy, health::Proof, phase::Lifecycle};

    fn engine() -> Engine {
        let config = Config {
            gpu: GpuPolicy::Off,
            calibration: Duration::ZERO,
            ..Config::in_process()
        };
        Engine::start(&config, Lifecycle::new(), Proof::new()).unwrap()
    }

    fn job(engine: &Engine) -> Job {
        let request = v1::BestMoveRequest {
            limits: Some(v1::Limits {
                nodes: 1,
                ..Default::default()
            }),
            ..Default::default()
        };
        let question = search_question(&request, Asked::WithoutDeadline, 1).unwrap();
        Job::new(engine, question, Seat::scalar(), None)
    }

    /// An iteration that ends just as the search is told to stop comes first, and the answer still says why it ended.
    #[tokio::test]
    async fn an_iteration_between_the_stop_and_the_answer_changes_nothing() {
        let engine = engine();
        let context = Context::of(tonic::Request::new(())).0;
        let (sender, iterations) = mpsc::unbounded_channel();
        let (release, held) = blocking::channel::<()>();
        let guard = StopGuard::default();
        let stop = guard.flag();
        let (begun, has_begun) = blocking::channel();
        let ticket = engine.interactive.submit(1, move || {
            begun.send(()).unwrap();
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            sender.send(v1::AnalyzeResponse::default()).unwrap();
            let _ = held.recv();
            Ok(v1::AnalyzeResponse::default())
        });
        has_begun.recv().unwrap();
        let mut run = SearchRun {
            iterations,
            waiter: Waiter {
                job: job(&engine),
                ticket: ticket.unwrap(),
                guard,
                best: Arc::default(),
                begin_by: None,
                told: None,
                context,
            },
            done: None,
            over: false,
        };
        engine.lifecycle.advance(Phase::Stopping);
        let iteration = run.next().await.unwrap().unwrap();
        assert_eq!(iteration.stopped_by(), StoppedBy::Unspecified);
        drop(release);
        let answer = run.next().await.unwrap().unwrap();
        assert_eq!(answer.stopped_by(), StoppedBy::Shutdown);
        assert!(run.next().await.is_none());
        engine.close();
    }
}
