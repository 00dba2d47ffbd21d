//! Connections: served up to a limit over HTTP/2, told to go away at the end and cut when they do not. Some beyond the limit
//! are accepted, too, so that their calls are told. On a port with pages, HTTP/1 gets these.

use std::{
    hash::{BuildHasher, RandomState},
    io::{Error, ErrorKind},
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::{JoinError, JoinSet},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tonic::service::Routes;

use crate::{
    edge::{Calls, Edge, Gateway, Guard, READ_TIMES, Watchdog, Web},
    metrics::{Connections, End, Metrics},
    pages::Pages,
    phase::Phase,
    places::{Place, Places},
    preface::{Protocol, encrypted_protocol, protocol},
    tls::{self, Tls},
};

/// Bytes that a stream may send ahead of what its handler has read; with the number of streams this bounds what lies
/// unread in a connection. What is read but not yet a whole message is bounded by the [`Intake`].
const STREAM_WINDOW: u32 = 64 * 1024;

/// Bytes that all streams of a connection may send ahead.
///
/// h2 ends a connection whose unread small frames exceed a budget of half of this. A bulk stream of short items that
/// waits for its turn is no attack, so the window allows for a few hundred such streams; memory stays bounded by
/// [`STREAM_WINDOW`] and by that same budget.
const CONNECTION_WINDOW: u32 = 64 * 1024 * 1024;

/// Resets that a connection may have waiting before it is closed. Callers that drop thousands of calls at once
/// are ours (qdrant/qdrant#8530), not an attack, and on a busy machine a connection may have to wait for its turn to read for a
/// second. What waits is let go in that same turn, so that the memory is that of the few connections whose turn it is.
const MAX_PENDING_RESETS: usize = 16 * 1024;

/// How long a connection that never had a call is kept after it was told to go away. A peer that never sent a byte
/// cannot answer the notice, and hyper would wait for it for ever (hyperium/hyper#4170).
const SETTLE: Duration = Duration::from_millis(200);

/// The same for a connection that had calls. Their answers may still lie in its buffers, behind a slow link, when no
/// call is in flight any more; a peer that is there ends the connection itself as soon as it has them.
const SETTLE_AFTER_CALLS: Duration = Duration::from_secs(5);

/// How long a connection beyond the limit is kept before it is told to go away.
const REFUSAL: Duration = Duration::from_secs(2);

/// Bytes that hyper needs at least for what stands in front of a request over HTTP/1.
const LEAST_BUFFER: usize = 8192;

/// What a listener allows its peers, and what it has for them.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Connections served at once.
    pub(crate) connections: usize,
    /// How long a new connection may take to send its first bytes.
    pub(crate) handshake: Duration,
    /// How long a connection may go without a call.
    pub(crate) idle: Duration,
    /// The age at which a connection is told to go away.
    pub(crate) age: Duration,
    /// Calls of one connection at once.
    pub(crate) streams: u32,
    /// Bytes of metadata that a call may have.
    pub(crate) header_bytes: usize,
    /// How long an answer may lie unread.
    pub(crate) watchdog: Watchdog,
    /// What connections are encrypted with, if they are.
    pub(crate) tls: Option<Tls>,
    /// How browsers are answered, if they are.
    pub(crate) web: Option<Web>,
    /// Whose calls are let in.
    pub(crate) guard: Guard,
    /// What calls pass.
    pub(crate) gateway: Arc<Gateway>,
    /// What HTTP/1 gets.
    pub(crate) pages: Option<Pages>,
    /// Which of the metrics count the connections.
    pub(crate) counts: fn(&Metrics) -> &Connections,
}

impl Allowance {
    fn counts(&self) -> &Connections {
        (self.counts)(&self.gateway.metrics)
    }

    /// Notes how a connection's task ended: one that panicked has counted nothing itself.
    fn note(&self, ended: &Result<(), JoinError>) {
        if let Err(error) = ended {
            tracing::error!(%error, "a connection failed");
            self.gateway.metrics.panics.connection.inc();
            self.counts().end(End::Failed);
        }
    }
}

