//! The engine of this process as what the workers of jobs search with.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tabiya_api::v1;
use tabiya_jobs::{Answers, Compute, Fault, Pins};
use tokio::sync::Semaphore;

use crate::{
    engine::Engine,
    rpc::{
        Context,
        search::{search_items, turns},
    },
};

/// The engine of this process, with what its answers come from.
#[derive(Debug)]
pub(crate) struct OwnEngine {
    engine: Engine,
    pins: Pins,
    /// All chunks together are no more than one stream.
    turns: Arc<Semaphore>,
}

impl OwnEngine {
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            pins: pins(engine),
            turns: turns(engine),
        }
    }
}

/// What answers of this engine come from.
pub(crate) fn pins(engine: &Engine) -> Pins {
    Pins {
        engine: env!("CARGO_PKG_VERSION").into(),
        network: engine.network_hash(),
        tables: engine.tables_hash(),
    }
}

#[tonic::async_trait]
impl Compute for OwnEngine {
    async fn pins(&self) -> Result<Pins, Fault> {
        Ok(self.pins.clone())
    }

    fn analyse(&self, requests: Vec<v1::BatchAnalyzeRequest>) -> Answers {
        let items = stream::iter((0..).zip(requests.into_iter().map(Ok)));
        search_items(&self.engine, Context::own(), self.turns.clone(), items)
            .map(|answer| answer.map_err(|status| Fault::Unavailable(status.message().to_owned())))
            .boxed()
    }
}
