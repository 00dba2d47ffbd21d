use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use futures_util::TryStreamExt as _;
use tabiya_api::v1::JobState;
use tabiya_jobs::{Block, Coordinator, Fault, Item, nats::Nats};
use tabiya_tests::Broker;

use crate::sample::{PATIENCE, all_results, error_row, id, new_job, open, row, settings, span, writer};

/// A round of looking after the jobs, which keeps none that has ended.
async fn look_after(nats: &Nats) {
    let coordinator = Coordinator {
        store: nats.store(),
        queue: nats.queue(),
        keep: Duration::ZERO,
    };
    coordinator
        .round(&mut HashMap::new(), SystemTime::now())
        .await
        .unwrap();
}

/// The broker as an operator has it.
async fn jetstream(broker: &Broker) -> async_nats::jetstream::Context {
    async_nats::jetstream::new(async_nats::connect(broker.address()).await.unwrap())
}

#[tokio::test]
async fn results_are_written_once_and_read_in_order() {
    let Some(broker) = Broker::start("jobs in NATS: results") else {
        return;
    };
    let (nats, other) = (open(&broker).await, open(&broker).await);
    let (store, name) = (nats.store(), id("once"));
    let job = store.create(new_job("once", 600)).await.unwrap();
    // A resubmission is the same job, whatever it holds.
    assert_eq!(other.store().create(new_job("once", 3)).await.unwrap(), job);
    let (stored, progress) = other.store().get(&name).await.unwrap().unwrap();
    assert_eq!((stored, progress.results), (job.clone(), 0));
    let items = store.items(&name, span(250, 520)).await.unwrap();
    assert_eq!(items.len(), 270);
    assert_eq!(
        (items[0].item_id.as_str(), items[269].item_id.as_str()),
        ("item 250", "item 519")
    );
    assert!(store.items(&name, span(590, 601)).await.is_err());
    assert!(store.get(&id("none")).await.unwrap().is_none());

    let progress = store
        .put(&name, vec![row(5, "first"), row(3, "first")])
        .await
        .unwrap()
        .unwrap();
    assert_eq!((progress.results, progress.state(600)), (2, JobState::Running));
    let progress = other
        .store()
        .put(&name, vec![row(3, "second"), row(4, "second")])
        .await
        .unwrap();
    assert_eq!(progress.unwrap().results, 3);
    assert_eq!(store.missing(&name, span(2, 7)).await.unwrap(), [2, 6]);
    let missing = store.missing(&name, job.whole().unwrap()).await.unwrap();
    assert_eq!(missing.len(), 597);
    assert!(!missing.contains(&3) && missing.contains(&6));

    let rest = (0..600).map(|index| row(index, "third")).collect();
    let progress = store.put(&name, rest).await.unwrap().unwrap();
    assert_eq!(
        (progress.results, progress.state(600)),
        (600, JobState::Completed)
    );
    assert!(progress.end_time.is_some());
    let rows = all_results(&store, "once").await;
    let mut indices: Vec<_> = rows.iter().map(|row| row.index).collect();
    assert_eq!(
        {
            let mut first = indices[..3].to_vec();
            first[..2].sort();
            first
        },
        [3, 5, 4]
    );
    indices.sort();
    assert_eq!(indices, (0..600).collect::<Vec<_>>());
    for row in &rows {
        let by = match row.index {
            3 | 5 => "first",
            4 => "second",
            _ => "third",
        };
        assert_eq!(writer(row), by, "{}", row.index);
    }
}

