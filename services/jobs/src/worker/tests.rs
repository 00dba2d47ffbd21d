mod bench;

use std::sync::atomic::{AtomicU32, Ordering};

use bench::{Bench, Engine, Nature, expected};
use tabiya_api::v1::JobState;

use super::*;
use crate::{
    Pins,
    testing::{id, pins},
};

#[tokio::test]
async fn a_job_is_answered_by_several_workers() {
    let mut bench = Bench::new(Engine::default());
    bench.worker();
    bench.worker();
    bench.submit(100, 30).await;
    assert_eq!(bench.finish(100).await, expected(100, &[]));
    assert!(
        bench
            .engine
            .asked
            .lock()
            .unwrap()
            .values()
            .all(|&times| times == 1)
    );
    assert_eq!(bench.progress().await.state(100), JobState::Completed);
}

#[tokio::test]
async fn items_that_fail_or_panic_are_isolated_and_the_rest_is_answered() {
    let natures = [(5, Nature::Panics), (18, Nature::Fails), (19, Nature::Wrong)];
    let mut bench = Bench::new(Engine {
        natures: natures.into(),
        ..Engine::default()
    });
    bench.submit(40, 30).await;
    let results = bench.finish(40).await;
    let but = [
        (5, "13: given up after 3 tries: the worker's code panicked"),
        (18, "13: given up after 3 tries: it fails"),
        (19, "3: it is wrong"),
    ];
    assert_eq!(results, expected(40, &but));
    assert_eq!(bench.progress().await.state(40), JobState::CompletedWithErrors);
    let asked = bench.engine.asked.lock().unwrap();
    // Two tries of 16, 8, 4 and 2 items, and three of the item alone.
    assert_eq!((asked[&5], asked[&39]), (11, 1));
}

#[tokio::test]
async fn an_item_that_hangs_is_given_up() {
    let engine = Engine {
        natures: [(0, Nature::Hangs)].into(),
        ..Engine::default()
    };
    let mut bench = Bench::with_lease(engine, Duration::from_secs(1));
    bench.submit(1, 1).await;
    let results = bench.finish(1).await;
    assert_eq!(
        results[&0],
        "13: given up after 3 tries: a search did not end within 1 s"
    );
}

#[tokio::test]
async fn waiting_behind_others_is_no_try() {
    let engine = Engine {
        // Longer than an item may take.
        busy: AtomicU32::new(2_500),
        ..Engine::default()
    };
    let mut bench = Bench::with_lease(engine, Duration::from_secs(1));
    bench.worker();
    bench.submit(2, 1).await;
    assert_eq!(bench.finish(2).await, expected(2, &[]));
    let asked = bench.engine.asked.lock().unwrap();
    assert_eq!(asked.values().copied().collect::<Vec<_>>(), [1, 1], "one try");
}

#[tokio::test]
async fn an_item_that_ends_its_process_takes_no_other_with_it() {
    let engine = Engine {
        natures: [(1, Nature::Kills), (4, Nature::Kills)].into(),
        // Its neighbours are under way whenever the process ends, if they are begun beside it.
        slow: AtomicU32::new(100),
        ..Engine::default()
    };
    let mut bench = Bench::new(engine);
    bench.submit_in_chunks(6, 30, 1).await;
    let deaths = bench.outlive(3, 6).await;
    let reason = "13: given up after 3 tries: each ended its worker, which did nothing else";
    assert_eq!(bench.finish(6).await, expected(6, &[(1, reason), (4, reason)]));
    // Both may end the process in company once, the second one only if it was not begun beside the first; and each three
    // times alone.
    assert!((7..=8).contains(&deaths), "{deaths}");
}

#[tokio::test]
async fn an_item_that_ends_its_process_is_found_in_its_chunk() {
    let engine = Engine {
        natures: [(5, Nature::Kills)].into(),
        ..Engine::default()
    };
    let mut bench = Bench::new(engine);
    bench.submit(40, 30).await;
    let deaths = bench.outlive(3, 40).await;
    let reason = "13: given up after 3 tries: each ended its worker, which did nothing else";
    assert_eq!(bench.finish(40).await, expected(40, &[(5, reason)]));
    // In company once, then alone: 16, 8, 4 and 2 items once each, and the item three times.
    assert_eq!(deaths, 1 + 4 + 3);
}

#[tokio::test]
async fn deaths_in_company_give_nothing_up() {
    let mut bench = Bench::new(Engine::default());
    bench.engine.slow.store(50, Ordering::Relaxed);
    bench.submit_in_chunks(30, 30, 10).await;
    let killer = {
        let death = bench.engine.death.clone();
        tokio::spawn(async move {
            for _ in 0..6 {
                tokio::time::sleep(Duration::from_millis(150)).await;
                death.notify_one();
            }
        })
    };
    bench.outlive(3, 30).await;
    killer.abort();
    assert_eq!(bench.finish(30).await, expected(30, &[]));
}

fn network(hash: &str) -> Pins {
    Pins {
        network: hash.into(),
        ..pins("1")
    }
}

