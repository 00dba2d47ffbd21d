//! The worker's loop over a real broker, with an engine that ends its worker at some items.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use tabiya_api::v1::{
    self, BatchAnalyzeRequest, BatchAnalyzeResponse, JobState, batch_analyze_response,
    stream_results_response::Outcome,
};
use tabiya_jobs::{Answers, Company, Compute, Coordinator, Fault, News, Pins, Worker, nats::Nats};
use tabiya_tests::Broker;
use tokio::{
    sync::{Notify, watch},
    task::{JoinHandle, JoinSet},
};

use crate::sample::{PATIENCE, all_results, id, new_job, open, pins, submitted, writer};

/// Answers each item with its place, and panics at the poisonous ones: the worker ends without a word.
struct Engine {
    pins: Pins,
    poison: BTreeSet<u32>,
    deaths: AtomicU32,
}

#[async_trait::async_trait]
impl Compute for Engine {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        Ok(vec![self.pins.clone()])
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let poisonous = requests
            .iter()
            .any(|request| request.id.parse().is_ok_and(|place| self.poison.contains(&place)));
        if poisonous {
            self.deaths.fetch_add(1, Ordering::Relaxed);
        }
        let answers = requests.into_iter().map(move |request| {
            assert!(!poisonous, "on purpose");
            let response = v1::AnalyzeResponse {
                best_move: request.id.clone(),
                ..v1::AnalyzeResponse::default()
            };
            Ok(News::Answer(BatchAnalyzeResponse {
                id: request.id,
                outcome: Some(batch_analyze_response::Outcome::Response(response)),
                ..BatchAnalyzeResponse::default()
            }))
        });
        stream::iter(answers).boxed()
    }
}

/// Keeps a worker at work: one that has died is followed by another, as by a supervisor.
fn supervise(nats: &Nats, engine: &Arc<Engine>, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let worker = Worker {
        name: "a test".to_owned(),
        store: nats.store(),
        queue: nats.queue(),
        compute: engine.clone(),
        company: Company::default(),
    };
    tokio::spawn(async move {
        loop {
            let (worker, told) = (worker.clone(), stop.clone());
            let ended = tokio::spawn(async move { worker.run(told).await }).await;
            if ended.is_ok() {
                return;
            }
        }
    })
}

