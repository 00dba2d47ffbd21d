//! Plain pages of the admin port, for scrapers and for people without a gRPC client.

use std::{convert::Infallible, sync::Arc};

use http::{Method, Request, Response, StatusCode, header};
use tonic_health::pb::health_check_response::ServingStatus;

use crate::{
    health::HealthCheck,
    metrics::{Page, Text},
};

/// Answers `/metrics`, `/livez` and `/readyz` over HTTP/1.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    health: HealthCheck,
    metrics: Arc<Page>,
}

impl Pages {
    pub(crate) fn new(health: HealthCheck, metrics: Page) -> Self {
        Self {
            health,
            metrics: Arc::new(metrics),
        }
    }

    /// The answer to a request, of which the body does not matter.
    ///
    /// # Errors
    /// None.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Result<Response<String>, Infallible> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Ok(plain(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered\n"));
        }
        Ok(match request.uri().path() {
            "/metrics" => {
                let accept = request.headers().get(header::ACCEPT);
                let accept = accept.and_then(|value| value.to_str().ok()).unwrap_or_default();
                match self.metrics.text(accept) {
                    Ok(Text { content_type, body }) => answer(StatusCode::OK, content_type, body),
                    Err(_) => plain(
                        StatusCode::INTERNAL_SERVER_ERROR,
                        "the metrics cannot be written\n",
                    ),
                }
            }
            "/livez" => self.health_of("liveness"),
            "/readyz" => self.health_of("readiness"),
            _ => plain(
                StatusCode::NOT_FOUND,
                "there are /metrics, /livez, /readyz, and gRPC health\n",
            ),
        })
    }

    /// The answer to a request on a connection that is one too many.
    ///
    /// # Errors
    /// None.
    pub(crate) fn refuse(connections: usize) -> Result<Response<String>, Infallible> {
        let text = format!("as many connections are open as are served at once: {connections}\n");
        Ok(plain(StatusCode::SERVICE_UNAVAILABLE, &text))
    }

    fn health_of(&self, name: &str) -> Response<String> {
        if self.health.status(name) == Some(ServingStatus::Serving) {
            plain(StatusCode::OK, "ok\n")
        } else {
            plain(StatusCode::SERVICE_UNAVAILABLE, "not serving\n")
        }
    }
}

fn plain(status: StatusCode, text: &str) -> Response<String> {
    answer(status, "text/plain; charset=utf-8", text.to_owned())
}

fn answer(status: StatusCode, content_type: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, http::HeaderValue::from_static(content_type));
    response
}
