//! What every call passes on its way in and out: panics are caught, the deadline is kept, one line is logged.

mod body;
mod deadline;
mod log;
mod oversize;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use tonic::{Code, Status, body::Body, service::Routes};
use tower::Service;

pub(crate) use body::EdgeBody;
pub(crate) use deadline::Deadline;
pub(crate) use log::RequestStats;

use log::RequestLog;

/// The services with what every call passes.
#[derive(Clone)]
pub(crate) struct Edge {
    routes: Routes,
    calls: Arc<()>,
}

impl Edge {
    /// `calls` is cloned for each call in flight, so its strong count tells how many there are.
    pub(crate) fn new(routes: Routes, calls: Arc<()>) -> Self {
        Self { routes, calls }
    }
}

impl hyper::service::Service<Request<Incoming>> for Edge {
    type Response = Response<EdgeBody>;
    type Error = std::convert::Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let started = Instant::now();
        let stats = Arc::new(RequestStats::default());
        let log = RequestLog::new(request.uri().path(), started, stats.clone(), self.calls.clone());
        let deadline = match deadline::from_headers(request.headers(), started) {
            Ok(deadline) => deadline,
            Err(error) => {
                let response = Status::from(error).into_http::<Body>();
                return std::future::ready(Ok(finish(response, None, log))).boxed();
            }
        };
        // From here on the deadline is ours: nothing below shall time the call out in its own way.
        request.headers_mut().remove(deadline::HEADER);
        request.extensions_mut().insert(stats);
        if let Some(deadline) = deadline {
            request.extensions_mut().insert(deadline);
        }

        let mut routes = self.routes.clone();
        async move {
            let call = AssertUnwindSafe(async move { routes.call(request).await }).catch_unwind();
            let outcome = match deadline {
                Some(Deadline(at)) => match tokio::time::timeout_at(at.into(), call).await {
                    Ok(outcome) => outcome,
                    Err(_) => Ok(Ok(deadline_exceeded().into_http())),
                },
                None => call.await,
            };
            let response = match outcome {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => panicked().into_http(),
            };
            Ok(finish(response, deadline, log))
        }
        .boxed()
    }
}

/// Hands the log line to the body, which writes it when the last byte is out.
fn finish(response: Response<Body>, deadline: Option<Deadline>, mut log: RequestLog) -> Response<EdgeBody> {
    // A call that fails before its first message has its status among the headers.
    if let Some(status) = Status::from_header_map(response.headers()) {
        if let Some(status) = oversize::in_our_words(&status) {
            log.set_code(status.code());
            return status.into_http().map(|body| EdgeBody::new(body, deadline, log));
        }
        log.set_code(status.code());
    } else if !response.status().is_success() {
        log.set_code(Code::Unknown);
    } else if response.body().is_end_stream() {
        log.set_code(Code::Ok);
    }
    response.map(|body| EdgeBody::new(body, deadline, log))
}

fn deadline_exceeded() -> Status {
    tabiya_api::error::ServiceError::DeadlineExceeded.into()
}

fn panicked() -> Status {
    tabiya_api::error::ServiceError::Internal("a handler failed".into()).into()
}
