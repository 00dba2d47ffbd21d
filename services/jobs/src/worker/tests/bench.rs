//! An engine whose items behave as they are told, and workers that ask it.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::SystemTime,
};

use futures_util::{StreamExt, stream};
use tabiya_api::v1::{self, batch_analyze_response, stream_results_response::Outcome};
use tempfile::TempDir;
use tokio::{sync::Notify, task::JoinHandle};

use super::super::*;
use crate::{
    Answers, Coordinator, Embedded, News, Pins, Progress, Row,
    testing::{id, new_job, pins},
};

/// How an item behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// The search of it fails.
    Fails,
    /// The worker's code panics.
    Panics,
    /// The process ends.
    Kills,
    /// No answer comes.
    Hangs,
    /// It is wrong, whoever looks at it.
    Wrong,
}

/// An engine that answers with the item's place.
#[derive(Default)]
pub(super) struct Engine {
    pub(super) natures: HashMap<u32, Nature>,
    pub(super) pins: Mutex<Option<Vec<Pins>>>,
    pub(super) away: AtomicBool,
    /// How often it was asked about each item.
    pub(super) asked: Mutex<BTreeMap<u32, u32>>,
    /// Milliseconds before each answer.
    pub(super) slow: AtomicU32,
    /// Milliseconds for which other work stands before each search.
    pub(super) busy: AtomicU32,
    /// Told when the process is to end.
    pub(super) death: Arc<Notify>,
    /// Milliseconds for which the thread stands still before the first answer, once.
    pub(super) freeze: AtomicU32,
}

#[async_trait::async_trait]
impl Compute for Engine {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        let set = self.pins.lock().unwrap().clone();
        Ok(set.unwrap_or_else(|| vec![pins("1")]))
    }

    fn analyse(&self, requests: Vec<v1::BatchAnalyzeRequest>) -> Answers {
        if self.away.load(Ordering::Relaxed) {
            let fault = Fault::Unavailable("away".to_owned());
            return stream::once(async { Err(fault) }).boxed();
        }
        let slow = Duration::from_millis(self.slow.load(Ordering::Relaxed).into());
        let freeze = Duration::from_millis(self.freeze.swap(0, Ordering::Relaxed).into());
        let mut answers = Vec::new();
        for request in requests {
            assert_eq!(request.network, "ab", "the network is named by its hash");
            let place: u32 = request.id.parse().unwrap();
            *self.asked.lock().unwrap().entry(place).or_default() += 1;
            answers.push((request.id, self.natures.get(&place).copied()));
        }
        let busy = Duration::from_millis(self.busy.load(Ordering::Relaxed).into());
        let death = self.death.clone();
        stream::iter(answers.into_iter().enumerate())
            .flat_map(move |(nth, (name, nature))| {
                let begun = News::Begun(name.clone());
                let begins = async move {
                    tokio::time::sleep(busy).await;
                    Ok(begun)
                };
                let death = death.clone();
                let answer = async move {
                    if nth == 0 {
                        std::thread::sleep(freeze);
                    }
                    tokio::time::sleep(slow).await;
                    let error = |code, message: &str| {
                        batch_analyze_response::Outcome::Error(v1::ItemError {
                            code,
                            message: message.to_owned(),
                            violations: Vec::new(),
                        })
                    };
                    let outcome = match nature {
                        None => batch_analyze_response::Outcome::Response(v1::AnalyzeResponse {
                            best_move: format!("m{name}"),
                            ..v1::AnalyzeResponse::default()
                        }),
                        Some(Nature::Fails) => error(13, "it fails"),
                        Some(Nature::Wrong) => error(3, "it is wrong"),
                        Some(Nature::Panics) => panic!("on purpose"),
                        Some(Nature::Hangs) => std::future::pending().await,
                        Some(Nature::Kills) => {
                            death.notify_one();
                            std::future::pending().await
                        }
                    };
                    Ok(News::Answer(v1::BatchAnalyzeResponse {
                        id: name,
                        outcome: Some(outcome),
                        ..v1::BatchAnalyzeResponse::default()
                    }))
                };
                stream::once(begins).chain(stream::once(answer))
            })
            .boxed()
    }
}

/// A folder of jobs, an engine and the workers of one process.
pub(super) struct Bench {
    pub(super) folder: TempDir,
    pub(super) company: Company,
    pub(super) jobs: Arc<Embedded>,
    pub(super) engine: Arc<Engine>,
    pub(super) stop: watch::Sender<bool>,
    pub(super) workers: Vec<JoinHandle<()>>,
}

impl Bench {
    pub(super) fn new(engine: Engine) -> Self {
        Self::with_lease(engine, Duration::from_secs(30))
    }

