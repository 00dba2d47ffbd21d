//! What a broker does to those who wait for it: it dies, freezes, forgets them, or cannot be reached. A worker goes on
//! without being started again, and the log tells once what happened (nats-io/nats.rs#860 and #557).

use std::{
    cell::RefCell,
    sync::{Arc, Once},
    time::{Duration, Instant},
};

use tabiya_jobs::{Fault, WorkQueue, nats::Nats};
use tabiya_tests::{Broker, Proxy, long};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::sample::{HEARTBEAT, PATIENCE, id, open, settings, submitted, worker};

/// What a busy machine may take beside what is promised.
const SLACK: Duration = Duration::from_secs(20);

/// A worker that does its tasks at once, and asks for another whatever happens.
fn work(queue: Arc<dyn WorkQueue>) -> UnboundedReceiver<Instant> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        loop {
            let done = async {
                let held = queue.lease(&worker("1")).await?;
                held.done().await
            };
            match done.await {
                Ok(()) if sender.send(Instant::now()).is_err() => return,
                Ok(()) => {}
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    });
    receiver
}

thread_local! {
    /// What was logged by the test of this thread.
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What is logged at `INFO` and above by this thread, which all tasks of a test run on.
///
/// One subscriber for all threads: of several, each for a thread, the library may take the wrong one's word for whether
/// anybody listens to a line that is written for the first time.
struct Log;

impl Log {
    fn listen() -> Self {
        static LISTENING: Once = Once::new();
        LISTENING.call_once(|| {
            tracing_subscriber::fmt()
                .with_env_filter("info,async_nats=off")
                .with_ansi(false)
                .with_writer(|| Log)
                .init();
        });
        LOGGED.take();
        Self
    }

    fn lines(&self) -> Vec<String> {
        let text = LOGGED.with_borrow(|bytes| String::from_utf8(bytes.clone()).unwrap());
        text.lines().map(str::to_owned).collect()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A task that is put in now is done soon; tells how long it took.
async fn a_task_is_done(nats: &Nats, name: &str, done: &mut UnboundedReceiver<Instant>) -> Duration {
    while done.try_recv().is_ok() {}
    let begun = Instant::now();
    submitted(nats, name, 1).await;
    let at = tokio::time::timeout(PATIENCE, done.recv()).await;
    at.expect("the worker goes on").expect("it has not ended") - begun
}

/// Waits until the broker answers, or does not.
async fn until_answers(nats: &Nats, answers: bool) {
    let mut watch = nats.answers();
    let change = tokio::time::timeout(PATIENCE, watch.wait_for(|now| *now == answers));
    change.await.expect("a change").expect("a connection");
}

/// One line when it begins, one when it is over.
fn assert_said_once(log: &Log) {
    let lines = log.lines();
    let with = |words: &str| lines.iter().filter(|line| line.contains(words)).count();
    assert_eq!(
        (with("NATS does not answer"), with("NATS answers again")),
        (1, 1),
        "{lines:#?}"
    );
    assert_eq!(lines.len(), 2, "{lines:#?}");
}

/// The same once trouble is over: three heartbeats at most, and what a busy machine takes.
async fn a_task_is_soon_done(nats: &Nats, name: &str, done: &mut UnboundedReceiver<Instant>) {
    let took = a_task_is_done(nats, name, done).await;
    assert!(took <= HEARTBEAT * 3 + SLACK, "the worker went on after {took:?}");
}

async fn is_waited_for_frozen(time: Duration) {
    let Some(broker) = Broker::start("a frozen NATS server") else {
        return;
    };
    let log = Log::listen();
    let nats = open(&broker).await;
    let mut done = work(nats.queue());
    a_task_is_done(&nats, "before", &mut done).await;
    broker.freeze();
    until_answers(&nats, false).await;
    tokio::time::sleep(time).await;
    broker.thaw();
    until_answers(&nats, true).await;
    a_task_is_soon_done(&nats, "after", &mut done).await;
    assert_said_once(&log);
}

#[tokio::test]
async fn a_frozen_broker_is_waited_for() {
    is_waited_for_frozen(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn a_broker_that_is_frozen_for_a_minute_is_waited_for() {
    if long("a NATS server that is frozen for a minute") {
        is_waited_for_frozen(Duration::from_secs(60)).await;
    }
}

#[tokio::test]
async fn a_broker_that_died_is_found_again() {
    let Some(mut broker) = Broker::start("a NATS server that dies") else {
        return;
    };
    let log = Log::listen();
    let nats = open(&broker).await;
    let mut done = work(nats.queue());
    a_task_is_done(&nats, "before", &mut done).await;
    broker.kill();
    until_answers(&nats, false).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    broker.restart();
    until_answers(&nats, true).await;
    a_task_is_soon_done(&nats, "after", &mut done).await;
    assert_said_once(&log);
}

#[tokio::test]
async fn a_cut_network_and_dropped_connections_are_got_over() {
    let Some(broker) = Broker::start("a cut network before NATS") else {
        return;
    };
    let proxy = Proxy::to(&broker.address());
    let log = Log::listen();
    let nats = Nats::open(settings(&proxy.address())).await.unwrap();
    // Tasks are put in by somebody whose network is whole.
    let near = open(&broker).await;
    let mut done = work(nats.queue());
    a_task_is_done(&near, "before", &mut done).await;
    proxy.cut();
    until_answers(&nats, false).await;
    submitted(&near, "meanwhile", 1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(done.try_recv().is_err());
    proxy.heal();
    until_answers(&nats, true).await;
    tokio::time::timeout(HEARTBEAT * 3 + SLACK, done.recv())
        .await
        .expect("the worker goes on");
    assert_said_once(&log);
    for round in 0..3 {
        proxy.sever();
        a_task_is_soon_done(&near, &format!("severed-{round}"), &mut done).await;
    }
}

#[tokio::test]
async fn a_consumer_that_is_deleted_under_a_worker_is_made_again() {
    let Some(broker) = Broker::start("a NATS consumer that is deleted") else {
        return;
    };
    let nats = open(&broker).await;
    let mut done = work(nats.queue());
    a_task_is_done(&nats, "before", &mut done).await;
    let client = async_nats::connect(broker.address()).await.unwrap();
    let stream = async_nats::jetstream::new(client)
        .get_stream("TABIYA_JOBS")
        .await
        .unwrap();
    for round in 0..2 {
        use futures_util::TryStreamExt as _;
        let names: Vec<String> = stream.consumer_names().try_collect().await.unwrap();
        assert_eq!(names.len(), 1);
        stream.delete_consumer(&names[0]).await.unwrap();
        // Nobody is told; three heartbeats, and the worker finds out.
        a_task_is_soon_done(&nats, &format!("after-{round}"), &mut done).await;
    }
}

#[tokio::test]
async fn a_broker_that_comes_later_is_waited_for() {
    let Some(mut broker) = Broker::start("a NATS server that comes later") else {
        return;
    };
    broker.kill();
    let refused = Nats::open(settings(&broker.url())).await;
    assert!(matches!(refused, Err(Fault::Unavailable(_))));
    let nats = Nats::open_or_wait(settings(&broker.url())).await.unwrap();
    assert!(!*nats.answers().borrow());
    let found = nats.store().get(&id("before")).await;
    assert!(matches!(found, Err(Fault::Unavailable(_))), "{found:?}");
    let mut done = work(nats.queue());
    broker.restart();
    until_answers(&nats, true).await;
    let begun = Instant::now();
    while let Err(fault) = nats.store().get(&id("before")).await {
        assert!(matches!(fault, Fault::Unavailable(_)), "{fault}");
        assert!(begun.elapsed() < PATIENCE, "{fault}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    a_task_is_soon_done(&nats, "after", &mut done).await;
}
