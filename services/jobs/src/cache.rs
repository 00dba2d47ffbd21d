//! Answers that were found before, and identical questions under way that are asked once.

mod counts;
#[cfg(test)]
mod tests;

pub use counts::CacheCounts;

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, FuturesUnordered, SelectAll},
};
use prost::Message;
use sha2::{Digest, Sha256};
use tabiya_api::v1::{
    AnalyzeResponse, BatchAnalyzeRequest, BatchAnalyzeResponse, BulkMode, batch_analyze_response::Outcome,
};
use tokio::sync::{mpsc, oneshot};

use crate::{Answers, Compute, Fault, News, Pins};
use counts::Source;

/// SHA-256 of everything that an answer depends on.
type Key = [u8; 32];

/// An engine with a memory. An answer is given again only while the engine is what it was: its pins are part of the key.
///
/// Only answers that are the same whoever computes them are kept: positions searched by themselves, with a limit of
/// nodes, depth or mate and none of time. The figures of work in an answer are those of the first time.
#[derive(Clone)]
pub struct Cached {
    engine: Arc<dyn Compute>,
    answers: moka::future::Cache<Key, Arc<AnalyzeResponse>>,
    counts: Arc<CacheCounts>,
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached")
            .field("bytes", &self.answers.weighted_size())
            .finish_non_exhaustive()
    }
}

impl Cached {
    /// Keeps answers of `engine`, as many as take so many bytes when they are encoded. What was not asked for longest goes
    /// first.
    pub fn new(engine: Arc<dyn Compute>, bytes: u64) -> Self {
        let weigh = |_: &Key, answer: &Arc<AnalyzeResponse>| {
            u32::try_from(size_of::<Key>() + answer.encoded_len()).unwrap_or(u32::MAX)
        };
        Self {
            engine,
            answers: moka::future::Cache::builder()
                .max_capacity(bytes)
                .weigher(weigh)
                .build(),
            counts: Arc::default(),
        }
    }

    /// Where its answers came from, as it goes on.
    pub fn counts(&self) -> Arc<CacheCounts> {
        self.counts.clone()
    }
}

#[async_trait::async_trait]
impl Compute for Cached {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        self.engine.pins().await
    }

    async fn has_gpu(&self) -> Result<bool, Fault> {
        self.engine.has_gpu().await
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let cached = self.clone();
        stream::once(async move {
            match cached.engine.pins().await {
                Ok(pins) => cached.answers_of(&pins, requests),
                Err(fault) => stream::once(async { Err(fault) }).boxed(),
            }
        })
        .flatten()
        .boxed()
    }
}

/// A question that nobody knows the answer to, and who wants it.
type Ask = (BatchAnalyzeRequest, oneshot::Sender<BatchAnalyzeResponse>);

impl Cached {
    /// The answers of an engine with these pins, one set for each network.
    fn answers_of(&self, pins: &[Pins], requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let (ask, asked) = mpsc::unbounded_channel();
        let waiting = FuturesUnordered::new();
        let mut apart = Vec::new();
        for request in requests {
            match key(pins, &request) {
                Some(key) => waiting.push(self.answer(key, request, ask.clone())),
                None => apart.push(request),
            }
        }
        let mut under_way = SelectAll::new();
        if !apart.is_empty() {
            self.counts.note(Source::EngineAlone, apart.len() as u64);
            under_way.push(self.engine.analyse(apart));
        }
        let flight = Flight {
            engine: self.engine.clone(),
            waiting,
            asked,
            callers: HashMap::new(),
            under_way,
        };
        stream::unfold(flight, |mut flight| async move {
            let answer = std::future::poll_fn(|cx| flight.poll_next(cx)).await?;
            Some((answer, flight))
        })
        .boxed()
    }

