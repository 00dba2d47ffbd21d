//! Which services each port serves.

use tabiya_api::{
    FILE_DESCRIPTOR_SET, MAX_MESSAGE_BYTES,
    v1::{
        arbiter_service_server::ArbiterServiceServer, job_service_server::JobServiceServer,
        rules_service_server::RulesServiceServer, search_service_server::SearchServiceServer,
    },
};
use tonic::service::Routes;
use tonic_health::pb::{FILE_DESCRIPTOR_SET as HEALTH_DESCRIPTOR_SET, health_server::HealthServer};

use crate::{
    engine::Engine,
    health::{HealthCheck, Proof},
    jobs::Jobs,
    phase::Lifecycle,
    rpc::{Arbiter, JobCalls, Rules, Search},
};

/// Sets the limits of message sizes, which tonic leaves open for answers.
macro_rules! bounded {
    ($service:expr) => {
        $service
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    };
}

/// The main port: everything, and descriptions of it if wanted.
pub(crate) fn main(
    engine: &Engine,
    jobs: Option<Jobs>,
    proof: Proof,
    lifecycle: Lifecycle,
    with_reflection: bool,
) -> Routes {
    let mut routes = Routes::new(HealthServer::new(HealthCheck::new(proof, lifecycle)))
        .add_service(bounded!(RulesServiceServer::new(Rules::new(engine.clone()))))
        .add_service(bounded!(ArbiterServiceServer::new(Arbiter::new(engine.clone()))))
        .add_service(bounded!(SearchServiceServer::new(Search::new(engine.clone()))))
        .add_service(bounded!(JobServiceServer::new(JobCalls::new(
            engine.clone(),
            jobs
        ))));
    if !with_reflection {
        return routes.prepare();
    }
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(HEALTH_DESCRIPTOR_SET)
    };
    // The descriptors are part of the program; a test asks for them over the wire.
    match reflection().build_v1() {
        Ok(service) => routes = routes.add_service(service),
        Err(error) => tracing::error!(%error, "no reflection v1"),
    }
    match reflection().build_v1alpha() {
        Ok(service) => routes = routes.add_service(service),
        Err(error) => tracing::error!(%error, "no reflection v1alpha"),
    }
    routes.prepare()
}

/// The admin port: health only.
pub(crate) fn admin(proof: Proof, lifecycle: Lifecycle) -> Routes {
    Routes::new(HealthServer::new(HealthCheck::new(proof, lifecycle))).prepare()
}
