//! The layers in their order, and what a panic in any of them leaves standing.

use std::{pin::Pin, time::Duration};

use http_body::Frame;
use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tokio::net::TcpListener;
use tonic::{
    metadata::MetadataValue,
    server::NamedService,
    transport::{Channel, Endpoint},
};

use super::*;
use crate::{
    auth::Auth,
    compute::Admitted,
    config::ReflectionAccess,
    listener::{self, Allowance},
    phase::Phase,
};

/// Metadata that says where a call is to panic.
const PANIC: &str = "panic";

/// Our RPCs by name, with handlers that panic where they are told to and answer with empty messages elsewhere.
#[derive(Clone)]
struct Faulty;

impl NamedService for Faulty {
    const NAME: &'static str = "tabiya.v1.RulesService";
}

impl Service<Request<Body>> for Faulty {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let place = request.headers().get(PANIC).cloned();
        let place = place.as_ref().map(http::HeaderValue::as_bytes);
        assert_ne!(place, Some(&b"handler"[..]), "a handler that fails at once");
        let (later, in_stream) = (place == Some(b"later"), place == Some(b"stream"));
        Box::pin(async move {
            tokio::task::yield_now().await;
            assert!(!later, "a handler that fails later");
            let body = Body::new(OneMessage { in_stream, sent: 0 });
            let mut response = Response::new(body);
            let kind = http::HeaderValue::from_static("application/grpc");
            response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
            Ok(response)
        })
    }
}

/// An empty message; then the end, or a panic.
struct OneMessage {
    in_stream: bool,
    sent: usize,
}

impl http_body::Body for OneMessage {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.sent += 1;
        Poll::Ready(match self.sent {
            1 => Some(Ok(Frame::data(Bytes::from_static(&[0; 5])))),
            2 => {
                assert!(!self.in_stream, "a stream that fails");
                let mut trailers = http::HeaderMap::new();
                Status::ok("").add_header(&mut trailers).unwrap();
                Some(Ok(Frame::trailers(trailers)))
            }
            _ => None,
        })
    }
}

/// A listener with the layers in front of that service, and one connection to it.
struct Rig {
    gateway: Arc<Gateway>,
    rules: RulesServiceClient<Channel>,
}