#[tokio::test]
async fn cursors_belong_to_their_jobs() {
    let Some(broker) = Broker::start("jobs in NATS: cursors") else {
        return;
    };
    let nats = open(&broker).await;
    let store = nats.store();
    for name in ["a", "b"] {
        store.create(new_job(name, 20)).await.unwrap();
        store
            .put(&id(name), vec![row(0, name), row(1, name)])
            .await
            .unwrap();
    }
    let of_a = all_results(&store, "a").await;
    assert_eq!(store.results(&id("b"), &of_a[0].cursor, 9).await.unwrap(), None);
    for wrong in ["0", "x", "a.3", &of_a[0].cursor[1..]] {
        assert_eq!(store.results(&id("a"), wrong, 9).await.unwrap(), None, "{wrong}");
    }
    let after = store
        .results(&id("a"), &of_a[0].cursor, 9)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(after, of_a[1..]);

    // A later job of the same name is another one.
    store.delete(&id("a")).await.unwrap();
    assert!(store.get(&id("a")).await.unwrap().is_none());
    assert_eq!(store.put(&id("a"), vec![row(2, "late")]).await.unwrap(), None);
    store.delete(&id("a")).await.unwrap();
    let job = store.create(new_job("a", 5)).await.unwrap();
    assert_eq!(job.items, 5);
    assert_eq!(store.results(&id("a"), &of_a[0].cursor, 9).await.unwrap(), None);
    assert_eq!(all_results(&store, "a").await, []);
}

#[tokio::test]
async fn errors_are_counted_once() {
    let Some(broker) = Broker::start("jobs in NATS: errors") else {
        return;
    };
    let (nats, other) = (open(&broker).await, open(&broker).await);
    let (store, name) = (nats.store(), id("errors"));
    store.create(new_job("errors", 6)).await.unwrap();
    let progress = store
        .put(&name, vec![row(0, "a"), error_row(1)])
        .await
        .unwrap()
        .unwrap();
    assert_eq!((progress.results, progress.errors), (2, 1));
    // Too late: one item has an answer, the other its error.
    let late = vec![error_row(0), error_row(1), row(1, "b")];
    let progress = other.store().put(&name, late).await.unwrap().unwrap();
    assert_eq!((progress.results, progress.errors), (2, 1));
    let rest = vec![row(2, "a"), row(3, "a"), error_row(4), row(5, "a")];
    let progress = store.put(&name, rest).await.unwrap().unwrap();
    assert_eq!((progress.results, progress.errors), (6, 2));
    assert_eq!(progress.state(6), JobState::CompletedWithErrors);
    let (_, seen) = other.store().get(&name).await.unwrap().unwrap();
    assert_eq!(seen, progress);
}

#[tokio::test]
async fn a_cancelled_job_keeps_what_it_had() {
    let Some(broker) = Broker::start("jobs in NATS: cancelling") else {
        return;
    };
    let nats = open(&broker).await;
    let (store, name) = (nats.store(), id("cancelled"));
    assert!(store.cancel(&name).await.unwrap().is_none());
    store.create(new_job("cancelled", 30)).await.unwrap();
    store
        .put(&name, vec![row(7, "before"), error_row(8)])
        .await
        .unwrap();
    let (_, progress) = store.cancel(&name).await.unwrap().unwrap();
    assert_eq!(progress.state(30), JobState::Cancelled);
    assert_eq!((progress.results, progress.errors), (2, 1));
    let late = store.put(&name, vec![row(9, "after")]).await.unwrap().unwrap();
    assert_eq!(late, progress);
    let (_, again) = store.cancel(&name).await.unwrap().unwrap();
    assert_eq!(again, progress);
    let rows = all_results(&store, "cancelled").await;
    let mut indices: Vec<_> = rows.iter().map(|row| row.index).collect();
    indices.sort();
    assert_eq!(indices, [7, 8]);
}

