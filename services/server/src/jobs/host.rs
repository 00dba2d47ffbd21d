use std::{
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tabiya_jobs::{Company, JobId, JobStore, WorkQueue, Worker};
use tokio::{
    runtime::{self, Runtime},
    sync::watch,
    task::JoinSet,
};

use super::{
    Duty, Jobs,
    counted::{CountedQueue, CountedStore},
};
use crate::{
    Config, ServerError,
    engine::Engine,
    health::Proof,
    metrics::Metrics,
    phase::{Lifecycle, Phase},
};

/// The thread's name, and the chunk's workers'.
const NAME: &str = "tabiya-jobs";

/// The thread that keeps the place for jobs open, looks after them and works at them.
#[derive(Debug)]
pub(crate) struct JobsHost {
    begin: mpsc::Sender<(Engine, Lifecycle, Proof)>,
    thread: Option<JoinHandle<()>>,
    ended: mpsc::Receiver<()>,
}

impl JobsHost {
    /// Opens the place that the settings name; `None` if they name none.
    ///
    /// # Errors
    /// [`ServerError::Jobs`] if it cannot be used, [`ServerError::Thread`] if the system refuses a thread.
    pub(crate) fn open(config: &Config, duty: Duty) -> Result<Option<(Jobs, Self)>, ServerError> {
        if config.jobs_dir.is_none() && config.nats.is_none() {
            return Ok(None);
        }
        let (opened, answer) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let (alive, ended) = mpsc::channel();
        let config = config.clone();
        let thread = thread::Builder::new()
            .name(NAME.into())
            .spawn(move || {
                host(&config, duty, &opened, &begun);
                drop(alive);
            })
            .map_err(refused)?;
        let host = Self {
            begin,
            thread: Some(thread),
            ended,
        };
        match answer.recv() {
            Ok(opened) => opened.map(|jobs| Some((jobs, host))),
            Err(_) => Err(ServerError::Jobs(
                "the place for jobs failed while it was opened".into(),
            )),
        }
    }

    /// Begins to look after the jobs and to work at them. It ends when the server drains: chunks under way are handed
    /// back, with what was found stored.
    pub(crate) fn begin(&self, engine: &Engine, lifecycle: &Lifecycle, proof: &Proof) {
        // A thread that is gone has said why.
        let _ = self
            .begin
            .send((engine.clone(), lifecycle.clone(), proof.clone()));
    }

    /// Waits for the end; false if it has not come within `patience`.
    pub(crate) fn ends_within(&mut self, patience: Duration) -> bool {
        if self.thread.is_some() && self.ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout)
        {
            return false;
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        true
    }
}

fn refused(source: std::io::Error) -> ServerError {
    ServerError::Thread { what: NAME, source }
}

/// How often it is looked how much waits.
const LOOK: Duration = Duration::from_secs(5);

/// How often jobs are counted where each of them has to be asked for.
const COUNT: Duration = Duration::from_secs(60);

/// The whole life of the thread.
fn host(
    config: &Config,
    duty: Duty,
    opened: &mpsc::Sender<Result<Jobs, ServerError>>,
    begun: &mpsc::Receiver<(Engine, Lifecycle, Proof)>,
) {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let open = |runtime: Runtime| {
        let jobs = runtime.block_on(Jobs::open(config, duty))?;
        Ok::<_, ServerError>((runtime, jobs))
    };
    let (runtime, jobs) = match runtime.map_err(refused).and_then(open) {
        Ok(place) => place,
        Err(error) => {
            let _ = opened.send(Err(error));
            return;
        }
    };
    let _ = opened.send(Ok(jobs.clone()));
    // A server that did not start begins nothing.
    if let Ok((engine, lifecycle, proof)) = begun.recv() {
        runtime.block_on(serve(jobs, engine, lifecycle, proof));
    }
    // The disk may still be busy with what nobody waits for.
    runtime.shutdown_timeout(Duration::from_secs(1));
}

async fn serve(jobs: Jobs, engine: Engine, lifecycle: Lifecycle, proof: Proof) {
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let (_always, always) = watch::channel(jobs.coordinates());
    let leads = match &jobs.nats {
        Some(nats) if jobs.coordinates() => nats.leads(),
        _ => always,
    };
    if jobs.coordinates() {
        let coordinator = jobs.coordinator();
        let (leads, told) = (leads.clone(), stopped.clone());
        tasks.spawn(async move { coordinator.run(leads, told).await });
    }
    tasks.spawn(watch_depth(
        jobs.clone(),
        leads,
        engine.metrics.clone(),
        stopped.clone(),
    ));
    if let Some(answers) = jobs.answers() {
        tasks.spawn(follow(answers, proof, stopped.clone()));
    }
    if jobs.works {
        let compute = jobs.compute(&engine);
        let name = JobId::random();
        let store: Arc<dyn JobStore> = Arc::new(CountedStore {
            store: jobs.store.clone(),
            metrics: engine.metrics.clone(),
        });
        let queue: Arc<dyn WorkQueue> = Arc::new(CountedQueue {
            queue: jobs.queue.clone(),
            metrics: engine.metrics.clone(),
        });
        let company = Company::default();
        for slot in 0..jobs.slots(&engine) {
            let worker = Worker {
                name: format!("{name}.{slot}"),
                store: store.clone(),
                queue: queue.clone(),
                compute: compute.clone(),
                company: company.clone(),
            };
            let told = stopped.clone();
            tasks.spawn(async move { worker.run(told).await });
        }
    }
    lifecycle.reached(Phase::Draining).await;
    stop.send_replace(true);
    while let Some(ended) = tasks.join_next().await {
        if ended.is_err() {
            tracing::error!("a worker of jobs failed");
        }
    }
    // Calls in flight may still need the connection that lives on this thread.
    lifecycle.reached(Phase::Cut).await;
}

/// Keeps the gauges of what waits up to date. The jobs that run are counted by the process that looks after them.
async fn watch_depth(
    jobs: Jobs,
    leads: watch::Receiver<bool>,
    metrics: Arc<Metrics>,
    mut stop: watch::Receiver<bool>,
) {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut counted: Option<Instant> = None;
    loop {
        let depth = jobs.queue.depth().await;
        if jobs.nats.is_some() {
            metrics.jobs.broker_answers(depth.is_ok());
        }
        if let Ok(depth) = depth {
            metrics.jobs.tasks_waiting.set(count(depth.waiting));
            metrics.jobs.tasks_leased.set(count(depth.leased));
        }
        let pause = if jobs.nats.is_some() { COUNT } else { LOOK };
        if !*leads.borrow() {
            metrics.jobs.running.set(0);
            counted = None;
        } else if counted.is_none_or(|at| at.elapsed() >= pause)
            && let Ok(running) = jobs.store.unended().await
        {
            counted = Some(Instant::now());
            metrics.jobs.running.set(count(running.len() as u64));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Takes readiness away while the broker does not answer: a worker without one has nothing to do.
async fn follow(mut answers: watch::Receiver<bool>, proof: Proof, mut stop: watch::Receiver<bool>) {
    loop {
        proof.cut_off(!*answers.borrow_and_update());
        tokio::select! {
            changed = answers.changed() => if changed.is_err() {
                return;
            },
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}
