//! `grpc.health.v1`: whether the process lives under `liveness`, whether it takes calls under the empty name, readiness
//! under `readiness` and each service's name.

use std::pin::Pin;

use tabiya_api::v1::{
    arbiter_service_server, job_service_server, rules_service_server, search_service_server,
};
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::WatchStream};
use tonic::{Request, Response, Status};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus, health_server::Health,
};

use crate::phase::{Lifecycle, Phase};

/// Names that answer with readiness: the services by the names under which they are served.
const READINESS_NAMES: &[&str] = &[
    "readiness",
    rules_service_server::SERVICE_NAME,
    arbiter_service_server::SERVICE_NAME,
    search_service_server::SERVICE_NAME,
    job_service_server::SERVICE_NAME,
];

/// The conditions for readiness.
#[derive(Clone, Debug)]
pub(crate) struct Proof(watch::Sender<Conditions>);

#[derive(Clone, Copy, Debug, Default)]
struct Conditions {
    /// A real batch of evaluations has come out right.
    computes: bool,
    /// What this process takes its work from does not answer.
    is_cut_off: bool,
}

impl Proof {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Conditions::default()))
    }

    /// A real batch of evaluations has come out right.
    pub(crate) fn give(&self) {
        self.0.send_modify(|conditions| conditions.computes = true);
    }

    /// What this process takes its work from answers no more, or again.
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        self.0
            .send_modify(|conditions| conditions.is_cut_off = is_cut_off);
    }

    /// Whether all of them hold.
    pub(crate) fn given(&self) -> bool {
        let conditions = *self.0.borrow();
        conditions.computes && !conditions.is_cut_off
    }
}

/// The health service. It holds no locks that work could hold too.
#[derive(Clone, Debug)]
pub(crate) struct HealthCheck {
    proof: Proof,
    lifecycle: Lifecycle,
}

impl HealthCheck {
    pub(crate) fn new(proof: Proof, lifecycle: Lifecycle) -> Self {
        Self { proof, lifecycle }
    }

    /// The status of a name; `None` for a name that nobody serves.
    pub(crate) fn status(&self, name: &str) -> Option<ServingStatus> {
        // A server that is being drained is alive: restarting it would break what it is finishing.
        let serving = match name {
            "liveness" => self.lifecycle.phase() < Phase::Cut,
            // Clients that choose among servers ask for this one: it says first that the server is leaving.
            "" => self.lifecycle.phase() == Phase::Serving,
            _ if READINESS_NAMES.contains(&name) => {
                self.proof.given() && self.lifecycle.phase() == Phase::Serving
            }
            _ => return None,
        };
        Some(if serving {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        })
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse {
        status: status as i32,
    }
}

#[tonic::async_trait]
impl Health for HealthCheck {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        match self.status(&request.into_inner().service) {
            Some(status) => Ok(Response::new(response(status))),
            None => Err(Status::not_found("service not registered")),
        }
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let name = request.into_inner().service;
        let health = self.clone();
        let ticks = WatchStream::new(self.proof.0.subscribe())
            .map(|_| ())
            .merge(WatchStream::new(self.lifecycle.subscribe()).map(|_| ()));
        let mut last = None;
        let changes = ticks.filter_map(move |()| {
            let status = health.status(&name).unwrap_or(ServingStatus::ServiceUnknown);
            (last.replace(status) != Some(status)).then(|| Ok(response(status)))
        });
        // An open watch would hold up the drain for ever: it ends with the connections.
        let ended = self.lifecycle.reached(Phase::Draining);
        Ok(Response::new(Box::pin(futures_util::StreamExt::take_until(
            changes,
            Box::pin(ended),
        ))))
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_service_of_the_contract_has_a_status() {
        let health = HealthCheck::new(Proof::new(), Lifecycle::new());
        let files = FileDescriptorSet::decode(tabiya_api::FILE_DESCRIPTOR_SET)
            .unwrap()
            .file;
        let mut services = 0;
        for file in files.iter().filter(|file| file.package() == "tabiya.v1") {
            for service in &file.service {
                let name = format!("tabiya.v1.{}", service.name());
                assert_eq!(health.status(&name), Some(ServingStatus::NotServing), "{name}");
                services += 1;
            }
        }
        assert_eq!(services + 1, READINESS_NAMES.len());
    }
}
