//! Browsers: gRPC-Web, and which pages may use it.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use hyper_util::service::TowerToHyperService;
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::Layer;
use tower_http::cors::{AllowOrigin, Cors, CorsLayer};

use super::Edge;

/// How long a browser may remember what it was allowed.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// What pages may send.
const SENT: [HeaderName; 9] = [
    header::ACCEPT_LANGUAGE,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-user-agent"),
];

/// What pages may read of an answer.
const READ: [HeaderName; 5] = [
    HeaderName::from_static("grpc-encoding"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-status-details-bin"),
    HeaderName::from_static("x-request-id"),
];

/// How browsers are answered.
#[derive(Clone, Debug)]
pub(crate) struct Web(CorsLayer);

impl Web {
    /// Pages of these origins may call; without any, only programs and pages of the same origin.
    pub(crate) fn new(origins: &[String]) -> Self {
        let origins = origins
            .iter()
            .filter_map(|origin| HeaderValue::from_str(origin).ok());
        Self(
            CorsLayer::new()
                .allow_origin(AllowOrigin::list(origins))
                .allow_methods([Method::POST])
                .allow_headers(SENT)
                .expose_headers(READ)
                .max_age(MAX_AGE),
        )
    }

    /// The calls of a connection, for browsers as well.
    pub(crate) fn service(&self, edge: Edge) -> TowerToHyperService<Cors<GrpcWebService<Edge>>> {
        TowerToHyperService::new(self.0.layer(GrpcWebLayer::new().layer(edge)))
    }
}
