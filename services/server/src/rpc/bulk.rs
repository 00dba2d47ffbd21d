//! Streams of items: bounded work in flight, an error for each wrong item, an end when the server drains.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::{StreamExt, stream};
use prost::Message;
use tabiya_api::{MAX_MESSAGE_BYTES, convert::check_id, error::ServiceError};
use tokio_stream::Stream;
use tonic::{Status, Streaming};

use super::{
    Context,
    chunks::Chunks,
    item::{Item, bounded},
    placed::{Place, Placed, PlacedItems},
};
use crate::{
    compute::{Class, StopGuard},
    engine::Engine,
    metrics::Metrics,
    phase::{Lifecycle, Phase},
};

/// Chunks of one stream that are worked on at once.
const CHUNKS_IN_FLIGHT: usize = 4;

/// A stream of answers.
pub(super) type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// A request stream with each item's place in it, which ends when the server drains, and a flag that says that it
/// did so.
pub(super) fn until_draining<Q: Send + 'static>(
    items: Streaming<Q>,
    context: &Context,
    lifecycle: &Lifecycle,
) -> (impl Stream<Item = Placed<Q>> + Send + use<Q>, Arc<AtomicBool>) {
    let ended = Arc::new(AtomicBool::new(false));
    let draining = until(lifecycle, Phase::Draining, &ended);
    (PlacedItems::of(items, context).take_until(draining), ended)
}

/// Completes once the server is at `phase`, and says then that the stream did not end by itself. A stream that is full
/// does not look at its input: whatever ends it has to say so.
pub(super) fn until(
    lifecycle: &Lifecycle,
    phase: Phase,
    ended: &Arc<AtomicBool>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let (ended, reached) = (ended.clone(), lifecycle.reached(phase));
    Box::pin(async move {
        reached.await;
        ended.store(true, Ordering::Relaxed);
    })
}

/// UNAVAILABLE after the answers, if the server broke the request stream off: the rest has to be sent elsewhere.
pub(super) fn with_ending<A: Send + 'static>(
    answers: impl Stream<Item = Result<A, Status>> + Send + 'static,
    ended: Arc<AtomicBool>,
) -> Answers<A> {
    let ending = stream::once(async move {
        ended
            .load(Ordering::Relaxed)
            .then(|| Err(Status::from(ServiceError::ShuttingDown)))
    });
    Box::pin(answers.chain(ending.filter_map(std::future::ready)))
}

/// Answers each item on the compute threads for bulk work of the rules and keeps the order. An item that is wrong, that
/// `answer` fails on or whose answer does not fit into a message gets its own error. The guard's flag is raised when nobody
/// reads the answers any more.
pub(super) fn ordered<Q: Item>(
    items: Streaming<Q>,
    context: &Context,
    engine: &Engine,
    guard: StopGuard,
    answer: impl Fn(Q) -> Result<Q::Response, ServiceError> + Send + Sync + 'static,
) -> Answers<Q::Answer> {
    let answer = Arc::new(answer);
    let (items, ended) = until_draining(items, context, &engine.lifecycle);
    let (context, engine) = (context.clone(), engine.clone());
    let answers = Chunks::of(Box::pin(items))
        .map(move |chunk| {
            let (context, engine, answer) = (context.clone(), engine.clone(), answer.clone());
            let stop = guard.flag();
            async move {
                let chunk = match read_error(chunk) {
                    Ok(chunk) => chunk,
                    Err(status) => return vec![Err(status)],
                };
                let chunk_len = chunk.len();
                let _held = context.take_when_free(chunk_len).await;
                let _admitted = match engine
                    .admission
                    .gate(Class::Bulk)
                    .admit_when_free(chunk_len)
                    .await
                {
                    Ok(admitted) => admitted,
                    Err(error) => return vec![Err(error.into())],
                };
                context.stats.add_positions(chunk_len);
                let metrics = engine.metrics.clone();
                let work = move || -> Vec<Result<Q::Answer, Status>> {
                    let one = |(place, item): Placed<Q>| Ok(answer_item(&place, item?, &*answer, &metrics));
                    let wanted = |_: &Placed<Q>| !stop.load(Ordering::Relaxed);
                    chunk.into_iter().take_while(wanted).map(one).collect()
                };
                let chunk = async { engine.rules_bulk.submit_when_free(chunk_len, work).await?.await }.await;
                match chunk {
                    Ok(timed) => {
                        context.stats.add_times(timed.queue_time, timed.compute_time);
                        timed.value
                    }
                    Err(error) => vec![Err(error.into())],
                }
            }
        })
        .buffered(CHUNKS_IN_FLIGHT)
        .flat_map(stream::iter);
    with_ending(answers, ended)
}

/// A chunk that begins with the stream's error holds nothing else, and that waits for no room: it is the error.
pub(super) fn read_error<Q>(mut chunk: Vec<Placed<Q>>) -> Result<Vec<Placed<Q>>, Status> {
    match chunk.first() {
        Some((_, Err(_))) => chunk.swap_remove(0).1.map(|_| Vec::new()),
        _ => Ok(chunk),
    }
}

fn answer_item<Q: Item>(
    place: &Place,
    mut item: Q,
    answer: &impl Fn(Q) -> Result<Q::Response, ServiceError>,
    metrics: &Metrics,
) -> Q::Answer {
    let id = item.take_id();
    let answered = match check_id(&id) {
        Ok(()) => catch_unwind(AssertUnwindSafe(|| answer(item))).unwrap_or_else(|_| {
            metrics.panics.work.inc();
            Err(ServiceError::Internal("an item failed".into()))
        }),
        Err(violations) => Err(violations.into()),
    };
    let id = bounded(id);
    let outcome = answered.map_err(|error| error.to_item_error());
    let answer = Q::answer(id.clone(), place.index, outcome);
    if answer.encoded_len() <= MAX_MESSAGE_BYTES {
        return answer;
    }
    let error = ServiceError::answer_too_long("message", &id);
    Q::answer(id, place.index, Err(error.to_item_error()))
}
