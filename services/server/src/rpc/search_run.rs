//! One search that somebody waits for: on a thread of the pool, stopped when nobody waits any more, and answered in
//! time whatever happens.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tabiya_api::{
    error::ServiceError,
    v1::{self, StoppedBy},
};
use tokio::sync::{mpsc, watch};

use super::{Context, search_job::Job};
use crate::{
    compute::{StopGuard, Ticket, Timed},
    engine::Means,
    metrics::Shed,
    phase::Phase,
};

/// After the time to answer, the search's own clock gets this long to notice.
const SLACK: Duration = Duration::from_millis(2);

/// After it was told to stop, a search that has no iteration yet gets this long to say what it found.
const PATIENCE: Duration = Duration::from_millis(3);

/// How much longer it has for its first iteration where the server ends and no deadline does.
const LAST_PATIENCE: Duration = Duration::from_millis(20);

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
    /// When a thread has to have been free, until that time has come.
    begin_by: Option<Instant>,
    /// When the search began, for the time that it may take; nobody tells it once it is over.
    begun: watch::Receiver<Option<Instant>>,
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
        // A search that a thread and memory are free for begins now, however late the system lets that thread run.
        let memory = &job.engine.memory;
        let is_free = job.engine.interactive.has_free() && memory.taken() + job.bytes() <= memory.limit();
        let (begin, begun) = watch::channel(is_free.then(Instant::now));
        // Bounded by the number of iterations, which the greatest depth bounds.
        let (sender, iterations) = mpsc::unbounded_channel();
        let work = {
            let (job, stop, best) = (job.clone(), guard.flag(), best.clone());
            move || {
                let is_late = || job.answer_by.is_some_and(|by| Instant::now() >= by);
                let memory = job.engine.memory.take(job.bytes(), job.answer_by, &stop);
                if memory.is_none() || is_late() {
                    let searches = &job.engine.metrics.searches;
                    if memory.is_none() {
                        searches.no_memory.inc();
                    } else {
                        searches.no_thread.inc();
                    }
                    let mut late = job.rescue()?;
                    if is_late() && late.stopped_by() == StoppedBy::Unspecified {
                        job.set_end(&mut late, StoppedBy::Deadline);
                    }
                    return Ok(late);
                }
                begin.send_if_modified(|begun| begun.replace(begun.unwrap_or_else(Instant::now)).is_none());
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
        let ticket = match job.answer_by {
            // The caller has said how long he waits, and is answered by then whatever stands before him.
            Some(_) => job.engine.interactive.submit(1, work)?,
            None => {
                let rounds = job.engine.interactive_rounds;
                job.engine.interactive.submit_within(rounds, work)?
            }
        };
        let longest = context.arrived.checked_add(job.engine.longest_call);
        let begin_by = job.answer_by.or(longest);
        Ok(Self {
            iterations,
            waiter: Waiter {
                job,
                ticket,
                guard,
                best,
                begin_by,
                begun,
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
                () = time_is_up(&mut self.begun, self.job.time()) => self.stop(StoppedBy::Time),
                () = self.job.engine.lifecycle.reached(Phase::Stopping) => self.stop(StoppedBy::Shutdown),
                () = at(self.begin_by) => {
                    self.begin_by = None;
                    if self.ticket.withdraw() {
                        return self.without_thread();
                    }
                }
            }
        }
        if self.ticket.withdraw() {
            return self.without_thread();
        }
        // A thread that ran would have looked at the clock before the search was told: the system has others to run, and the deadline
        // is near.
        if self.told == Some(StoppedBy::Deadline)
            && let Some(last) = self.last()
        {
            return Ok(self.ended(last));
        }
        if let Ok(timed) = tokio::time::timeout(PATIENCE, &mut self.ticket).await {
            return self.finished(timed?);
        }
        if let Some(last) = self.last() {
            return Ok(self.ended(last));
        }
        // Its thread did not get to finish even the first one.
        if self.told == Some(StoppedBy::Shutdown)
            && let Ok(timed) = tokio::time::timeout(LAST_PATIENCE, &mut self.ticket).await
        {
            return self.finished(timed?);
        }
        self.rescued()
    }

    /// The answer where no thread came free for the search.
    fn without_thread(&mut self) -> Found {
        if self.told.is_none() {
            if self.job.answer_by.is_none() {
                return Err(self.job.engine.interactive.overloaded(Shed::TooLate));
            }
            self.told = Some(StoppedBy::Deadline);
        }
        self.rescued()
    }

    fn rescued(&self) -> Found {
        self.job.engine.metrics.searches.no_thread.inc();
        Ok(self.ended(self.job.rescue()?))
    }

    /// The last finished iteration.
    fn last(&self) -> Option<v1::AnalyzeResponse> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner).take()
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

/// Completes once a search has taken its time and [`SLACK`], or never if it has no limit. With more searches than cores the
/// system may not let a search's thread look at the clock for tens of milliseconds.
async fn time_is_up(begun: &mut watch::Receiver<Option<Instant>>, time: Option<Duration>) {
    let Some(time) = time else {
        return std::future::pending().await;
    };
    let begun = begun
        .wait_for(Option::is_some)
        .await
        .ok()
        .and_then(|begun| *begun);
    at(begun.and_then(|begun| begun.checked_add(time + SLACK))).await;
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
    use tabiya_evaluator::{
        Backend, BackendError, BackendInfo, BackendKind, Network, PackedPosition,
        batch::{BatchEvaluator, BatchOptions, Device, DeviceThread},
        cpu::ReferenceBatch,
    };
    use tabiya_rules::{Board, Variant, uci};

    use super::*;
    use crate::{
        Config, GpuPolicy,
        engine::{Engine, Seat},
        health::Proof,
        phase::Lifecycle,
        rpc::search_job::Prepared,
    };

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
        let prepared = Prepared {
            question,
            network: engine.networks.default_one().clone(),
            seat: Seat::scalar(),
        };
        Job::new(engine, prepared, None)
    }

    /// How a device breaks.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fault {
        Lost,
        Hangs,
    }

    /// A device that does so many batches well before it breaks.
    struct Breaking {
        inner: ReferenceBatch,
        info: BackendInfo,
        left: usize,
        fault: Fault,
    }

    impl Backend for Breaking {
        fn network(&self) -> &Arc<Network> {
            self.inner.network()
        }

        fn info(&self) -> &BackendInfo {
            &self.info
        }

        fn evaluate_raw(
            &mut self,
            positions: &[PackedPosition],
            out: &mut [i32],
        ) -> Result<(), BackendError> {
            if let Some(left) = self.left.checked_sub(1) {
                self.left = left;
                return self.inner.evaluate_raw(positions, out);
            }
            if self.fault == Fault::Hangs {
                std::thread::sleep(Duration::from_secs(3600));
            }
            Err(BackendError::DeviceLost("it broke".to_owned()))
        }
    }

    /// When a hanging device is given up.
    const GIVEN_UP: Duration = Duration::from_secs(2);

    fn breaking(network: &Arc<Network>, left: usize, fault: Fault) -> Arc<BatchEvaluator> {
        let mut devices = Some(Breaking {
            inner: ReferenceBatch::new(network.clone()),
            info: BackendInfo {
                name: "breaking".to_owned(),
                kind: BackendKind::Gpu,
                device: "test".to_owned(),
                driver: String::new(),
            },
            left,
            fault,
        });
        let open = move || {
            // Another is not to be had.
            let device = devices.take().ok_or("none is left")?;
            let device = DeviceThread::start(Box::new(device), 256, GIVEN_UP);
            Ok(Arc::new(device.map_err(|error| error.to_string())?) as Arc<dyn Device>)
        };
        let evaluator = BatchEvaluator::start_with_device(network, &BatchOptions::default(), Box::new(open));
        Arc::new(evaluator.unwrap())
    }

    /// A device that is lost or hangs, from the start or in the middle of a search, costs no answer.
    #[tokio::test]
    async fn a_lost_device_leaves_the_answer_and_its_time() {
        let engine = engine();
        for fault in [Fault::Lost, Fault::Hangs] {
            for left in [0, 60] {
                let batches = breaking(&engine.networks.default_one().network, left, fault);
                let request = v1::BestMoveRequest {
                    limits: Some(v1::Limits {
                        depth: 99,
                        ..Default::default()
                    }),
                    backend: v1::Backend::Gpu.into(),
                    ..Default::default()
                };
                let question = search_question(&request, Asked::WithDeadline, 1).unwrap();
                let begun = Instant::now();
                // Answers are due long before the deadline, for machines that do something else meanwhile.
                let (answer_by, deadline) = (Duration::from_millis(500), Duration::from_secs(10));
                let prepared = Prepared {
                    question,
                    network: engine.networks.default_one().clone(),
                    seat: Seat::Device(batches.clone()),
                };
                let job = Job::new(&engine, prepared, Some(begun + answer_by));
                let context = Context::of(tonic::Request::new(())).0;
                let answer = SearchRun::start(job, context).unwrap().finish().await.unwrap();
                let took = begun.elapsed();
                println!("{fault:?} after {left}: {} after {took:?}", answer.best_move);
                assert!(
                    took >= answer_by && took < deadline,
                    "{fault:?}, {left}: {took:?}"
                );
                assert_eq!(answer.stopped_by(), StoppedBy::Deadline);
                let legal = uci::parse(&Board::startpos(), &answer.best_move, Variant::Standard);
                assert!(legal.is_ok(), "{answer:?}");
                if fault == Fault::Lost {
                    assert!(batches.status().device_health.reason().is_some());
                }
            }
        }
        engine.close();
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
                begun: watch::channel(None).1,
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
