//! One try at a chunk.

use std::{collections::HashMap, time::Duration};

use futures_util::StreamExt;
use tabiya_api::v1::{
    self, BatchAnalyzeRequest, BulkMode, ItemError, batch_analyze_response, stream_results_response::Outcome,
};
use tokio::{sync::watch, time::Instant};

use super::{Worker, stopped};
use crate::intake::{LONGEST_ITEM, SLACK};
use crate::{Fault, Item, Job, Lease, News, Row, Task, Verdict};

/// Results that wait to be written together, and how long the oldest of them waits at most.
const WRITE_AT: usize = 64;
const WRITE_AFTER: Duration = Duration::from_millis(500);

/// How long a chunk waits behind what others ask of the same engine: longer than any one bulk search may take.
const LONGEST_WAIT: Duration = Duration::from_secs(LONGEST_ITEM + SLACK);

/// `google.rpc.Code`s of items that somebody else, or the same engine later, may still answer.
const PASSING: [i32; 5] = [
    1,  // CANCELLED
    8,  // RESOURCE_EXHAUSTED
    9,  // FAILED_PRECONDITION: a backend that only others have
    10, // ABORTED
    14, // UNAVAILABLE
];
const INVALID_ARGUMENT: i32 = 3;
const INTERNAL: i32 = 13;

/// How a try ended.
pub(super) enum End {
    /// Every item has a result.
    Done,
    /// The job ended while it was worked at.
    JobEnded,
    /// Somebody else has the chunk.
    Lost,
    /// The worker has to stop.
    Stopped,
    /// Trouble that is not the chunk's.
    Postponed(Fault),
    /// The engine changed under the work.
    OtherPins,
    /// The chunk failed.
    Failed(Verdict, String),
}

/// A chunk that is being worked at.
pub(super) struct Chunk<'a> {
    worker: &'a Worker,
    job: &'a Job,
    task: Task,
    lease: Box<dyn Lease>,
    /// Results that are not written yet, and when the oldest came.
    unwritten: Vec<Row>,
    oldest: Instant,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(worker: &'a Worker, job: &'a Job, task: Task, lease: Box<dyn Lease>) -> Self {
        Self {
            worker,
            job,
            task,
            lease,
            unwritten: Vec::new(),
            oldest: Instant::now(),
        }
    }

    pub(super) fn into_lease(self) -> Box<dyn Lease> {
        self.lease
    }

    /// Has the items answered that have no result, and writes the results.
    pub(super) async fn attempt(&mut self, stop: &mut watch::Receiver<bool>) -> End {
        let end = self.answer(stop).await;
        match end {
            // Nobody may write under a lease that is not theirs, nor for a job that has ended.
            End::Lost | End::JobEnded | End::OtherPins => end,
            end if self.unwritten.is_empty() => end,
            end => match self.write().await {
                Ok(()) => end,
                Err(instead) => instead,
            },
        }
    }

    async fn answer(&mut self, stop: &mut watch::Receiver<bool>) -> End {
        let Worker { store, compute, .. } = self.worker;
        let (id, span) = (&self.task.job_id, self.task.span);
        let missing = match store.missing(id, span).await {
            Ok(missing) => missing,
            Err(fault) => return End::Postponed(fault),
        };
        if missing.is_empty() {
            return End::Done;
        }
        let items = match store.items(id, span).await {
            Ok(items) => items,
            Err(fault @ Fault::Damaged(_)) => {
                return End::Failed(Verdict::after_failure(&self.task), fault.to_string());
            }
            Err(fault) => return End::Postponed(fault),
        };
        let along_game = self.job.bulk_mode() == BulkMode::AlongGame;
        let wanted: Vec<u32> = if along_game {
            // What neighbours left behind is part of an answer: a game is searched as a whole or not at all.
            span.places().collect()
        } else {
            missing.clone()
        };
        let item_at = |place: u32| items.get(place.checked_sub(span.first)? as usize);
        let requests = wanted
            .iter()
            .filter_map(|&place| Some(request(self.job, place, item_at(place)?)))
            .collect();
        let mut answers = compute.analyse(requests);
        let mut open = wanted.len();
        let mut trouble: Option<End> = None;
        let period = self.lease.period();
        let mut beat = tokio::time::interval((period / 5).max(Duration::from_millis(10)));
        let patience = Duration::from_secs(self.job.patience_seconds.max(1).into());
        // Searches under way, by the names of their requests. What waits behind others' work costs it no try.
        let mut under_way: HashMap<String, Instant> = HashMap::new();
        let mut heard = Instant::now();
        while open > 0 {
            let write_at = (!self.unwritten.is_empty()).then(|| self.oldest + WRITE_AFTER);
            let answer = tokio::select! {
                biased;
                () = stopped(stop) => return End::Stopped,
                _ = beat.tick() => {
                    // Only progress holds a lease: an engine that hangs loses it like one that is gone.
                    if under_way.values().any(|begun| begun.elapsed() > patience) {
                        let reason = format!("a search did not end within {} s", patience.as_secs());
                        return End::Failed(Verdict::after_failure(&self.task), reason);
                    }
                    if under_way.is_empty() && heard.elapsed() > LONGEST_WAIT {
                        let reason = "the engine began no search of a chunk".to_owned();
                        return End::Postponed(Fault::Unavailable(reason));
                    }
                    if self.lease.renew().await.is_err() {
                        return End::Lost;
                    }
                    continue;
                }
                () = sleep_until(write_at) => {
                    if let Err(end) = self.write().await {
                        return end;
                    }
                    continue;
                }
                answer = answers.next() => answer,
            };
            heard = Instant::now();
            let answer = match answer {
                Some(Ok(News::Begun(name))) => {
                    under_way.insert(name, heard);
                    continue;
                }
                Some(Ok(News::Answer(answer))) => answer,
                Some(Err(fault)) => return End::Postponed(fault),
                None => {
                    let fault = Fault::Unavailable("the engine left items without an answer".to_owned());
                    return End::Postponed(fault);
                }
            };
            open -= 1;
            under_way.remove(&answer.id);
            match self.judge(answer, &item_at) {
                Judged::Result(row) => {
                    if missing.binary_search(&row.index).is_ok() {
                        self.keep(*row);
                    }
                }
                Judged::Trouble(end) => {
                    // What is wrong with the items counts for more than what passes.
                    if !matches!(trouble, Some(End::Failed(..) | End::OtherPins)) {
                        trouble = Some(end);
                    }
                }
            }
            if self.unwritten.len() >= WRITE_AT
                && let Err(end) = self.write().await
            {
                return end;
            }
        }
        trouble.unwrap_or(End::Done)
    }

    fn keep(&mut self, row: Row) {
        if self.unwritten.is_empty() {
            self.oldest = Instant::now();
        }
        self.unwritten.push(row);
    }

    /// Writes what was found, if it was found by the engine that it has to come from.
    async fn write(&mut self) -> Result<(), End> {
        let pins = self.worker.compute.pins().await.map_err(End::Postponed)?;
        if !pins.contains(&self.job.pins()) {
            return Err(End::OtherPins);
        }
        let rows = std::mem::take(&mut self.unwritten);
        match self.worker.store.put(&self.task.job_id, rows).await {
            Ok(Some(progress)) if progress.is_running(self.job.items) => Ok(()),
            Ok(_) => Err(End::JobEnded),
            Err(fault) => Err(End::Postponed(fault)),
        }
    }

    fn judge<'i>(
        &self,
        answer: v1::BatchAnalyzeResponse,
        item_at: &impl Fn(u32) -> Option<&'i Item>,
    ) -> Judged {
        let Some((place, item)) = answer
            .id
            .parse()
            .ok()
            .and_then(|place| Some((place, item_at(place)?)))
        else {
            return Judged::Trouble(End::Postponed(Fault::Failed(
                "the engine answered an item that was not asked".to_owned(),
            )));
        };
        let outcome = match answer.outcome {
            Some(batch_analyze_response::Outcome::Response(response)) => {
                if response.stopped_by() == v1::StoppedBy::Shutdown {
                    return Judged::Trouble(End::Postponed(Fault::Unavailable(
                        "the engine is shutting down".to_owned(),
                    )));
                }
                Outcome::Response(response)
            }
            Some(batch_analyze_response::Outcome::Error(error)) => match self.judge_error(&error) {
                Some(end) => return Judged::Trouble(end),
                None => Outcome::Error(error),
            },
            None => {
                let reason = "an answer without content".to_owned();
                return Judged::Trouble(End::Failed(Verdict::after_failure(&self.task), reason));
            }
        };
        Judged::Result(Box::new(row(place, item, outcome, answer.bulk_mode)))
    }

    /// What an item's error means for the chunk; `None` if it is the item's result.
    fn judge_error(&self, error: &ItemError) -> Option<End> {
        if PASSING.contains(&error.code) {
            return Some(End::Postponed(Fault::Unavailable(error.message.clone())));
        }
        if error.code != INVALID_ARGUMENT {
            return Some(End::Failed(
                Verdict::after_failure(&self.task),
                error.message.clone(),
            ));
        }
        // The job named its network when it was taken, so an engine that does not know it is another one by now.
        let is_network = error
            .violations
            .iter()
            .any(|violation| violation.field == "network");
        is_network.then_some(End::OtherPins)
    }
}