impl Rig {
    async fn new(auth: Option<Auth>) -> Self {
        let metrics = Arc::new(Metrics::new());
        let patience = Duration::from_secs(60);
        let gateway = Arc::new(Gateway {
            intake: Intake::new(1 << 20, patience),
            admission: Some(Admission::new(1, 16, &metrics)),
            metrics,
            traces: Traces::default(),
            lifecycle: Lifecycle::new(),
            metadata_bytes: 16 << 10,
        });
        let allowance = Allowance {
            // One connection is all that there is room for: whatever ends it ends the test.
            connections: 1,
            handshake: patience,
            idle: patience,
            age: patience,
            streams: 16,
            header_bytes: 16 << 10,
            watchdog: Watchdog::new(patience),
            tls: None,
            web: None,
            guard: Guard::new(auth, patience),
            gateway: gateway.clone(),
            pages: None,
            counts: |metrics| &metrics.main_port,
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(listener::serve(
            listener,
            Routes::new(Faulty).prepare(),
            allowance,
        ));
        let channel = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Self {
            gateway,
            rules: RulesServiceClient::new(channel.connect().await.unwrap()),
        }
    }

    async fn call(&self, metadata: &[(&'static str, &'static str)]) -> Result<(), Status> {
        let request = with(metadata, v1::LegalMovesRequest::default());
        self.rules.clone().legal_moves(request).await.map(drop)
    }

    /// So many answers, and how the stream ended.
    async fn stream(&self, metadata: &[(&'static str, &'static str)]) -> (usize, Result<(), Status>) {
        let items = tokio_stream::iter([v1::BatchLegalMovesRequest::default()]);
        let answers = self.rules.clone().batch_legal_moves(with(metadata, items)).await;
        let mut answers = match answers {
            Ok(answers) => answers.into_inner(),
            Err(status) => return (0, Err(status)),
        };
        let mut count = 0;
        loop {
            match answers.message().await {
                Ok(Some(_)) => count += 1,
                Ok(None) => return (count, Ok(())),
                Err(status) => return (count, Err(status)),
            }
        }
    }

    /// Panics that were counted: in handlers and before them, in streams.
    fn panics(&self) -> (u64, u64) {
        let panics = &self.gateway.metrics.panics;
        (panics.handler.get(), panics.stream.get())
    }

    /// How many calls of a method ended so.
    fn ended(&self, method: &str, code: Code) -> u64 {
        let path = format!("/{}/{method}", Faulty::NAME);
        self.gateway.metrics.methods.find(&path).ended_with(code)
    }

    /// The only place for a position.
    fn fill(&self) -> Admitted {
        let admission = self.gateway.admission.as_ref().unwrap();
        admission.gate(Class::Interactive).admit(1).unwrap()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.gateway.lifecycle.advance(Phase::Cut);
    }
}

fn with<T>(metadata: &[(&'static str, &'static str)], message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    for &(key, value) in metadata {
        request
            .metadata_mut()
            .insert(key, MetadataValue::from_static(value));
    }
    request
}

fn is_ours(status: &Status) -> bool {
    status.code() == Code::Internal && status.metadata().contains_key("x-request-id")
}

#[tokio::test]
async fn a_panic_anywhere_ends_one_call() {
    let rig = Rig::new(None).await;
    rig.call(&[]).await.unwrap();
    assert_eq!(rig.stream(&[]).await.0, 1);
    for (count, place) in (1..).zip(["guard", "handler", "later"]) {
        let status = rig.call(&[(PANIC, place)]).await.unwrap_err();
        assert!(is_ours(&status), "{place}: {status:?}");
        assert_eq!(rig.panics(), (count, 0), "{place}");
        assert_eq!(rig.ended("LegalMoves", Code::Internal), count, "{place}");
        // On the same connection; and nothing of the lost call is held.
        rig.call(&[]).await.unwrap();
    }
    let (answers, end) = rig.stream(&[(PANIC, "stream")]).await;
    assert_eq!(answers, 1);
    let status = end.unwrap_err();
    assert!(is_ours(&status), "{status:?}");
    assert_eq!(rig.panics(), (3, 1));
    assert_eq!(rig.ended("BatchLegalMoves", Code::Internal), 1);
    rig.call(&[]).await.unwrap();
    assert_eq!(rig.stream(&[]).await.0, 1);
}

#[tokio::test]
async fn layers_stand_in_the_order_in_which_they_are_named() {
    // The token is "abc".
    let callers = r#"
        [[token]]
        name = "site"
        sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        roles = ["read"]
    "#;
    let rig = Rig::new(Some(Auth::fixed(callers, ReflectionAccess::Open))).await;
    let token = ("authorization", "Bearer abc");
    let bad_deadline = ("grpc-timeout", "banana");
    let place = rig.fill();
    let told = async |metadata: &[(&'static str, &'static str)]| {
        let status = rig.call(metadata).await.unwrap_err();
        assert!(status.metadata().contains_key("x-request-id"), "{status:?}");
        status.code()
    };
    // Each call has everything wrong with it from its layer on.
    assert_eq!(told(&[(PANIC, "guard"), bad_deadline]).await, Code::Internal);
    assert_eq!(
        told(&[(PANIC, "handler"), bad_deadline]).await,
        Code::Unauthenticated
    );
    assert_eq!(
        told(&[(PANIC, "handler"), token, bad_deadline]).await,
        Code::InvalidArgument
    );
    assert_eq!(told(&[(PANIC, "handler"), token]).await, Code::ResourceExhausted);
    drop(place);
    assert_eq!(told(&[(PANIC, "handler"), token]).await, Code::Internal);
    rig.call(&[token]).await.unwrap();
    // All of them were counted, those that panicked before they were let in among them.
    for (code, count) in [
        (Code::Internal, 2),
        (Code::Unauthenticated, 1),
        (Code::InvalidArgument, 1),
        (Code::ResourceExhausted, 1),
        (Code::Ok, 1),
    ] {
        assert_eq!(rig.ended("LegalMoves", code), count, "{code:?}");
    }
}
