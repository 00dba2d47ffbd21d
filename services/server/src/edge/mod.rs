//! What every call passes on its way in and out: panics are caught, the deadline is kept, one line is logged.

mod body;
mod calls;
mod deadline;
mod framing;
mod intake;
mod log;
mod overdue;
mod oversize;
mod request_body;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use tonic::{Code, Status, body::Body, service::Routes};
use tower::Service;

pub(crate) use body::EdgeBody;
pub(crate) use calls::Calls;
pub(crate) use deadline::Deadline;
pub(crate) use intake::Intake;
pub(crate) use log::RequestStats;

use crate::phase::Lifecycle;
use log::RequestLog;
use overdue::{Overdue, overdue};
use request_body::RequestBody;

/// The services with what every call passes.
#[derive(Clone)]
pub(crate) struct Edge {
    routes: Routes,
    calls: Arc<Calls>,
    intake: Intake,
    lifecycle: Lifecycle,
}

impl Edge {
    /// `calls` hears of every call on the connection; requests are charged to `intake`.
    pub(crate) fn new(routes: Routes, calls: Arc<Calls>, intake: Intake, lifecycle: Lifecycle) -> Self {
        Self {
            routes,
            calls,
            intake,
            lifecycle,
        }
    }
}

impl hyper::service::Service<Request<Incoming>> for Edge {
    type Response = Response<EdgeBody>;
    type Error = std::convert::Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let started = Instant::now();
        let stats = Arc::new(RequestStats::default());
        let share = self.intake.share();
        let log = RequestLog::new(
            request.uri().path(),
            started,
            stats.clone(),
            self.calls.begin(),
            share.clone(),
        );
        let deadline = match deadline::from_headers(request.headers(), started) {
            Ok(deadline) => deadline,
            Err(error) => {
                let response = Status::from(error).into_http::<Body>();
                return std::future::ready(Ok(finish(response, None, None, log))).boxed();
            }
        };
        // From here on the deadline is ours: nothing below shall time the call out in its own way.
        request.headers_mut().remove(deadline::HEADER);
        request.extensions_mut().insert(stats);
        if let Some(deadline) = deadline {
            request.extensions_mut().insert(deadline);
        }
        let intake = self.intake.clone();
        let request = request.map(|body| RequestBody::new(body, intake, share));

        let mut overdue = overdue(deadline, &self.lifecycle);
        let mut routes = self.routes.clone();
        async move {
            let call = AssertUnwindSafe(async move { routes.call(request).await }).catch_unwind();
            let outcome = tokio::select! {
                biased;
                outcome = call => outcome,
                status = &mut overdue => Ok(Ok(status.into_http())),
            };
            let response = match outcome {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => panicked().into_http(),
            };
            Ok(finish(response, deadline, Some(overdue), log))
        }
        .boxed()
    }
}

/// Hands the log line to the body, which writes it when the last byte is out.
fn finish(
    response: Response<Body>,
    deadline: Option<Deadline>,
    overdue: Option<Overdue>,
    mut log: RequestLog,
) -> Response<EdgeBody> {
    // A call that fails before its first message has its status among the headers.
    if let Some(status) = Status::from_header_map(response.headers()) {
        if let Some(status) = oversize::in_our_words(&status) {
            log.set_code(status.code());
            return status
                .into_http()
                .map(|body| EdgeBody::new(body, None, None, log));
        }
        log.set_code(status.code());
    } else if !response.status().is_success() {
        log.set_code(Code::Unknown);
    } else if response.body().is_end_stream() {
        log.set_code(Code::Ok);
    }
    response.map(|body| EdgeBody::new(body, deadline, overdue, log))
}

fn panicked() -> Status {
    tabiya_api::error::ServiceError::Internal("a handler failed".into()).into()
}