/// Serves `routes` until the server is cut or, when draining, until no call is left.
pub(crate) async fn serve(listener: TcpListener, routes: Routes, allowance: Allowance) {
    let allowance = Arc::new(allowance);
    let lifecycle = &allowance.gateway.lifecycle;
    let places = Places::new(allowance.connections);
    let mut connections = JoinSet::new();
    let draining = lifecycle.reached(Phase::Draining);
    tokio::pin!(draining);
    loop {
        tokio::select! {
            biased;
            () = &mut draining => break,
            Some(ended) = connections.join_next() => allowance.note(&ended),
            accepted = accept(&listener, &places) => match accepted {
                Ok((stream, peer, place)) => {
                    let (routes, allowance) = (routes.clone(), allowance.clone());
                    connections.spawn(async move {
                        allowance.counts().begin();
                        let end = serve_connection(stream, peer, routes, &allowance, &place).await;
                        allowance.counts().end(end);
                        drop(place);
                    });
                }
                Err(error) if is_of_one_connection(&error) => tracing::debug!(%error, "lost before it was accepted"),
                Err(error) => {
                    // Out of file descriptors, most likely: give the others time to end.
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        allowance.note(&ended);
    }
}

async fn accept(listener: &TcpListener, places: &Places) -> Result<(TcpStream, SocketAddr, Place), Error> {
    let place = places.take().await?;
    let (stream, peer) = listener.accept().await?;
    let place = places.better(place);
    // Fails only if the peer has gone again, which shows soon enough.
    let _ = stream.set_nodelay(true);
    Ok((stream, peer, place))
}

/// Whether accepting failed for a reason of that one peer's: the next one may be accepted at once.
fn is_of_one_connection(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
    )
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    routes: Routes,
    allowance: &Allowance,
    place: &Place,
) -> End {
    let lifecycle = &allowance.gateway.lifecycle;
    // hyper waits for the first bytes without end; afterwards its pings find out whether the peer is there.
    let begun = tokio::select! {
        begun = tokio::time::timeout(allowance.handshake, begin(stream, allowance.tls.as_ref())) => match begun {
            Ok(Ok(begun)) => begun,
            Ok(Err(error)) => {
                tracing::debug!(%peer, %error, "connection never began");
                return End::Peer;
            }
            Err(_) => {
                tracing::debug!(%peer, "closed a connection that never began");
                return End::Silent;
            }
        },
        () = lifecycle.reached(Phase::Draining) => return End::Drained,
    };
    let connection = Connection {
        peer,
        calls: Arc::default(),
        is_refused: place.is_beyond(),
        allowance,
    };
    match begun {
        Begun::Plain(stream, protocol) => connection.serve(stream, protocol, Vec::new(), routes).await,
        Begun::Encrypted(stream, protocol) => {
            let names = tls::names(stream.get_ref().1.peer_certificates());
            connection.serve(*stream, protocol, names, routes).await
        }
    }
}

/// A connection whose peer has begun to speak.
enum Begun {
    Plain(TcpStream, Protocol),
    Encrypted(Box<TlsStream<TcpStream>>, Protocol),
}

/// Agrees on encryption, if there is to be any, and waits for the first bytes.
async fn begin(stream: TcpStream, tls: Option<&Tls>) -> Result<Begun, Error> {
    let Some(tls) = tls else {
        let protocol = protocol(&stream).await?;
        return Ok(Begun::Plain(stream, protocol));
    };
    let mut stream = TlsAcceptor::from(tls.get()).accept(stream).await?;
    let protocol = encrypted_protocol(&mut stream).await?;
    Ok(Begun::Encrypted(Box::new(stream), protocol))
}

/// A connection that is served.
struct Connection<'a> {
    peer: SocketAddr,
    calls: Arc<Calls>,
    /// Whether it is one too many.
    is_refused: bool,
    allowance: &'a Allowance,
}

impl Connection<'_> {
    /// Serves calls, or pages; `names` are those of the peer's certificate.
    async fn serve(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        protocol: Protocol,
        names: Vec<String>,
        routes: Routes,
    ) -> End {
        let allowance = self.allowance;
        let stream = TokioIo::new(stream);
        let mut http1 = hyper::server::conn::http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            // From the last answer on as well: whoever keeps a connection asks again before that.
            .header_read_timeout(allowance.idle)
            .max_buf_size((READ_TIMES * allowance.header_bytes).max(LEAST_BUFFER));
        if let (Protocol::Other, Some(pages)) = (protocol, &allowance.pages) {
            let pages = pages.clone();
            let beyond = self.is_refused.then_some(allowance.connections);
            let answer = service_fn(move |request| {
                let answer = beyond.map_or_else(|| pages.answer(&request), Pages::refuse);
                std::future::ready(answer)
            });
            let connection = pin!(http1.serve_connection(stream, answer));
            return self
                .run(connection, |connection| connection.graceful_shutdown())
                .await;
        }

        let mut guard = allowance.guard.clone().of_certificate(names);
        if self.is_refused {
            guard = guard.beyond(allowance.connections);
        }
        let edge = Edge::new(
            routes,
            self.peer,
            self.calls.clone(),
            guard,
            allowance.gateway.clone(),
        );
        if let (Protocol::Other, Some(web)) = (protocol, &allowance.web) {
            let connection = pin!(http1.serve_connection(stream, web.service(edge)));
            let served = self.run(connection, |connection| connection.graceful_shutdown());
            return allowance.watchdog.watch(served).await.unwrap_or_else(|| {
                tracing::warn!(peer = %self.peer, "cut a connection whose reader has stopped reading");
                End::Cut
            });
        }

        // What is no HTTP/2 is told so by the connection.
        let mut http2 = hyper::server::conn::http2::Builder::new(allowance.watchdog);
        http2
            .timer(TokioTimer::new())
            .keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10))
            .max_concurrent_streams(allowance.streams)
            .max_header_list_size(u32::try_from(READ_TIMES * allowance.header_bytes).unwrap_or(u32::MAX))
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
            .max_local_error_reset_streams(MAX_PENDING_RESETS);
        match &allowance.web {
            Some(web) => {
                let connection = pin!(http2.serve_connection(stream, web.service(edge)));
                self.run(connection, |connection| connection.graceful_shutdown())
                    .await
            }
            None => {
                let connection = pin!(http2.serve_connection(stream, edge));
                self.run(connection, |connection| connection.graceful_shutdown())
                    .await
            }
        }
    }

    /// Drives a connection to its end; `leave` tells the peer to go away.
    async fn run<C>(&self, mut connection: Pin<&mut C>, leave: impl FnOnce(Pin<&mut C>)) -> End
    where
        C: Future<Output = Result<(), hyper::Error>>,
    {
        let (peer, calls) = (self.peer, &self.calls);
        let lifecycle = &self.allowance.gateway.lifecycle;
        let end = tokio::select! {
            ended = &mut connection => return log_end(peer, ended),
            () = refused(calls), if self.is_refused => {
                tracing::debug!(%peer, "sending a connection away that is one too many");
                End::Full
            }
            () = quiet(calls, self.allowance.idle) => {
                tracing::debug!(%peer, "sending an idle connection away");
                End::Idle
            }
            () = tokio::time::sleep(varied(self.allowance.age)) => {
                tracing::debug!(%peer, "sending an old connection away");
                End::Old
            }
            () = lifecycle.reached(Phase::Draining) => End::Drained,
        };
        leave(connection.as_mut());
        let settled = async {
            quiet(calls, SETTLE).await;
            if calls.begun() > 0 {
                quiet(calls, SETTLE_AFTER_CALLS).await;
            }
        };
        tokio::select! {
            ended = connection => {
                log_end(peer, ended);
                end
            }
            () = settled => {
                tracing::debug!(%peer, "closed an idle connection");
                end
            }
            () = lifecycle.reached(Phase::Cut) => {
                let calls = calls.in_flight();
                tracing::warn!(%peer, calls, "cut a connection that did not end");
                End::Cut
            }
        }
    }
}

/// A time within a tenth of this: connections that began together shall not all come back together.
fn varied(time: Duration) -> Duration {
    // Different for each; nothing depends on how well it is mixed.
    let noise = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    time.mul_f64(0.9 + 0.2 * noise)
}

/// Completes when the first calls have been answered, and in time: whoever calls on and on is sent away, too.
async fn refused(calls: &Calls) {
    let answered = async {
        while calls.begun() == 0 {
            tokio::time::sleep(REFUSAL / 200).await;
        }
        quiet(calls, SETTLE).await;
    };
    let _ = tokio::time::timeout(REFUSAL, answered).await;
}

/// Completes when no call has been in flight for so long.
async fn quiet(calls: &Calls, long: Duration) {
    let step = (long / 8).max(Duration::from_millis(1));
    let mut begun = calls.begun();
    let mut quiet = Duration::ZERO;
    while quiet < long {
        tokio::time::sleep(step).await;
        let before = std::mem::replace(&mut begun, calls.begun());
        quiet = if calls.in_flight() == 0 && begun == before {
            quiet + step
        } else {
            Duration::ZERO
        };
    }
}

fn log_end(peer: SocketAddr, ended: Result<(), hyper::Error>) -> End {
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "connection ended");
    }
    End::Peer
}