    /// The answer to a request: known, under way for somebody else, or asked for here. `None` if it was asked for and did
    /// not come.
    fn answer(
        &self,
        key: Key,
        request: BatchAnalyzeRequest,
        ask: mpsc::UnboundedSender<Ask>,
    ) -> BoxFuture<'static, Option<BatchAnalyzeResponse>> {
        let (answers, counts) = (self.answers.clone(), self.counts.clone());
        let id = request.id.clone();
        async move {
            let mut source = match answers.contains_key(&key) {
                true => Source::Known,
                false => Source::UnderWay,
            };
            let asks = Arc::new(AtomicBool::new(false));
            let asking = asks.clone();
            let found = answers.try_get_with(key, async move {
                asking.store(true, Relaxed);
                let (sender, answer) = oneshot::channel();
                // The receiver stands beside this future in one `Flight`.
                let _ = ask.send((request, sender));
                let answer = answer.await.ok();
                match &answer {
                    Some(BatchAnalyzeResponse {
                        outcome: Some(Outcome::Response(response)),
                        ..
                    }) if response.stats.as_ref().is_some_and(|stats| stats.deterministic) => {
                        Ok(Arc::new(response.clone()))
                    }
                    // Handed to those who wait for the same, but not kept.
                    _ => Err(answer),
                }
            });
            let found = found.await;
            if asks.load(Relaxed) {
                source = Source::Engine;
            }
            counts.note(source, 1);
            match found {
                Ok(response) => Some(BatchAnalyzeResponse {
                    id,
                    outcome: Some(Outcome::Response((*response).clone())),
                    bulk_mode: BulkMode::Independent.into(),
                    ..BatchAnalyzeResponse::default()
                }),
                Err(answer) => (*answer)
                    .clone()
                    .map(|answer| BatchAnalyzeResponse { id, ..answer }),
            }
        }
        .boxed()
    }
}

/// The requests of one call.
struct Flight {
    engine: Arc<dyn Compute>,
    waiting: FuturesUnordered<BoxFuture<'static, Option<BatchAnalyzeResponse>>>,
    asked: mpsc::UnboundedReceiver<Ask>,
    /// Who wants which answer, by the request's `id`.
    callers: HashMap<String, oneshot::Sender<BatchAnalyzeResponse>>,
    under_way: SelectAll<Answers>,
}

impl Flight {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<News, Fault>>> {
        loop {
            match self.waiting.poll_next_unpin(cx) {
                Poll::Ready(Some(Some(answer))) => return Poll::Ready(Some(Ok(News::Answer(answer)))),
                Poll::Ready(Some(None)) => {
                    let fault = Fault::Unavailable("the engine left an item without an answer".to_owned());
                    return Poll::Ready(Some(Err(fault)));
                }
                Poll::Ready(None) | Poll::Pending => {}
            }
            let mut questions = Vec::new();
            while let Ok((request, caller)) = self.asked.try_recv() {
                self.callers.insert(request.id.clone(), caller);
                questions.push(request);
            }
            if !questions.is_empty() {
                self.under_way.push(self.engine.analyse(questions));
            }
            match self.under_way.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(begun @ News::Begun(_)))) => return Poll::Ready(Some(Ok(begun))),
                Poll::Ready(Some(Ok(News::Answer(answer)))) => match self.callers.remove(&answer.id) {
                    // Whoever waits for it is woken, and found at the next turn.
                    Some(caller) => {
                        let _ = caller.send(answer);
                    }
                    None => return Poll::Ready(Some(Ok(News::Answer(answer)))),
                },
                Poll::Ready(Some(Err(fault))) => return Poll::Ready(Some(Err(fault))),
                Poll::Ready(None) if self.waiting.is_empty() => return Poll::Ready(None),
                Poll::Ready(None) => {
                    // The engine is through: an answer that it owes will not come.
                    if self.callers.is_empty() {
                        return Poll::Pending;
                    }
                    self.callers.clear();
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// What the answer to a request depends on, for an engine with these pins; `None` if it is not the same whoever computes it, or
/// the network is none of the engine's.
fn key(pins: &[Pins], request: &BatchAnalyzeRequest) -> Option<Key> {
    let is_asked = |pins: &&Pins| request.network.is_empty() || pins.network == request.network;
    let pins = pins.iter().find(is_asked)?;
    let limits = request.limits.unwrap_or_default();
    let timeless = limits
        .time
        .is_none_or(|time| time.seconds == 0 && time.nanos == 0);
    if request.bulk_mode() == BulkMode::AlongGame || !timeless {
        return None;
    }
    let asked = BatchAnalyzeRequest {
        id: String::new(),
        game: String::new(),
        // Every backend gives the same answer.
        backend: 0,
        multipv: request.multipv.max(1),
        bulk_mode: BulkMode::Independent.into(),
        ..request.clone()
    };
    let mut digest = Sha256::new_with_prefix(pins.digest());
    digest.update(asked.encode_to_vec());
    Some(digest.finalize().into())
}
