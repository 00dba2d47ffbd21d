//! Connections: accepted up to a limit, served over HTTP/2, told to go away at the end and cut when they do not.

use std::{
    io::{Error, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tonic::service::Routes;

use crate::{
    edge::{Calls, Edge, Intake},
    phase::{Lifecycle, Phase},
    preface::preface,
};

/// Calls of one connection at once.
const MAX_STREAMS: u32 = 256;

/// Bytes that a stream may send ahead of what its handler has read; with [`MAX_STREAMS`] this bounds what lies unread
/// in a connection. What is read but not yet a whole message is bounded by the [`Intake`].
const STREAM_WINDOW: u32 = 64 * 1024;

/// Bytes that all streams of a connection may send ahead.
///
/// h2 ends a connection whose unread small frames exceed a budget of half of this. A bulk stream of short items that
/// waits for its turn is no attack, so the window allows for a few hundred such streams; memory stays bounded by
/// [`STREAM_WINDOW`] and by that same budget.
const CONNECTION_WINDOW: u32 = 64 * 1024 * 1024;

/// Resets that a connection may have waiting before it is closed. Callers that drop thousands of calls at once
/// are ours (qdrant/qdrant#8530), not an attack.
const MAX_PENDING_RESETS: usize = 1024;

/// How long a connection that never had a call is kept after it was told to go away. A peer that never sent a byte
/// cannot answer the notice, and hyper would wait for it for ever (hyperium/hyper#4170).
const SETTLE: Duration = Duration::from_millis(200);

/// The same for a connection that had calls. Their answers may still lie in its buffers, behind a slow link, when no
/// call is in flight any more; a peer that is there ends the connection itself as soon as it has them.
const SETTLE_AFTER_CALLS: Duration = Duration::from_secs(5);

/// What a listener allows its peers.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// Connections served at once.
    pub(crate) connections: usize,
    /// How long a new connection may take to send its first bytes.
    pub(crate) handshake: Duration,
    /// How long a connection may go without a call.
    pub(crate) idle: Duration,
    /// How much of requests is taken in.
    pub(crate) intake: Intake,
}

/// Serves `routes` until the server is cut or, when draining, until no call is left.
pub(crate) async fn serve(listener: TcpListener, routes: Routes, allowance: Allowance, lifecycle: Lifecycle) {
    let places = Arc::new(Semaphore::new(allowance.connections));
    let mut connections = JoinSet::new();
    let draining = lifecycle.reached(Phase::Draining);
    tokio::pin!(draining);
    loop {
        tokio::select! {
            biased;
            () = &mut draining => break,
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &places) => match accepted {
                Ok((stream, peer, place)) => {
                    let (routes, allowance) = (routes.clone(), allowance.clone());
                    let lifecycle = lifecycle.clone();
                    connections.spawn(async move {
                        serve_connection(stream, peer, routes, allowance, lifecycle).await;
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
    while connections.join_next().await.is_some() {}
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Result<(TcpStream, SocketAddr, OwnedSemaphorePermit), Error> {
    let place = places.clone().acquire_owned().await.map_err(Error::other)?;
    let (stream, peer) = listener.accept().await?;
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
    allowance: Allowance,
    lifecycle: Lifecycle,
) {
    // hyper waits for the first bytes without end; afterwards its pings find out whether the peer is there.
    tokio::select! {
        begun = tokio::time::timeout(allowance.handshake, preface(&stream)) => match begun {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return tracing::debug!(%peer, %error, "connection never began"),
            Err(_) => return tracing::debug!(%peer, "closed a connection that never began"),
        },
        () = lifecycle.reached(Phase::Draining) => return,
    }
    let calls = Arc::<Calls>::default();
    let mut http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
        .max_local_error_reset_streams(MAX_PENDING_RESETS);
    let edge = Edge::new(routes, calls.clone(), allowance.intake, lifecycle.clone());
    let connection = http.serve_connection(TokioIo::new(stream), edge);
    tokio::pin!(connection);

    tokio::select! {
        ended = &mut connection => return log_end(peer, ended),
        () = quiet(&calls, allowance.idle) => tracing::debug!(%peer, "sending an idle connection away"),
        () = lifecycle.reached(Phase::Draining) => {}
    }
    connection.as_mut().graceful_shutdown();
    let settled = async {
        quiet(&calls, SETTLE).await;
        if calls.begun() > 0 {
            quiet(&calls, SETTLE_AFTER_CALLS).await;
        }
    };
    tokio::select! {
        ended = &mut connection => log_end(peer, ended),
        () = settled => tracing::debug!(%peer, "closed an idle connection"),
        () = lifecycle.reached(Phase::Cut) => {
            let calls = calls.in_flight();
            tracing::warn!(%peer, calls, "cut a connection that did not end");
        }
    }
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

fn log_end(peer: SocketAddr, ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "connection ended");
    }
}
