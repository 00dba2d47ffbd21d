use std::{
    net::{SocketAddr, TcpListener},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tabiya_api::MAX_MESSAGE_BYTES;
use tokio::{net::TcpListener as AsyncListener, runtime};
use tonic::service::Routes;

use crate::{
    Config, ServerError,
    edge::Intake,
    engine::Engine,
    health::Proof,
    listener::{self, Allowance},
    phase::{Lifecycle, Phase},
    routes, signals,
};

/// How long searches that were told to stop have for their answers to go out.
const STOPPING: Duration = Duration::from_secs(1);

/// The least time between the end of readiness and the first notice to connections, for watchers to hear of it.
const LEAST_DELAY: Duration = Duration::from_millis(50);

/// The way in: [`Server::start`].
#[derive(Debug)]
pub struct Server;

impl Server {
    /// Binds both ports, starts all threads and returns. Calls are served from here on; `readiness` follows as soon
    /// as a real batch of evaluations has come out right.
    ///
    /// # Errors
    /// A setting out of range, a network that cannot be used, an address that cannot be bound, or a thread that the
    /// system refuses.
    pub fn start(config: Config) -> Result<RunningServer, ServerError> {
        config.validate()?;
        let lifecycle = Lifecycle::new();
        let admin_lifecycle = Lifecycle::new();
        let proof = Proof::new();
        let (listener, addr) = bind(config.listen)?;
        let (admin_listener, admin_addr) = bind(config.admin_listen)?;
        let engine = Engine::start(&config, lifecycle.clone(), proof.clone())?;

        let main_routes = routes::main(&engine, proof.clone(), lifecycle.clone());
        let io_runtime = runtime::Builder::new_multi_thread()
            .worker_threads(config.io_threads)
            .thread_name("tabiya-io")
            .enable_all()
            .build()
            .map_err(|source| ServerError::Thread {
                what: "the i/o runtime",
                source,
            })?;
        let io = spawn(
            "tabiya-main",
            io_runtime,
            listener,
            main_routes,
            allowance(&config, config.request_bytes),
            &lifecycle,
        )?;

        let admin_routes = routes::admin(proof, lifecycle.clone());
        let admin_runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| ServerError::Thread {
                what: "the admin runtime",
                source,
            })?;
        let admin = spawn(
            "tabiya-admin",
            admin_runtime,
            admin_listener,
            admin_routes,
            // Its own, so that nothing on the other port can take it.
            allowance(&config, 2 * MAX_MESSAGE_BYTES),
            &admin_lifecycle,
        )?;

        tracing::info!(%addr, %admin_addr, version = env!("CARGO_PKG_VERSION"), "serving");
        Ok(RunningServer {
            addr,
            admin_addr,
            config,
            lifecycle,
            admin_lifecycle,
            engine,
            io,
            admin,
            drained: false,
        })
    }
}

/// A server at work. Dropping it ends it without grace.
#[derive(Debug)]
pub struct RunningServer {
    addr: SocketAddr,
    admin_addr: SocketAddr,
    config: Config,
    lifecycle: Lifecycle,
    admin_lifecycle: Lifecycle,
    engine: Engine,
    io: Worker,
    admin: Worker,
    drained: bool,
}

/// A thread with a runtime, and the news of its end.
#[derive(Debug)]
struct Worker {
    thread: Option<JoinHandle<()>>,
    ended: mpsc::Receiver<()>,
}

impl RunningServer {
    /// Where the services listen.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where health is served.
    pub fn admin_addr(&self) -> SocketAddr {
        self.admin_addr
    }

    /// Ends the server and returns when it has ended: readiness goes at once, calls in flight have the configured
    /// grace, searches that are still running then answer with their best so far, and peers that do not end are cut.
    /// Blocks; call it from a thread that may wait.
    pub fn shutdown(mut self) {
        self.drain(self.config.drain_delay.max(LEAST_DELAY), self.config.drain_grace);
    }

    /// Serves until SIGTERM or an interrupt, then drains. A second signal ends the process at once, with exit code
    /// 130.
    ///
    /// # Errors
    /// [`ServerError::Thread`] if signals cannot be listened to.
    pub fn run_until_signal(self) -> Result<(), ServerError> {
        let first = signals::listen()?;
        // An error means that the listening thread is gone; then ending is all that is left to do.
        let signal = first.recv().unwrap_or("lost signal thread");
        tracing::info!(signal, "draining");
        self.shutdown();
        Ok(())
    }

    fn drain(&mut self, delay: Duration, grace: Duration) {
        if std::mem::replace(&mut self.drained, true) {
            return;
        }
        let begun = Instant::now();
        self.lifecycle.advance(Phase::Leaving);
        thread::sleep(delay);
        self.lifecycle.advance(Phase::Draining);
        if !self.io.ends_within(grace) {
            self.lifecycle.advance(Phase::Stopping);
            if !self.io.ends_within(STOPPING) {
                self.lifecycle.advance(Phase::Cut);
                self.io.ends_within(STOPPING);
            }
        }
        self.lifecycle.advance(Phase::Cut);
        self.engine.close();
        self.admin_lifecycle.advance(Phase::Cut);
        self.admin.ends_within(STOPPING);
        tracing::info!(after = ?begun.elapsed(), "ended");
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        if !self.drained {
            self.lifecycle.advance(Phase::Cut);
        }
        self.drain(Duration::ZERO, Duration::ZERO);
    }
}

impl Worker {
    /// Waits for the thread; false if it still runs after `patience`.
    fn ends_within(&mut self, patience: Duration) -> bool {
        // Disconnected is an end too: the thread holds the sender.
        if self.thread.is_some() && self.ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout)
        {
            return false;
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        true
    }
}

/// Serves on a thread of its own.
fn spawn(
    name: &'static str,
    runtime: runtime::Runtime,
    listener: TcpListener,
    routes: Routes,
    allowance: Allowance,
    lifecycle: &Lifecycle,
) -> Result<Worker, ServerError> {
    let lifecycle = lifecycle.clone();
    let (sender, ended) = mpsc::channel();
    let thread = thread::Builder::new()
        .name(name.into())
        .spawn(move || {
            runtime.block_on(async {
                match AsyncListener::from_std(listener) {
                    Ok(listener) => listener::serve(listener, routes, allowance, lifecycle).await,
                    Err(error) => tracing::error!(%error, "cannot serve"),
                }
            });
            // Nothing of ours blocks a runtime thread, so this is only a safeguard.
            runtime.shutdown_timeout(Duration::from_millis(500));
            drop(sender);
        })
        .map_err(|source| ServerError::Thread { what: name, source })?;
    Ok(Worker {
        thread: Some(thread),
        ended,
    })
}

fn allowance(config: &Config, request_bytes: usize) -> Allowance {
    Allowance {
        connections: config.max_connections,
        handshake: config.handshake_patience,
        idle: config.idle_connection,
        intake: Intake::new(request_bytes, config.message_patience),
    }
}

fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let error = |source| ServerError::Listen { address, source };
    let listener = TcpListener::bind(address).map_err(error)?;
    listener.set_nonblocking(true).map_err(error)?;
    let bound = listener.local_addr().map_err(error)?;
    Ok((listener, bound))
}