#[tokio::test]
async fn an_engine_with_several_networks_works_for_each() {
    let mut bench = Bench::new(Engine::default());
    *bench.engine.pins.lock().unwrap() = Some(vec![network("cd"), pins("1")]);
    bench.worker();
    bench.submit(20, 30).await;
    assert_eq!(bench.finish(20).await, expected(20, &[]));
}

#[tokio::test]
async fn other_pins_leave_items_alone() {
    let with_tables = Pins {
        tables: "0123456789abcdef".into(),
        ..pins("1")
    };
    for (pins, named) in [
        (vec![pins("2")], "engine 2 with network ab"),
        (
            vec![with_tables],
            "engine 1 with network ab and endgame tables 0123456789ab",
        ),
        (
            vec![network("cd"), network("ef")],
            "engine 1 with network cd, and engine 1 with network ef",
        ),
    ] {
        leaves_items_alone(pins, named).await;
    }
}

async fn leaves_items_alone(other: Vec<Pins>, named: &str) {
    let mut bench = Bench::new(Engine::default());
    *bench.engine.pins.lock().unwrap() = Some(other);
    bench.worker();
    bench.submit(20, 30).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(bench.progress().await.results, 0);
    let (job, _) = bench.jobs.get(&id("a")).await.unwrap().unwrap();
    let reason = bench.jobs.why_waiting(&job).await.unwrap().unwrap();
    assert_eq!(
        reason,
        format!("its answers have to come from engine 1 with network ab; here is {named}")
    );
    // The right engine comes back.
    bench.stop.send_replace(true);
    for worker in bench.workers.drain(..) {
        worker.await.unwrap();
    }
    bench.stop = watch::channel(false).0;
    *bench.engine.pins.lock().unwrap() = None;
    bench.worker();
    assert_eq!(bench.finish(20).await, expected(20, &[]));
}

#[tokio::test]
async fn an_engine_that_changes_under_the_work_writes_nothing() {
    let mut bench = Bench::new(Engine::default());
    bench.engine.slow.store(30, Ordering::Relaxed);
    bench.worker();
    bench.submit(16, 30).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    *bench.engine.pins.lock().unwrap() = Some(vec![pins("2")]);
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!(bench.progress().await.results, 0);
}

#[tokio::test]
async fn an_engine_that_is_away_costs_no_tries() {
    let mut bench = Bench::new(Engine::default());
    bench.engine.away.store(true, Ordering::Relaxed);
    bench.worker();
    bench.submit(1, 30).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    bench.engine.away.store(false, Ordering::Relaxed);
    assert_eq!(bench.finish(1).await, expected(1, &[]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_frozen_worker_loses_its_chunk_and_does_no_harm_when_it_thaws() {
    let mut bench = Bench::with_lease(Engine::default(), Duration::from_millis(200));
    bench.engine.freeze.store(600, Ordering::Relaxed);
    bench.worker();
    bench.submit(16, 30).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    bench.worker();
    assert_eq!(bench.finish(16).await, expected(16, &[]));
    let asked = bench.engine.asked.lock().unwrap().values().copied().max();
    assert_eq!(asked, Some(2), "somebody else had to do it again");
    // The last result is there a moment before its chunk is off the queue.
    let begun = std::time::Instant::now();
    while bench.jobs.depth().await.unwrap() != crate::Depth::default() {
        assert!(begun.elapsed() < Duration::from_secs(10), "a chunk stays");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_worker_that_stops_keeps_what_it_found_and_costs_no_try() {
    let mut bench = Bench::new(Engine::default());
    bench.engine.slow.store(40, Ordering::Relaxed);
    bench.submit(16, 30).await;
    for _ in 0..4 {
        bench.worker();
        tokio::time::sleep(Duration::from_millis(150)).await;
        bench.stop.send_replace(true);
        for worker in bench.workers.drain(..) {
            worker.await.unwrap();
        }
        bench.stop = watch::channel(false).0;
    }
    let kept = bench.progress().await.results;
    assert!((4..16).contains(&kept), "{kept}");
    bench.worker();
    assert_eq!(bench.finish(16).await, expected(16, &[]));
    let asked = bench.engine.asked.lock().unwrap();
    // Nothing that was found is looked for again.
    assert_eq!(asked[&0], 1);
}

#[tokio::test]
async fn a_cancelled_job_is_let_go() {
    let mut bench = Bench::new(Engine::default());
    bench.engine.slow.store(50, Ordering::Relaxed);
    bench.worker();
    bench.submit(160, 30).await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    bench.jobs.cancel(&id("a")).await.unwrap();
    bench.jobs.forget(&id("a")).await.unwrap();
    let at = bench.progress().await.results;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bench.progress().await.results, at);
    let asked: u32 = bench.engine.asked.lock().unwrap().values().sum();
    assert!(asked <= 32, "no further chunk was begun: {asked}");
    assert_eq!(bench.jobs.depth().await.unwrap(), crate::Depth::default());
}
