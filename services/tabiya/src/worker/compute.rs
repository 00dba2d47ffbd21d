//! An engine elsewhere, behind the client.

use std::fmt::Display;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use tabiya_client::{
    Client, RetryPolicy,
    v1::{Backend, BackendInfo, BatchAnalyzeRequest, GetEngineInfoRequest, GetEngineInfoResponse},
};
use tabiya_jobs::{Answers, Compute, Fault, News, Pins};

/// An engine that may be replaced by another at any time.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    client: Client,
}

impl Remote {
    /// A broken stream is not resumed: the rest of it might come from another engine.
    pub(super) fn new(client: &Client) -> Self {
        let once = RetryPolicy {
            attempts: 1,
            ..RetryPolicy::default()
        };
        Self {
            client: client.clone().with_retries(once),
        }
    }

    async fn info(&self) -> Result<GetEngineInfoResponse, Fault> {
        self.client
            .get_engine_info(GetEngineInfoRequest {})
            .await
            .map_err(away)
    }
}

fn away(reason: impl Display) -> Fault {
    Fault::Unavailable(format!("the engine: {reason}"))
}

#[async_trait]
impl Compute for Remote {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        let info = self.info().await?;
        if info.networks.is_empty() {
            return Err(away("it has no network"));
        }
        let tables = info.endgame_tables.map(|tables| tables.hash).unwrap_or_default();
        let networks = info.networks.into_iter();
        let pins = networks.map(|network| Pins {
            engine: info.version.clone(),
            network: network.hash,
            tables: tables.clone(),
        });
        Ok(pins.collect())
    }

    async fn has_gpu(&self) -> Result<bool, Fault> {
        let info = self.info().await?;
        let is_gpu = |backend: &BackendInfo| backend.kind() == Backend::Gpu && backend.available;
        Ok(info.backends.iter().any(is_gpu))
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let in_flight = requests.len();
        self.client
            .analyze_many(stream::iter(requests), in_flight)
            .map(|answer| answer.map(News::Answer).map_err(away))
            .boxed()
    }
}