enum Judged {
    Result(Box<Row>),
    Trouble(End),
}

/// Writes an error as the result of a single item that fails whoever tries it.
pub(super) async fn give_up(worker: &Worker, job: &Job, task: &Task, reason: &str) -> Result<(), Fault> {
    let items = match worker.store.items(&task.job_id, task.span).await {
        Err(Fault::Damaged(_)) => vec![Item::default(); task.span.count as usize],
        items => items?,
    };
    let rows = task.span.places().zip(&items).map(|(place, item)| {
        let mut message = reason.to_owned();
        message.truncate(message.floor_char_boundary(1024));
        let error = ItemError {
            code: INTERNAL,
            message,
            violations: Vec::new(),
        };
        row(place, item, Outcome::Error(error), BulkMode::Unspecified.into())
    });
    let progress = worker.store.put(&task.job_id, rows.collect()).await?;
    if progress.is_none_or(|progress| !progress.is_running(job.items)) {
        worker.queue.forget(&task.job_id).await?;
    }
    Ok(())
}

fn row(place: u32, item: &Item, outcome: Outcome, bulk_mode: i32) -> Row {
    Row {
        cursor: String::new(),
        item_id: item.item_id.clone(),
        index: place,
        fen: item.fen.clone(),
        outcome: Some(outcome),
        bulk_mode,
    }
}

fn request(job: &Job, place: u32, item: &Item) -> BatchAnalyzeRequest {
    BatchAnalyzeRequest {
        id: place.to_string(),
        position: item.position.clone(),
        limits: job.limits,
        multipv: job.multipv,
        search_moves: item.search_moves.clone(),
        backend: job.backend,
        network: job.network_hash.clone(),
        threads: 1,
        bulk_mode: job.bulk_mode,
        game: item.game.clone(),
    }
}

/// Completes at a point in time, or never.
async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