#[tokio::test]
async fn jobs_are_listed_page_by_page() {
    let Some(broker) = Broker::start("jobs in NATS: lists") else {
        return;
    };
    let nats = open(&broker).await;
    let store = nats.store();
    for name in ["one", "two", "three", "four", "five"] {
        store.create(new_job(name, 1)).await.unwrap();
    }
    store.put(&id("two"), vec![row(0, "a")]).await.unwrap();
    store.cancel(&id("four")).await.unwrap();
    let mut names = Vec::new();
    let mut token = String::new();
    loop {
        let page = store.list(&token, 2).await.unwrap().unwrap();
        names.extend(page.jobs.into_iter().map(|(job, _)| job.job_id));
        token = page.next;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(names, ["five", "four", "three", "two", "one"]);
    assert_eq!(store.list("nonsense", 2).await.unwrap(), None);
    let running: Vec<_> = store
        .running()
        .await
        .unwrap()
        .into_iter()
        .map(|(job, _)| job.job_id)
        .collect();
    assert_eq!(running, ["one", "three", "five"]);
}

#[tokio::test]
async fn of_submitters_at_once_one_wins_and_writers_at_once_write_once() {
    let Some(broker) = Broker::start("jobs in NATS: races") else {
        return;
    };
    let mut tasks = Vec::new();
    for writer in 0..4_u32 {
        let nats = open(&broker).await;
        tasks.push(tokio::spawn(async move {
            let job = nats.store().create(new_job("race", 100 + writer)).await.unwrap();
            let rows = (0..100).map(|index| row(index, &writer.to_string())).collect();
            nats.store().put(&id("race"), rows).await.unwrap();
            // The manifest is that of the job that won.
            let last = nats
                .store()
                .items(&id("race"), span(job.items - 1, job.items))
                .await
                .unwrap();
            assert_eq!(last[0].item_id, format!("item {}", job.items - 1));
            job
        }));
    }
    let mut jobs = Vec::new();
    for task in tasks {
        jobs.push(task.await.unwrap());
    }
    assert!(jobs.iter().all(|job| *job == jobs[0]), "{jobs:?}");
    let nats = open(&broker).await;
    let (_, progress) = nats.store().get(&id("race")).await.unwrap().unwrap();
    assert_eq!(progress.results, 100);
    let mut indices: Vec<_> = all_results(&nats.store(), "race")
        .await
        .iter()
        .map(|row| row.index)
        .collect();
    indices.sort();
    assert_eq!(indices, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn blocks_larger_than_a_message_are_kept() {
    let Some(broker) = Broker::start("jobs in NATS: large manifests") else {
        return;
    };
    let nats = open(&broker).await;
    let mut state = 1_u64;
    let mut noise = || {
        let letter = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + (state >> 58) as u8)
        };
        (0..20_000).map(letter).collect::<String>()
    };
    let items: Vec<Item> = (0..Block::ITEMS)
        .map(|_| Item {
            item_id: noise(),
            ..Item::default()
        })
        .collect();
    let mut new = new_job("large", Block::ITEMS);
    new.blocks = vec![Block::encode(items.clone())].into();
    assert!(new.blocks[0].0.len() > 3 << 20, "{}", new.blocks[0].0.len());
    nats.store().create(new).await.unwrap();
    let read = nats
        .store()
        .items(&id("large"), span(0, Block::ITEMS))
        .await
        .unwrap();
    assert!(read == items);
}

#[tokio::test]
async fn what_was_stored_survives_the_servers_death() {
    let Some(mut broker) = Broker::start("jobs in NATS: durability") else {
        return;
    };
    let nats = open(&broker).await;
    let (store, name) = (nats.store(), id("durable"));
    store.create(new_job("durable", 40)).await.unwrap();
    let mut rows = Vec::new();
    for death in 0..2_u32 {
        let some = (death * 10..death * 10 + 10)
            .map(|index| row(index, "a"))
            .collect();
        store.put(&name, some).await.unwrap();
        rows = all_results(&store, "durable").await;
        broker.kill();
        broker.restart();
        let begun = std::time::Instant::now();
        while store.get(&name).await.is_err() {
            assert!(begun.elapsed() < PATIENCE, "no connection again");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(all_results(&store, "durable").await, rows);
    }
    assert_eq!(rows.len(), 20);
    // A process that comes later finds the same.
    assert_eq!(all_results(&open(&broker).await.store(), "durable").await, rows);
}

#[tokio::test]
async fn readers_are_told_of_changes() {
    let Some(broker) = Broker::start("jobs in NATS: following results") else {
        return;
    };
    let nats = open(&broker).await;
    let (store, name) = (nats.store(), id("followed"));
    store.create(new_job("followed", 2)).await.unwrap();
    // Nothing happens: a second at most, and no error.
    tokio::time::timeout(PATIENCE, store.changed(&name, ""))
        .await
        .unwrap()
        .unwrap();
    let writing = {
        let store = nats.store();
        tokio::spawn(async move {
            for index in 0..2 {
                tokio::time::sleep(Duration::from_millis(300)).await;
                store.put(&id("followed"), vec![row(index, "a")]).await.unwrap();
            }
        })
    };
    let mut rows = Vec::new();
    let mut after = String::new();
    while rows.len() < 2 {
        tokio::time::timeout(PATIENCE, store.changed(&name, &after))
            .await
            .unwrap()
            .unwrap();
        let page = store.results(&name, &after, 10).await.unwrap().unwrap();
        after = page.last().map_or(after, |row| row.cursor.clone());
        rows.extend(page);
    }
    writing.await.unwrap();
    assert_eq!(rows.iter().map(|row| row.index).collect::<Vec<_>>(), [0, 1]);
    // It has ended: whoever waits is told at once, again and again.
    for _ in 0..20 {
        tokio::time::timeout(PATIENCE, store.changed(&name, &after))
            .await
            .unwrap()
            .unwrap();
    }
}

#[tokio::test]
async fn of_jobs_at_several_servers_no_more_than_the_quota_are_let_in() {
    let Some(broker) = Broker::start("quotas in NATS") else {
        return;
    };
    let servers = [open(&broker).await, open(&broker).await, open(&broker).await];
    for round in 0..5 {
        let attempts = (0..9).map(|nth| {
            let store = servers[nth % 3].store();
            let mut new = new_job(&format!("j{round}-{nth}"), 3);
            new.quotas.running_jobs = 2;
            async move { store.create(new).await }
        });
        let mut let_in = Vec::new();
        for attempt in futures_util::future::join_all(attempts).await {
            match attempt {
                Ok(job) => let_in.push(job.job_id),
                Err(fault) => assert!(matches!(fault, Fault::Full { .. }), "{fault}"),
            }
        }
        assert_eq!(let_in.len(), 2, "{let_in:?}");
        let store = servers[0].store();
        assert_eq!(store.unended().await.unwrap().len(), 2);
        for name in let_in {
            // There is room for the same job.
            let mut again = new_job(&name, 3);
            again.quotas.running_jobs = 2;
            store.create(again).await.unwrap();
            store.cancel(&id(&name)).await.unwrap();
        }
    }
    // Nothing of those that were refused stays: two streams a round, and those that are there without jobs.
    let names: Vec<String> = jetstream(&broker)
        .await
        .stream_names()
        .try_collect()
        .await
        .unwrap();
    let buckets = names
        .iter()
        .filter(|name| name.starts_with("KV_tabiya_job_"))
        .count();
    assert_eq!(buckets, 10, "{names:?}");
}

#[tokio::test]
async fn a_damaged_job_is_no_trouble_to_the_others() {
    let Some(broker) = Broker::start("damaged jobs in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let store = nats.store();
    for name in ["whole", "damaged", "ended"] {
        store.create(new_job(name, 32)).await.unwrap();
    }
    store
        .put(&id("ended"), (0..32).map(|index| row(index, "")).collect())
        .await
        .unwrap();
    // Somebody removes the results of one, and writes into the record of another.
    let operator = jetstream(&broker).await;
    let names: Vec<String> = operator.stream_names().try_collect().await.unwrap();
    let bucket = names
        .iter()
        .find(|name| name.starts_with("KV_tabiya_job_damaged_"))
        .unwrap();
    operator.delete_stream(bucket).await.unwrap();
    let record = "$KV.tabiya_jobs.job.unreadable";
    operator
        .publish(record, "\u{ff}not a record".into())
        .await
        .unwrap()
        .await
        .unwrap();

    let running = store.running().await.unwrap();
    assert_eq!(
        running
            .iter()
            .map(|(job, _)| job.job_id.as_str())
            .collect::<Vec<_>>(),
        ["whole"]
    );
    let page = store.list("", 10).await.unwrap().unwrap();
    assert_eq!(
        page.jobs
            .iter()
            .map(|(job, _)| job.job_id.as_str())
            .collect::<Vec<_>>(),
        ["ended", "whole"]
    );
    store.create(new_job("another", 1)).await.unwrap();
    assert!(store.get(&id("damaged")).await.is_err());
    // The others are looked after, and what has ended is removed.
    look_after(&nats).await;
    assert_eq!(nats.queue().depth().await.unwrap().waiting, 2 + 1);
    assert_eq!(store.get(&id("ended")).await.unwrap(), None);
    // It can be got rid of.
    let (job, progress) = store.cancel(&id("damaged")).await.unwrap().unwrap();
    assert_eq!(progress.state(job.items), JobState::Cancelled);
    look_after(&nats).await;
    assert_eq!(store.get(&id("damaged")).await.unwrap(), None);
}

#[tokio::test]
async fn a_full_queue_keeps_nobody_from_being_looked_after() {
    let Some(broker) = Broker::start("a full queue and other jobs in NATS") else {
        return;
    };
    let mut small = settings(&broker.url());
    small.max_tasks = 4;
    let nats = Nats::open(small).await.unwrap();
    let store = nats.store();
    for name in ["full", "ended"] {
        store.create(new_job(name, 80)).await.unwrap();
    }
    store.cancel(&id("ended")).await.unwrap();
    look_after(&nats).await;
    assert_eq!(
        nats.queue().depth().await.unwrap().waiting,
        4,
        "as many as there is room for"
    );
    assert_eq!(store.get(&id("ended")).await.unwrap(), None);
}

#[tokio::test]
async fn marks_of_errors_go_with_their_jobs() {
    let Some(broker) = Broker::start("marks of errors in NATS") else {
        return;
    };
    let nats = open(&broker).await;
    let store = nats.store();
    store.create(new_job("kept", 3)).await.unwrap();
    store.put(&id("kept"), vec![error_row(0)]).await.unwrap();
    // What a writer leaves who comes after the job has gone.
    let operator = jetstream(&broker).await;
    for index in 0..2 {
        let late = format!("$KV.tabiya_errors.tabiya_job_gone_0123456789abcdef.{index}");
        operator.publish(late, "".into()).await.unwrap().await.unwrap();
    }
    let begun = std::time::Instant::now();
    while broker.messages("KV_tabiya_errors") > 1 {
        assert!(begun.elapsed() < PATIENCE, "they stay");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (_, progress) = store.get(&id("kept")).await.unwrap().unwrap();
    assert_eq!(progress.errors, 1);
}

#[tokio::test]
async fn of_several_servers_one_looks_after_the_jobs() {
    let Some(broker) = Broker::start("leaders over NATS") else {
        return;
    };
    let first = open(&broker).await;
    let mut leads = first.leads();
    tokio::time::timeout(PATIENCE, leads.wait_for(|leads| *leads))
        .await
        .unwrap()
        .unwrap();
    let second = open(&broker).await;
    let mut follows = second.leads();
    // Several rounds of both.
    let changed = tokio::time::timeout(Duration::from_secs(4), follows.changed()).await;
    assert!(changed.is_err() && !*follows.borrow() && *leads.borrow());
    // When it is gone, the other one takes its place.
    drop((leads, first));
    tokio::time::timeout(PATIENCE, follows.wait_for(|leads| *leads))
        .await
        .unwrap()
        .unwrap();
}