async fn until_ended(nats: &Nats, name: &str) -> v1::JobState {
    let begun = Instant::now();
    loop {
        let (job, progress) = nats.store().get(&id(name)).await.unwrap().unwrap();
        assert!(progress.results <= job.items);
        if !progress.is_running(job.items) {
            return progress.state(job.items);
        }
        assert!(begun.elapsed() < PATIENCE, "{progress:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn poisonous_items_are_isolated_and_the_rest_is_done() {
    let Some(broker) = Broker::start("poisonous items in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let engine = Arc::new(Engine {
        pins: pins("1"),
        poison: [5, 40].into(),
        deaths: AtomicU32::new(0),
    });
    let (stop, stopped) = watch::channel(false);
    let workers: Vec<_> = (0..4)
        .map(|_| supervise(&nats, &engine, stopped.clone()))
        .collect();
    submitted(&nats, "poison", 64).await;
    assert_eq!(until_ended(&nats, "poison").await, JobState::CompletedWithErrors);
    let rows = all_results(&nats.store(), "poison").await;
    assert_eq!(
        rows.iter().map(|row| row.index).collect::<BTreeSet<_>>().len(),
        64
    );
    assert_eq!(rows.len(), 64);
    for row in &rows {
        match &row.outcome {
            Some(Outcome::Error(error)) => {
                assert!([5, 40].contains(&row.index), "{row:?}");
                assert_eq!(row.item_id, format!("item {}", row.index));
                assert!(error.message.contains("given up"), "{}", error.message);
            }
            _ => assert_eq!(writer(row), row.index.to_string()),
        }
    }
    let errors = rows.iter().filter(|row| writer(row).is_empty()).count();
    assert_eq!(errors, 2);
    assert!(engine.deaths.load(Ordering::Relaxed) > 8);
    let begun = Instant::now();
    while nats.queue().depth().await.unwrap() != Default::default() {
        assert!(begun.elapsed() < PATIENCE, "{:?}", nats.queue().depth().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.send_replace(true);
    for worker in workers {
        tokio::time::timeout(PATIENCE, worker).await.unwrap().unwrap();
    }
}

/// An engine that answers after a while, and ends its process at one item.
struct Mortal {
    poison: u32,
    death: Arc<Notify>,
    /// How often each item was asked for.
    asked: Mutex<BTreeMap<u32, u32>>,
}

#[async_trait::async_trait]
impl Compute for Mortal {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        Ok(vec![pins("1")])
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let (poison, death) = (self.poison, self.death.clone());
        for request in &requests {
            *self
                .asked
                .lock()
                .unwrap()
                .entry(request.id.parse().unwrap())
                .or_default() += 1;
        }
        stream::iter(requests)
            .then(move |request| {
                let death = death.clone();
                async move {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    if request.id.parse() == Ok(poison) {
                        death.notify_one();
                        std::future::pending::<()>().await;
                    }
                    let response = v1::AnalyzeResponse {
                        best_move: request.id.clone(),
                        ..v1::AnalyzeResponse::default()
                    };
                    Ok(News::Answer(BatchAnalyzeResponse {
                        id: request.id,
                        outcome: Some(batch_analyze_response::Outcome::Response(response)),
                        ..BatchAnalyzeResponse::default()
                    }))
                }
            })
            .boxed()
    }
}

/// Processes of three workers, one after the other: whenever one ends, without a word to anybody, another takes its place,
/// until the job has ended. Tells how many ended.
async fn processes(nats: &Nats, engine: &Arc<Mortal>, name: &str) -> u32 {
    let mut deaths = 0;
    let begun = Instant::now();
    loop {
        let company = Company::default();
        // Nobody stops them.
        let (_stop, stopped) = watch::channel(false);
        let mut workers = JoinSet::new();
        for slot in 0..3 {
            let worker = Worker {
                name: format!("{deaths}.{slot}"),
                store: nats.store(),
                queue: nats.queue(),
                compute: engine.clone(),
                company: company.clone(),
            };
            let stopped = stopped.clone();
            workers.spawn(async move { worker.run(stopped).await });
        }
        while tokio::time::timeout(Duration::from_millis(50), engine.death.notified())
            .await
            .is_err()
        {
            let (job, progress) = nats.store().get(&id(name)).await.unwrap().unwrap();
            if !progress.is_running(job.items) {
                return deaths;
            }
            assert!(
                begun.elapsed() < PATIENCE * 3,
                "{progress:?} after {deaths} deaths"
            );
        }
        deaths += 1;
        workers.shutdown().await;
    }
}

#[tokio::test]
async fn an_item_that_ends_its_process_takes_no_other_with_it() {
    let Some(broker) = Broker::start("an item that ends its process over NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let mut new = new_job("mortal", 6);
    new.job.chunk_items = 1;
    let job = nats.store().create(new).await.unwrap();
    nats.queue()
        .ensure(&job, &job.chunks().collect::<Vec<_>>())
        .await
        .unwrap();
    let engine = Arc::new(Mortal {
        poison: 1,
        death: Arc::default(),
        asked: Mutex::default(),
    });
    let deaths = processes(&nats, &engine, "mortal").await;
    let rows = all_results(&nats.store(), "mortal").await;
    assert_eq!(rows.len(), 6);
    for row in &rows {
        let expected = if row.index == 1 {
            String::new()
        } else {
            row.index.to_string()
        };
        assert_eq!(writer(row), expected, "{row:?}");
    }
    // Once in company, three times alone.
    assert_eq!(deaths, 4);
    assert_eq!(broker.messages("KV_tabiya_trials"), 0, "nothing stays");
}

/// What a process has begun when it ends is begun again, and nothing else.
#[tokio::test]
async fn no_more_than_a_chunk_of_each_worker_is_computed_again() {
    let Some(broker) = Broker::start("work that is done again over NATS") else {
        return;
    };
    let nats = open(&broker).await;
    submitted(&nats, "again", 160).await;
    let engine = Arc::new(Mortal {
        poison: u32::MAX,
        death: Arc::default(),
        asked: Mutex::default(),
    });
    let kills = {
        let (store, death) = (nats.store(), engine.death.clone());
        tokio::spawn(async move {
            for kill in 1..=3_u32 {
                // Each after some more was found, in the middle of chunks.
                while store.get(&id("again")).await.unwrap().unwrap().1.results < kill * 30 {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                death.notify_one();
            }
        })
    };
    let deaths = processes(&nats, &engine, "again").await;
    kills.await.unwrap();
    assert_eq!(deaths, 3);
    let rows = all_results(&nats.store(), "again").await;
    assert_eq!(
        rows.iter().map(|row| row.index).collect::<BTreeSet<_>>().len(),
        160
    );
    assert_eq!(rows.len(), 160);
    let asked = engine.asked.lock().unwrap();
    let again: u32 = asked.values().map(|times| times - 1).sum();
    assert!(again <= deaths * 3 * 16, "{again} items were computed again");
}

#[tokio::test]
async fn tasks_that_the_queue_lost_are_sent_again() {
    let Some(broker) = Broker::start("lost tasks in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let job = submitted(&nats, "lost", 100).await;
    // Everything is gone from the queue, as after a death of the broker that took what was not on its disk.
    nats.queue().forget(&id("lost")).await.unwrap();
    let engine = Arc::new(Engine {
        pins: pins("1"),
        poison: BTreeSet::new(),
        deaths: AtomicU32::new(0),
    });
    let (stop, stopped) = watch::channel(false);
    let worker = supervise(&nats, &engine, stopped);
    let coordinator = Coordinator {
        store: nats.store(),
        queue: nats.queue(),
        keep: Duration::from_secs(3600),
    };
    coordinator.send(&job).await.unwrap();
    assert_eq!(until_ended(&nats, "lost").await, JobState::Completed);
    assert_eq!(all_results(&nats.store(), "lost").await.len(), 100);
    stop.send_replace(true);
    tokio::time::timeout(PATIENCE, worker).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_rollout_never_mixes_answers() {
    let Some(broker) = Broker::start("engines of two versions over NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let engine = |version: &str| {
        Arc::new(Engine {
            pins: pins(version),
            poison: BTreeSet::new(),
            deaths: AtomicU32::new(0),
        })
    };
    submitted(&nats, "old", 48).await;
    let (stop, stopped) = watch::channel(false);
    let new = supervise(&nats, &engine("2"), stopped.clone());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (_, progress) = nats.store().get(&id("old")).await.unwrap().unwrap();
    assert_eq!(progress.results, 0);
    let old = supervise(&nats, &engine("1"), stopped);
    assert_eq!(until_ended(&nats, "old").await, JobState::Completed);
    stop.send_replace(true);
    for worker in [new, old] {
        tokio::time::timeout(PATIENCE, worker).await.unwrap().unwrap();
    }
}
