use std::time::{Duration, Instant};

use tabiya_api::v1::Backend;
use tabiya_jobs::{Depth, Fault, LeaseLost, WorkerInfo, nats::Nats};
use tabiya_tests::Broker;

use crate::sample::{PATIENCE, id, lease, new_job, next, open, pins, row, settings, span, submitted, worker};

/// Long enough to show that nothing comes.
const NOTHING: Duration = Duration::from_millis(600);

#[tokio::test]
async fn every_task_is_handed_out_once_and_then_there_is_room_again() {
    let Some(broker) = Broker::start("work queue in NATS") else {
        return;
    };
    let (nats, other) = (open(&broker).await, open(&broker).await);
    let job = submitted(&nats, "job", 100).await;
    let chunks: Vec<_> = job.chunks().collect();
    assert_eq!(chunks.len(), 7);
    // Whoever puts in what is there changes nothing, even at the same moment.
    let (again, queue) = (other.queue(), nats.queue());
    let (a, b) = tokio::join!(again.ensure(&job, &chunks), queue.ensure(&job, &chunks));
    a.unwrap();
    b.unwrap();
    assert_eq!(
        queue.depth().await.unwrap(),
        Depth {
            waiting: 7,
            leased: 0
        }
    );

    let mut spans = Vec::new();
    for round in 0..7 {
        let held = next(if round % 2 == 0 { &queue } else { &again }).await;
        assert_eq!((held.task().job_id.clone(), held.task().tries()), (id("job"), 1));
        spans.push(held.task().span);
        if round == 3 {
            let depth = queue.depth().await.unwrap();
            assert_eq!((depth.waiting, depth.leased), (3, 1));
        }
        held.done().await.unwrap();
    }
    spans.sort();
    assert_eq!(spans, chunks);
    assert_eq!(queue.depth().await.unwrap(), Depth::default());
    assert!(lease(&queue, NOTHING).await.is_none());
}

