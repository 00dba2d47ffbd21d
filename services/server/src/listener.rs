//! Connections: accepted up to a limit, served over HTTP/2, told to go away at the end and cut when they do not.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tonic::service::Routes;

use crate::{
    edge::Edge,
    phase::{Lifecycle, Phase},
};

/// Calls of one connection at once.
const MAX_STREAMS: u32 = 256;

/// Bytes that a stream may send ahead of what its handler has read; with [`MAX_STREAMS`] this bounds a connection.
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

/// How long a connection without calls is kept after it was told to go away. A peer that never sent a byte cannot
/// answer the notice, and hyper would wait for it for ever (hyperium/hyper#4170).
const SETTLE: Duration = Duration::from_millis(200);

/// Serves `routes` until the server is cut or, when draining, until no call is left.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Routes,
    max_connections: usize,
    lifecycle: Lifecycle,
) {
    let places = Arc::new(Semaphore::new(max_connections));
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
                    let routes = routes.clone();
                    let lifecycle = lifecycle.clone();
                    connections.spawn(async move {
                        serve_connection(stream, peer, routes, lifecycle).await;
                        drop(place);
                    });
                }
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
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = places
        .clone()
        .acquire_owned()
        .await
        .map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, peer, place))
}

async fn serve_connection(stream: TcpStream, peer: SocketAddr, routes: Routes, lifecycle: Lifecycle) {
    let calls = Arc::new(());
    let mut http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
        .max_local_error_reset_streams(MAX_PENDING_RESETS);
    let connection = http.serve_connection(TokioIo::new(stream), Edge::new(routes, calls.clone()));
    tokio::pin!(connection);

    tokio::select! {
        ended = &mut connection => return log_end(peer, ended),
        () = lifecycle.reached(Phase::Draining) => {}
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        ended = &mut connection => log_end(peer, ended),
        () = idle(&calls) => tracing::debug!(%peer, "closed an idle connection"),
        () = lifecycle.reached(Phase::Cut) => {
            let calls = Arc::strong_count(&calls) - 2;
            tracing::warn!(%peer, calls, "cut a connection that did not end");
        }
    }
}

/// Completes when no call has been in flight for a while. Two references are not calls: the caller's and the
/// service's own.
async fn idle(calls: &Arc<()>) {
    let step = SETTLE / 8;
    let mut quiet = Duration::ZERO;
    while quiet < SETTLE {
        tokio::time::sleep(step).await;
        quiet = if Arc::strong_count(calls) <= 2 {
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
