//! What every call passes on its way in and out, from the outside to the handler:
//!
//! 1. panics are caught, those of everything below and of the body: one call ends, and the connection's others go on;
//! 2. it gets a request id and its place in a trace;
//! 3. it is counted, and leaves one line in the log when it has ended;
//! 4. its caller is known, may do this, and has not used up what is his;
//! 5. its deadline is read, and kept whatever the handler does;
//! 6. it is admitted, counted in positions, or refused before any work is done for it.
//!
//! What browsers need stands in front of all of it.

mod body;
mod calls;
mod deadline;
mod drained;
mod exchange;
mod framing;
mod guard;
mod intake;
mod log;
mod metadata;
mod overdue;
mod oversize;
mod reader;
mod reading;
mod request_body;
mod stats;
#[cfg(test)]
mod tests;
mod web;
mod wording;

use std::{
    convert::Infallible,
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use tabiya_api::{METER, error::ServiceError};
use tonic::{Code, Status, body::Body, service::Routes};
use tower::{BoxError, Service};

pub(crate) use body::EdgeBody;
pub(crate) use calls::Calls;
pub(crate) use deadline::Deadline;
pub(crate) use guard::{Guard, Pass};
pub(crate) use intake::{Intake, Share, Weight};
pub(crate) use metadata::READ_TIMES;
pub(crate) use reader::Watchdog;
pub(crate) use stats::RequestStats;
pub(crate) use web::Web;
pub(crate) use wording::in_our_words;
#[cfg(test)]
pub(crate) use {
    intake::RETRY_AFTER as INTAKE_RETRY_AFTER,
    metadata::OVERHEAD as METADATA_OVERHEAD,
    wording::{MAX_DETAILS_BYTES, MAX_STATUS_BYTES},
};

use crate::{
    compute::{Admission, Class},
    metrics::{Metrics, Shed},
    phase::Lifecycle,
    telemetry::{RequestId, Traces},
};
use drained::Drained;
use log::RequestLog;
use overdue::{Overdue, overdue};
use reading::Reading;
use request_body::RequestBody;

/// What the calls of a listener pass.
#[derive(Clone, Debug)]
pub(crate) struct Gateway {
    /// How much of requests is taken in.
    pub(crate) intake: Intake,
    /// Bytes of metadata that a call may have.
    pub(crate) metadata_bytes: usize,
    /// Which calls are let in; without it, all of them.
    pub(crate) admission: Option<Admission>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) traces: Traces,
    pub(crate) lifecycle: Lifecycle,
}

/// The services with what every call of a connection passes.
#[derive(Clone)]
pub(crate) struct Edge {
    routes: Routes,
    peer: SocketAddr,
    calls: Arc<Calls>,
    guard: Guard,
    gateway: Arc<Gateway>,
}

type Answer = BoxFuture<'static, Result<Response<EdgeBody>, Infallible>>;

impl Edge {
    /// `calls` hears of every call on the connection.
    pub(crate) fn new(
        routes: Routes,
        peer: SocketAddr,
        calls: Arc<Calls>,
        guard: Guard,
        gateway: Arc<Gateway>,
    ) -> Self {
        Self {
            routes,
            peer,
            calls,
            guard,
            gateway,
        }
    }

    /// Begins what a call leaves behind.
    fn begin<B>(&self, request: &Request<B>) -> RequestLog {
        let Gateway {
            intake,
            metrics,
            traces,
            ..
        } = &*self.gateway;
        let method = metrics.methods.find(request.uri().path()).clone();
        method.open.add(1);
        RequestLog {
            request_id: RequestId::of(request.headers()),
            span: traces.begin(request.headers(), &method.name, self.peer),
            stats: Arc::new(RequestStats::new(method)),
            metrics: metrics.clone(),
            peer: self.peer,
            started: Instant::now(),
            code: Code::Cancelled,
            _call: self.calls.begin(),
            share: intake.share(),
        }
    }

    /// Lets the call in, and reads its deadline.
    fn admit<B>(
        &self,
        request: &Request<B>,
        log: &RequestLog,
    ) -> Result<(Pass, Option<Deadline>), ServiceError> {
        metadata::check(request, self.gateway.metadata_bytes)?;
        let pass = self.guard.enter(request)?;
        if let Some(name) = pass.caller() {
            log.stats.set_caller(name);
        }
        let deadline = deadline::from_headers(request.headers(), log.started)?;
        let method = log.stats.method();
        // Streams wait for room, item by item.
        if let Some(admission) = &self.gateway.admission
            && method.is_limited
            && method.class == Class::Interactive
        {
            log.stats
                .set_admitted(admission.gate(Class::Interactive).admit(1)?);
        }
        Ok((pass, deadline))
    }