#[tokio::test]
async fn tries_count_those_that_failed_and_no_others() {
    let Some(broker) = Broker::start("tries of tasks in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    submitted(&nats, "job", 10).await;
    // Handed back: as if it had not been.
    let held = next(&queue).await;
    held.hand_back(Duration::ZERO).await.unwrap();
    let held = next(&queue).await;
    assert_eq!(held.task().tries(), 1);
    let begun = Instant::now();
    held.hand_back(Duration::from_secs(3)).await.unwrap();
    let held = next(&queue).await;
    assert_eq!(held.task().tries(), 1);
    assert!(begun.elapsed() >= Duration::from_secs(3));
    // Failed: after a pause, even if none was asked for.
    let begun = Instant::now();
    held.retry(Duration::ZERO).await.unwrap();
    let held = next(&queue).await;
    assert_eq!(held.task().tries(), 2);
    assert!(begun.elapsed() >= Duration::from_millis(900));
    assert!(!held.task().past.suspect);
    // Its worker died: no failure, but it may have been the reason.
    drop(held);
    let held = next(&queue).await;
    assert_eq!((held.task().tries(), held.task().past.suspect), (2, true));
    held.hand_back(Duration::ZERO).await.unwrap();
    let held = next(&queue).await;
    assert_eq!((held.task().tries(), held.task().past.suspect), (2, true));
    // Who tells of a failure has survived it.
    held.retry(Duration::ZERO).await.unwrap();
    let held = next(&queue).await;
    assert_eq!((held.task().tries(), held.task().past.suspect), (3, false));
    // Cut in two.
    held.split(&[span(0, 5), span(5, 10)]).await.unwrap();
    let mut parts = Vec::new();
    for _ in 0..2 {
        let held = next(&queue).await;
        parts.push((held.task().span, held.task().tries()));
        held.done().await.unwrap();
    }
    parts.sort();
    assert_eq!(parts, [(span(0, 5), 1), (span(5, 10), 1)]);
    assert_eq!(queue.depth().await.unwrap(), Depth::default());
}

#[tokio::test]
async fn a_suspect_is_on_record_before_it_is_begun_alone() {
    let Some(broker) = Broker::start("suspects in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    submitted(&nats, "job", 16).await;
    drop(next(&queue).await);
    for deaths in 0..3 {
        let mut held = next(&queue).await;
        assert!(held.task().past.suspect);
        assert_eq!(held.begin_alone().await.unwrap(), deaths);
        // Held by one who waits for his turn, and dies meanwhile: no trial.
        drop(held);
        drop(next(&queue).await);
    }
    // Handed back, it did not die.
    let mut held = next(&queue).await;
    assert_eq!(held.begin_alone().await.unwrap(), 3);
    held.hand_back(Duration::ZERO).await.unwrap();
    let mut held = next(&queue).await;
    assert_eq!(held.begin_alone().await.unwrap(), 3);
    // Its parts are suspects that were never begun.
    held.split(&[span(0, 8), span(8, 16)]).await.unwrap();
    for _ in 0..2 {
        let mut part = next(&queue).await;
        assert!(part.task().past.suspect);
        assert_eq!(part.begin_alone().await.unwrap(), 0);
        part.done().await.unwrap();
    }
    assert_eq!(broker.messages("KV_tabiya_trials"), 0, "nothing stays");
}

#[tokio::test]
async fn a_lease_holds_while_it_is_renewed_and_not_longer() {
    let Some(broker) = Broker::start("leases in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    submitted(&nats, "job", 16).await;
    let mut held = next(&queue).await;
    assert_eq!(held.period(), Duration::from_secs(2));
    for _ in 0..6 {
        tokio::time::sleep(held.period() / 3).await;
        held.renew().await.unwrap();
    }
    assert!(lease(&queue, NOTHING).await.is_none());
    // Not renewed in time, as by a process that was frozen: it is somebody else's.
    tokio::time::sleep(held.period()).await;
    let mut theirs = next(&queue).await;
    assert!(theirs.task().past.suspect);
    assert_eq!(held.renew().await, Err(LeaseLost));
    // What the loser says about it does not harm the holder.
    held.retry(Duration::ZERO).await.unwrap();
    theirs.renew().await.unwrap();
    assert!(lease(&queue, NOTHING).await.is_none());
    theirs.renew().await.unwrap();
    // Taken off: the holder learns it when it renews.
    queue.forget(&id("job")).await.unwrap();
    assert_eq!(theirs.renew().await, Err(LeaseLost));
    assert!(lease(&queue, NOTHING).await.is_none());
}

#[tokio::test]
async fn a_worker_with_other_pins_leaves_tasks_alone() {
    let Some(broker) = Broker::start("pins in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    let job = submitted(&nats, "job", 40).await;
    let reason = queue.why_waiting(&job).await.unwrap().expect("nobody is there");
    assert!(reason.contains(&pins("1").to_string()), "{reason}");
    let other = worker("2");
    assert!(tokio::time::timeout(NOTHING, queue.lease(&other)).await.is_err());
    // Nothing was delivered to it, and no try is gone.
    for _ in 0..3 {
        let held = next(&queue).await;
        assert_eq!(held.task().tries(), 1);
        assert_eq!(queue.why_waiting(&job).await.unwrap(), None);
        held.done().await.unwrap();
    }
}

#[tokio::test]
async fn tasks_for_a_gpu_wait_for_one_and_are_in_nobodys_way() {
    let Some(broker) = Broker::start("jobs for a GPU over NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    let mut new = new_job("gpu", 32);
    new.job.backend = Backend::Gpu.into();
    let job = nats.store().create(new).await.unwrap();
    queue
        .ensure(&job, &job.chunks().collect::<Vec<_>>())
        .await
        .unwrap();
    submitted(&nats, "any", 16).await;
    // A worker without one has the other job's task, and no more.
    let held = next(&queue).await;
    assert_eq!(held.task().job_id, id("any"));
    held.done().await.unwrap();
    assert!(lease(&queue, NOTHING).await.is_none());
    let reason = queue.why_waiting(&job).await.unwrap().expect("nobody has a GPU");
    assert!(reason.contains("GPU"), "{reason}");
    // A worker with one has both jobs' tasks.
    submitted(&nats, "more", 16).await;
    let able = WorkerInfo {
        has_gpu: true,
        ..worker("1")
    };
    let mut found = Vec::new();
    for _ in 0..3 {
        let lease = tokio::time::timeout(PATIENCE, queue.lease(&able)).await;
        let held = lease.expect("a task").unwrap();
        found.push(held.task().job_id.to_string());
        held.done().await.unwrap();
    }
    found.sort();
    assert_eq!(found, ["gpu", "gpu", "more"]);
    assert_eq!(queue.depth().await.unwrap(), Depth::default());
}

#[tokio::test]
async fn a_worker_with_several_networks_has_the_tasks_of_each() {
    let Some(broker) = Broker::start("several networks in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    submitted(&nats, "first", 16).await;
    let mut new = new_job("second", 16);
    "00bb".clone_into(&mut new.job.network_hash);
    let job = nats.store().create(new).await.unwrap();
    let chunks = job.chunks().collect::<Vec<_>>();
    queue.ensure(&job, &chunks).await.unwrap();
    let both = WorkerInfo {
        pins: ["00bb", "00aa"]
            .map(|network| tabiya_jobs::Pins {
                network: network.to_owned(),
                ..pins("1")
            })
            .to_vec(),
        ..worker("1")
    };
    let mut found = Vec::new();
    for _ in 0..2 {
        let lease = tokio::time::timeout(PATIENCE, queue.lease(&both)).await;
        let held = lease.expect("a task").unwrap();
        found.push(held.task().job_id.to_string());
        held.done().await.unwrap();
    }
    found.sort();
    assert_eq!(found, ["first", "second"]);
    assert_eq!(queue.depth().await.unwrap(), Depth::default());
}

#[tokio::test]
async fn a_dropped_wait_takes_no_task() {
    let Some(broker) = Broker::start("dropped waits in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let queue = nats.queue();
    for round in 0..10 {
        let name = format!("job-{round}");
        assert!(lease(&queue, Duration::from_millis(30)).await.is_none());
        submitted(&nats, &name, 1).await;
        let held = next(&queue).await;
        assert_eq!((held.task().job_id.clone(), held.task().tries()), (id(&name), 1));
        held.done().await.unwrap();
    }
}

#[tokio::test]
async fn a_full_queue_says_when_to_come_back() {
    let Some(broker) = Broker::start("a full queue in NATS") else {
        return;
    };
    let mut small = settings(&broker.url());
    small.max_tasks = 10;
    let nats = Nats::open(small).await.unwrap();
    let queue = nats.queue();
    for round in 0..3 {
        let full = submitted(&nats, &format!("full-{round}"), 160).await;
        let more = nats
            .store()
            .create(crate::sample::new_job(&format!("more-{round}"), 16))
            .await
            .unwrap();
        let refused = queue.ensure(&more, &[span(0, 16)]).await.unwrap_err();
        let Fault::Full { retry_after, .. } = &refused else {
            panic!("{refused}");
        };
        assert!(*retry_after >= Duration::from_secs(1), "{retry_after:?}");
        // What is there already needs no room.
        queue
            .ensure(&full, &full.chunks().collect::<Vec<_>>())
            .await
            .unwrap();
        // Room again, by work or by taking off, to the last task.
        for _ in 0..5 {
            next(&queue).await.done().await.unwrap();
        }
        queue.forget(&id(&format!("full-{round}"))).await.unwrap();
        assert_eq!(queue.depth().await.unwrap().waiting, 0);
    }
}

#[tokio::test]
async fn a_task_that_ends_every_worker_is_not_lost_and_takes_no_room() {
    let Some(broker) = Broker::start("poisonous tasks in NATS") else {
        return;
    };
    let mut quick = settings(&broker.url());
    quick.lease = Duration::from_millis(600);
    quick.max_tasks = 3;
    let nats = Nats::open(quick).await.unwrap();
    let queue = nats.queue();
    submitted(&nats, "poison", 32).await;
    let good = next(&queue).await;
    let poison = next(&queue).await.task().span;
    good.done().await.unwrap();
    // Ten workers die with it, without a word and without cutting it in two. Then the broker delivers it no more; the
    // keeper hears of it and puts it in anew.
    let begun = Instant::now();
    for _ in 0..12 {
        assert!(begun.elapsed() < PATIENCE);
        let held = next(&queue).await;
        assert_eq!(held.task().span, poison);
        assert!(held.task().past.suspect);
        // Nobody has told of a failure.
        assert_eq!(held.task().tries(), 1);
    }
    let last = next(&queue).await;
    last.split(&[span(16, 24), span(24, 32)]).await.unwrap();
    for _ in 0..2 {
        next(&queue).await.done().await.unwrap();
    }
    // As many as there is room for.
    let after = submitted(&nats, "after", 48).await;
    assert_eq!(after.chunks().count(), 3);
}

#[tokio::test]
async fn tasks_of_a_job_that_has_ended_are_cleared_away() {
    let Some(broker) = Broker::start("leftovers in NATS") else {
        return;
    };
    // Two keepers at once do no harm.
    let (nats, _other) = (open(&broker).await, open(&broker).await);
    let queue = nats.queue();
    submitted(&nats, "running", 16).await;
    submitted(&nats, "ended", 48).await;
    submitted(&nats, "later", 32).await;
    let rows = (0..48).map(|index| row(index, "a")).collect();
    nats.store().put(&id("ended"), rows).await.unwrap();
    let begun = Instant::now();
    while queue.depth().await.unwrap().waiting > 3 {
        assert!(begun.elapsed() < PATIENCE, "the keeper clears nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for job in ["running", "later", "later"] {
        let held = next(&queue).await;
        assert_eq!((held.task().job_id.clone(), held.task().tries()), (id(job), 1));
        held.done().await.unwrap();
    }
    assert!(lease(&queue, NOTHING).await.is_none());
}
