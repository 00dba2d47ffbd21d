//! The engine of this process as what the workers of jobs search with.

use std::sync::Arc;

use futures_util::{StreamExt, future::ready, stream};
use tabiya_api::v1;
use tabiya_jobs::{Answers, Compute, Fault, News, Pins};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::{
    engine::{Engine, Served},
    rpc::{
        Context,
        placed::Place,
        search::{Begun, search_items, turns},
    },
};

/// The engine of this process, with what its answers come from.
#[derive(Debug)]
pub(crate) struct OwnEngine {
    engine: Engine,
    pins: Vec<Pins>,
    /// All chunks together are no more than one stream.
    turns: Arc<Semaphore>,
}

impl OwnEngine {
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            pins: engine
                .networks
                .iter()
                .map(|network| pins(engine, network))
                .collect(),
            turns: turns(engine),
        }
    }
}

/// What answers of this engine by a network come from.
pub(crate) fn pins(engine: &Engine, network: &Served) -> Pins {
    Pins {
        engine: env!("CARGO_PKG_VERSION").into(),
        network: network.hash.clone(),
        tables: engine.tables_hash(),
    }
}

#[tonic::async_trait]
impl Compute for OwnEngine {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        Ok(self.pins.clone())
    }

    async fn has_gpu(&self) -> Result<bool, Fault> {
        for network in self.engine.networks.iter() {
            if self.engine.seat(network, v1::Backend::Gpu).await.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn analyse(&self, requests: Vec<v1::BatchAnalyzeRequest>) -> Answers {
        let names: Vec<String> = requests.iter().map(|request| request.id.clone()).collect();
        let (tell, told) = mpsc::unbounded_channel();
        let begun = Begun::told(move |index| {
            let name = usize::try_from(index).ok().and_then(|index| names.get(index));
            if let Some(name) = name {
                // Nobody hears it once the chunk was let go.
                let _ = tell.send(News::Begun(name.clone()));
            }
        });
        let items = stream::iter((0..).map(Place::own).zip(requests.into_iter().map(Ok)));
        let answers = search_items(&self.engine, Context::own(), self.turns.clone(), begun, items)
            .map(|answer| {
                answer
                    .map(News::Answer)
                    .map_err(|status| Fault::Unavailable(status.message().to_owned()))
            })
            .map(Some)
            // When all answers are in, nothing more begins.
            .chain(stream::once(ready(None)));
        let begun = UnboundedReceiverStream::new(told).map(|begun| Some(Ok(begun)));
        // What has begun is looked for first, so that it is told before its answer.
        stream::select_with_strategy(begun, answers, |(): &mut ()| stream::PollNext::Left)
            .scan((), |(), news| ready(news))
            .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, health::Proof, phase::Lifecycle};

    fn request(id: usize) -> v1::BatchAnalyzeRequest {
        v1::BatchAnalyzeRequest {
            id: id.to_string(),
            position: Some(v1::Position::default()),
            limits: Some(v1::Limits {
                nodes: 20_000,
                ..v1::Limits::default()
            }),
            ..v1::BatchAnalyzeRequest::default()
        }
    }

    /// Of two chunks on one thread, no more than one search is under way at any time: what waits has not begun.
    #[tokio::test]
    async fn a_search_begins_when_it_has_a_thread() {
        let config = Config {
            bulk_threads: 1,
            ..Config::in_process()
        };
        let engine = Engine::start(&config, Lifecycle::new(), Proof::new()).unwrap();
        let own = OwnEngine::new(&engine);
        let chunks = [(0..4), (4..8)].map(|ids| own.analyse(ids.map(request).collect()));
        let mut news = stream::select_all(chunks);
        let (mut under_way, mut answers) = (Vec::new(), 0);
        while let Some(told) = news.next().await {
            match told.unwrap() {
                News::Begun(id) => under_way.push(id),
                News::Answer(answer) => {
                    assert_eq!(
                        under_way.iter().filter(|&id| *id == answer.id).count(),
                        1,
                        "{under_way:?}"
                    );
                    under_way.retain(|id| *id != answer.id);
                    answers += 1;
                }
            }
            // One more than there are threads: the next one begins before the last answer is on its way.
            assert!(under_way.len() <= 2, "{under_way:?}");
        }
        assert_eq!((answers, under_way.len()), (8, 0));
        engine.close();
    }
}
