//! Jobs, results and connections to test with.

use std::{sync::Arc, time::Duration};

use tabiya_api::v1::{self, stream_results_response::Outcome};
use tabiya_jobs::{
    Block, Item, Job, JobId, JobStore, Lease, NewJob, Pins, Quotas, Row, Span, WorkQueue, WorkerInfo,
    nats::{Address, Nats, Settings},
};
use tabiya_tests::Broker;

/// Silence of the broker's that is taken for granted.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// Long enough for anything that comes at all, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// A connection whose times are short.
pub(crate) fn settings(url: &str) -> Settings {
    Settings {
        lease: Duration::from_secs(2),
        rounds: Duration::from_millis(500),
        heartbeat: HEARTBEAT,
        ..Settings::new(Address::parse(url).expect("an address"))
    }
}

pub(crate) async fn open(broker: &Broker) -> Nats {
    Nats::open(settings(&broker.url())).await.expect("a connection")
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::parse(text).expect("a name")
}

pub(crate) fn pins(engine: &str) -> Pins {
    Pins {
        engine: engine.to_owned(),
        network: "00aa".to_owned(),
        tables: String::new(),
    }
}

pub(crate) fn worker(engine: &str) -> WorkerInfo {
    WorkerInfo {
        name: "a test".to_owned(),
        pins: vec![pins(engine)],
        has_gpu: false,
    }
}

/// A job of so many items in chunks of 16, for workers with [`pins`] `"1"`.
pub(crate) fn new_job(name: &str, items: u32) -> NewJob {
    let all: Vec<Item> = (0..items)
        .map(|index| Item {
            item_id: format!("item {index}"),
            ..Item::default()
        })
        .collect();
    let pins = pins("1");
    NewJob {
        job: Job {
            job_id: name.to_owned(),
            items,
            chunk_items: 16,
            engine_version: pins.engine,
            network_hash: pins.network,
            tables_hash: pins.tables,
            create_time: Some(std::time::SystemTime::now().into()),
            ..Job::default()
        },
        quotas: Quotas::default(),
        blocks: all
            .chunks(Block::ITEMS as usize)
            .map(|items| Block::encode(items.to_vec()))
            .collect(),
    }
}

/// A result that tells by `best_move` who wrote it.
pub(crate) fn row(index: u32, by: &str) -> Row {
    Row {
        index,
        item_id: format!("item {index}"),
        outcome: Some(Outcome::Response(v1::AnalyzeResponse {
            best_move: by.to_owned(),
            ..v1::AnalyzeResponse::default()
        })),
        ..Row::default()
    }
}

/// A result that is an error.
pub(crate) fn error_row(index: u32) -> Row {
    Row {
        outcome: Some(Outcome::Error(v1::ItemError {
            code: 13,
            message: "it ends every worker".to_owned(),
            ..v1::ItemError::default()
        })),
        ..row(index, "")
    }
}

/// Who wrote a result; empty for an error.
pub(crate) fn writer(row: &Row) -> &str {
    match &row.outcome {
        Some(Outcome::Response(response)) => &response.best_move,
        _ => "",
    }
}

/// A job that is stored and whose chunks are in the queue.
pub(crate) async fn submitted(nats: &Nats, name: &str, items: u32) -> Job {
    let job = nats.store().create(new_job(name, items)).await.expect("a job");
    nats.queue()
        .ensure(&job, &job.chunks().collect::<Vec<_>>())
        .await
        .expect("room");
    job
}

/// The next task, if one comes in time.
pub(crate) async fn lease(queue: &Arc<dyn WorkQueue>, patience: Duration) -> Option<Box<dyn Lease>> {
    let worker = worker("1");
    let lease = tokio::time::timeout(patience, queue.lease(&worker)).await.ok()?;
    Some(lease.expect("a broker"))
}

/// A task that has to come.
pub(crate) async fn next(queue: &Arc<dyn WorkQueue>) -> Box<dyn Lease> {
    lease(queue, PATIENCE).await.expect("a task")
}

/// All results, page by page.
pub(crate) async fn all_results(store: &Arc<dyn JobStore>, name: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let after = rows.last().map(|row| row.cursor.clone()).unwrap_or_default();
        let page = store.results(&id(name), &after, 7).await.expect("results");
        let page = page.expect("a cursor of this job");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

pub(crate) fn span(first: u32, end: u32) -> Span {
    Span::new(first, end).expect("items")
}