    pub(super) fn with_lease(engine: Engine, lease: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            jobs: Arc::new(Embedded::with_lease(folder.path(), lease).unwrap()),
            folder,
            company: Company::default(),
            engine: Arc::new(engine),
            stop: watch::channel(false).0,
            workers: Vec::new(),
        }
    }

    pub(super) fn worker(&mut self) {
        let worker = Worker {
            name: format!("w{}", self.workers.len()),
            store: self.jobs.clone(),
            queue: self.jobs.clone(),
            compute: self.engine.clone(),
            company: self.company.clone(),
        };
        let stop = self.stop.subscribe();
        self.workers
            .push(tokio::spawn(async move { worker.run(stop).await }));
    }

    pub(super) async fn submit(&self, items: u32, patience_seconds: u32) {
        self.submit_in_chunks(items, patience_seconds, 16).await;
    }

    pub(super) async fn submit_in_chunks(&self, items: u32, patience_seconds: u32, chunk_items: u32) {
        let mut new = new_job("a", items);
        new.job.patience_seconds = patience_seconds;
        new.job.chunk_items = chunk_items;
        self.jobs.create(new.clone()).await.unwrap();
        self.coordinator().send(&new.job).await.unwrap();
    }

    pub(super) fn coordinator(&self) -> Coordinator {
        Coordinator {
            store: self.jobs.clone(),
            queue: self.jobs.clone(),
            keep: Duration::from_secs(60),
        }
    }

    /// Works with so many workers in one process until the job has ended. Whenever the process dies another one takes its
    /// place; tells how often that was.
    pub(super) async fn outlive(&mut self, workers: u32, items: u32) -> u32 {
        let mut deaths = 0;
        let death = self.engine.death.clone();
        loop {
            for _ in 0..workers {
                self.worker();
            }
            loop {
                if !self.progress().await.is_running(items) {
                    return deaths;
                }
                let wait = Duration::from_millis(20);
                if tokio::time::timeout(wait, death.notified()).await.is_ok() {
                    break;
                }
            }
            deaths += 1;
            assert!(deaths < 100, "{:?}", self.progress().await);
            for worker in self.workers.drain(..) {
                worker.abort();
                assert!(worker.await.unwrap_err().is_cancelled());
            }
            self.company = Company::default();
            self.reopen().await;
        }
    }

    /// Opens the folder anew, as the next process does.
    pub(super) async fn reopen(&mut self) {
        let lease = Duration::from_secs(30);
        let elsewhere = tempfile::tempdir().unwrap();
        // The one before has to be gone first.
        let before = std::mem::replace(
            &mut self.jobs,
            Arc::new(Embedded::with_lease(elsewhere.path(), lease).unwrap()),
        );
        drop(before);
        let begun = tokio::time::Instant::now();
        // A write that was under way when its worker was ended holds the file until it is through.
        let jobs = loop {
            match Embedded::with_lease(self.folder.path(), lease) {
                Ok(jobs) => break jobs,
                Err(error) => assert!(begun.elapsed() < Duration::from_secs(60), "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        self.jobs = Arc::new(jobs);
        self.coordinator()
            .round(&mut HashMap::new(), SystemTime::now())
            .await
            .unwrap();
    }

    pub(super) async fn progress(&self) -> Progress {
        self.jobs.get(&id("a")).await.unwrap().unwrap().1
    }

    /// Waits for the job's end and reads its results; workers that die are replaced, as their operator would.
    pub(super) async fn finish(&mut self, items: u32) -> BTreeMap<u32, String> {
        let begun = tokio::time::Instant::now();
        while self.progress().await.is_running(items) {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "{:?}",
                self.progress().await
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
            if self.workers.iter().all(JoinHandle::is_finished) {
                self.workers.clear();
                self.worker();
            }
        }
        let rows = self
            .jobs
            .results(&id("a"), "", usize::MAX)
            .await
            .unwrap()
            .unwrap();
        let results: BTreeMap<_, _> = rows.iter().map(|row| (row.index, text(row))).collect();
        assert_eq!(results.len(), rows.len(), "each item once");
        results
    }
}

fn text(row: &Row) -> String {
    assert_eq!(row.item_id, format!("i{}", row.index));
    match row.outcome.as_ref().unwrap() {
        Outcome::Response(response) => response.best_move.clone(),
        Outcome::Error(error) => format!("{}: {}", error.code, error.message),
    }
}

/// What a job of so many items results in, but for these.
pub(super) fn expected(items: u32, but: &[(u32, &str)]) -> BTreeMap<u32, String> {
    let mut results: BTreeMap<_, _> = (0..items).map(|place| (place, format!("m{place}"))).collect();
    results.extend(but.iter().map(|&(place, text)| (place, text.to_owned())));
    results
}
