//! An engine elsewhere, behind the client.

use std::fmt::Display;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use tabiya_client::{
    Client, RetryPolicy,
    v1::{
        Backend, BackendInfo, BatchAnalyzeRequest, GetEngineInfoRequest, GetEngineInfoResponse, NetworkInfo,
    },
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

/// Whether a graphics processor works for each of the networks: a task that is kept for one may be by any of them.
fn has_gpu(networks: &[NetworkInfo]) -> bool {
    let is_gpu = |backend: &BackendInfo| backend.kind() == Backend::Gpu && backend.available;
    let works = |network: &NetworkInfo| network.backends.iter().any(is_gpu);
    !networks.is_empty() && networks.iter().all(works)
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
        Ok(has_gpu(&self.info().await?.networks))
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let in_flight = requests.len();
        self.client
            .analyze_many(stream::iter(requests), in_flight)
            .map(|answer| answer.map(News::Answer).map_err(away))
            .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_needs_a_graphics_processor_that_works() {
        let backend = |kind: Backend, available| BackendInfo {
            kind: kind.into(),
            available,
            ..BackendInfo::default()
        };
        let network = |gpu: Option<bool>| NetworkInfo {
            backends: [
                Some(backend(Backend::Cpu, true)),
                gpu.map(|works| backend(Backend::Gpu, works)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            ..NetworkInfo::default()
        };
        let (works, lost, none) = (network(Some(true)), network(Some(false)), network(None));
        for (networks, expected) in [
            (vec![], false),
            (vec![works.clone()], true),
            (vec![works.clone(), works.clone()], true),
            (vec![works.clone(), lost.clone()], false),
            (vec![lost], false),
            (vec![none.clone(), works.clone()], false),
            (vec![works, none], false),
        ] {
            assert_eq!(has_gpu(&networks), expected, "{networks:?}");
        }
    }
}