    /// The way in. What a call leaves behind is put into `log` first: whatever happens later, its end is counted.
    fn enter<B>(
        &self,
        request: Request<B>,
        log: &mut Option<RequestLog>,
    ) -> Result<Entered<Drained<B>>, Status>
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        let mut request = request.map(Drained::new);
        let log = &*log.insert(self.begin(&request));
        let (pass, deadline) = self.admit(&request, log).inspect_err(|error| {
            let shed = match error {
                ServiceError::Quota { .. } => Some(Shed::Quota),
                ServiceError::Exhausted { .. } if self.guard.is_full() => Some(Shed::Connections),
                _ => None,
            };
            if let Some(shed) = shed {
                log.metrics.class(log.stats.method().class).shed(shed);
            }
        })?;
        let pass = Arc::new(pass);
        // From here on the deadline is ours: nothing below shall time the call out in its own way.
        request.headers_mut().remove(deadline::HEADER);
        // And nothing below needs the secret.
        request.headers_mut().remove(http::header::AUTHORIZATION);
        request.extensions_mut().insert(log.stats.clone());
        request.extensions_mut().insert(pass.clone());
        request.extensions_mut().insert(log.share.clone());
        if let Some(deadline) = deadline {
            request.extensions_mut().insert(deadline);
        }
        let Gateway { intake, metrics, .. } = &*self.gateway;
        let class = log.stats.method().class;
        let reading = Reading::new(log.share.clone(), intake.clone(), metrics.clone(), class);
        let reading = Arc::new(reading);
        Ok(Entered {
            overdue: overdue(deadline, &self.gateway.lifecycle),
            request: request.map(|body| RequestBody::new(body, reading.clone(), pass.clone())),
            deadline,
            pass,
            reading,
        })
    }

    fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        let mut log = None;
        let entered = catch_unwind(AssertUnwindSafe(|| self.enter(request, &mut log)));
        let (routes, metrics) = (self.routes.clone(), self.gateway.metrics.clone());
        async move {
            let answered = match entered {
                Ok(entered) => {
                    AssertUnwindSafe(leave(entered, routes, &mut log))
                        .catch_unwind()
                        .await
                }
                Err(panic) => Err(panic),
            };
            Ok(answered.unwrap_or_else(|_| {
                metrics.panics.handler.inc();
                Leaving::refused(panicked()).finish(log)
            }))
        }
        .boxed()
    }
}

/// A call on its way to the handler.
struct Entered<B> {
    request: Request<RequestBody<B>>,
    deadline: Option<Deadline>,
    overdue: Overdue,
    pass: Arc<Pass>,
    reading: Arc<Reading>,
}

/// The handler's part, and the way out.
async fn leave<B>(
    entered: Result<Entered<B>, Status>,
    mut routes: Routes,
    log: &mut Option<RequestLog>,
) -> Response<EdgeBody>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let Entered {
        request,
        deadline,
        mut overdue,
        pass,
        reading,
    } = match entered {
        Ok(entered) => entered,
        Err(status) => return Leaving::refused(status).finish(log.take()),
    };
    let response = tokio::select! {
        biased;
        response = METER.scope(reading.clone(), routes.call(request)) => response.unwrap_or_else(|never| match never {}),
        status = &mut overdue => status.into_http(),
    };
    let leaving = Leaving {
        response,
        deadline,
        overdue: Some(overdue),
        pass: Some(pass),
        reading: Some(reading),
    };
    leaving.finish(log.take())
}

impl hyper::service::Service<Request<Incoming>> for Edge {
    type Response = Response<EdgeBody>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.answer(request)
    }
}

/// The same behind what browsers need.
impl Service<Request<Body>> for Edge {
    type Response = Response<EdgeBody>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.answer(request)
    }
}

/// An answer on its way out.
struct Leaving {
    response: Response<Body>,
    deadline: Option<Deadline>,
    overdue: Option<Overdue>,
    pass: Option<Arc<Pass>>,
    reading: Option<Arc<Reading>>,
}

impl Leaving {
    /// A status, and nothing else.
    fn refused(status: Status) -> Self {
        Self {
            response: status.into_http(),
            deadline: None,
            overdue: None,
            pass: None,
            reading: None,
        }
    }

    /// Hands the log line to the body, which writes it when the last byte is out.
    fn finish(self, mut log: Option<RequestLog>) -> Response<EdgeBody> {
        let mut response = self.response;
        // A call that fails before its first message has its status among the headers.
        let code = if let Some(mut status) = Status::from_header_map(response.headers()) {
            if let Some(ours) = wording::in_our_words(&status) {
                response = ours.clone().into_http();
                status = ours;
            }
            Some(status.code())
        } else if !response.status().is_success() {
            Some(Code::Unknown)
        } else {
            response.body().is_end_stream().then_some(Code::Ok)
        };
        if let Some(log) = &mut log {
            if let Some(code) = code {
                log.set_code(code);
            }
            log.request_id.write(response.headers_mut());
        }
        response.map(|body| EdgeBody::new(body, self.deadline, self.overdue, log, self.pass, self.reading))
    }
}

fn panicked() -> Status {
    ServiceError::Internal("a handler failed".into()).into()
}
