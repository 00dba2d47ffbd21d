use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::{net::TcpListener as AsyncListener, runtime};
use tonic::service::Routes;

use crate::{
    Config, ServerError,
    config::{ADMIN_REQUEST_BYTES, ReflectionAccess},
    descriptors,
    edge::{Gateway, Guard, Intake, Watchdog, Web},
    engine::Engine,
    health::{HealthCheck, Proof},
    jobs::{Duty, JobsHost},
    listener::{self, Allowance},
    metrics::{Connections, Metrics, Page, Sources},
    pages::Pages,
    phase::{Lifecycle, Phase},
    protection::Protection,
    reload::Reloader,
    routes, signals,
    telemetry::{LAST_SPANS, Traces},
};

/// How long searches that were told to stop have for their answers to go out: longer than calls have for their last words,
/// and short enough for a server with stuck peers to be over within a second.
const STOPPING: Duration = Duration::from_millis(750);

/// How long a server's end takes at most once its delay and its grace are over: what is left is stopped, then cut, then the
/// jobs, the admin port and the export of spans end, each within a second. An orchestrator has to wait for longer than all of
/// it.
pub const LONGEST_STOP: Duration = STOPPING.saturating_mul(4).saturating_add(LAST_SPANS);

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
        Self::start_as(config, Duty::Serve)
    }

    /// Starts what works at the jobs of a broker and does nothing else: ready only while the broker answers.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_worker(config: Config) -> Result<RunningServer, ServerError> {
        Self::start_as(config, Duty::Work)
    }

    fn start_as(config: Config, duty: Duty) -> Result<RunningServer, ServerError> {
        config.validate()?;
        descriptors::check(config.max_connections);
        let protection = Protection::open(&config)?;
        let lifecycle = Lifecycle::new();
        let admin_lifecycle = Lifecycle::new();
        let proof = Proof::new();
        let (listener, addr) = bind(config.listen)?;
        let (admin_listener, admin_addr) = bind(config.admin_listen)?;
        let (jobs, jobs_host) = JobsHost::open(&config, duty)?.unzip();
        let engine = Engine::start(&config, lifecycle.clone(), proof.clone())?;
        if let Some(jobs) = &jobs {
            engine.metrics.jobs.submit_into(jobs.submissions.clone());
        }
        let reloader = Reloader::start(protection.files, config.reload_interval, engine.metrics.clone())?;
        let traces = Traces::start(&config, &engine.metrics)?;

        let main_routes = routes::main(
            &engine,
            jobs,
            proof.clone(),
            lifecycle.clone(),
            config.reflection != ReflectionAccess::Off,
        );
        let io_runtime = runtime::Builder::new_multi_thread()
            .worker_threads(config.io_threads)
            .thread_name("tabiya-io")
            .enable_all()
            .build()
            .map_err(|source| ServerError::Thread {
                what: "the i/o runtime",
                source,
            })?;
        let gateway = Arc::new(Gateway {
            intake: Intake::new(config.request_bytes, config.message_patience),
            metadata_bytes: config.header_bytes,
            admission: Some(engine.admission.clone()),
            metrics: engine.metrics.clone(),
            traces: traces.clone(),
            lifecycle: lifecycle.clone(),
        });
        let intake = gateway.intake.clone();
        let main = Allowance {
            tls: protection.main_tls,
            web: config.serves_browsers().then(|| Web::new(&config.cors_origins)),
            guard: protection.guard,
            ..allowance(&config, gateway, None, |metrics| &metrics.main_port)
        };
        let io = spawn("tabiya-main", io_runtime, listener, main_routes, main)?;

        let page = Page::new(Sources {
            metrics: engine.metrics.clone(),
            engine: engine.clone(),
            proof: proof.clone(),
            lifecycle: lifecycle.clone(),
            intake,
        });
        let pages = Pages::new(HealthCheck::new(proof.clone(), lifecycle.clone()), page);
        let admin_routes = routes::admin(proof.clone(), lifecycle.clone());
        let admin_runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| ServerError::Thread {
                what: "the admin runtime",
                source,
            })?;
        let admin_gateway = Arc::new(Gateway {
            // Its own, so that nothing on the other port can take it.
            intake: Intake::new(ADMIN_REQUEST_BYTES, config.message_patience),
            metadata_bytes: config.header_bytes,
            admission: None,
            metrics: engine.metrics.clone(),
            traces: Traces::default(),
            lifecycle: admin_lifecycle.clone(),
        });
        let admin = Allowance {
            tls: protection.admin_tls,
            ..allowance(&config, admin_gateway, Some(pages), |metrics| &metrics.admin_port)
        };
        let admin = spawn("tabiya-admin", admin_runtime, admin_listener, admin_routes, admin)?;

        if let Some(jobs) = &jobs_host {
            jobs.begin(&engine, &lifecycle, &proof);
        }

        tracing::info!(%addr, %admin_addr, version = env!("CARGO_PKG_VERSION"), "serving");
        Ok(RunningServer {
            addr,
            admin_addr,
            lifecycle,
            admin_lifecycle,
            engine,
            traces,
            io,
            admin,
            _reloader: reloader,
            config,
            jobs: jobs_host,
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
    traces: Traces,
    io: Worker,
    admin: Worker,
    _reloader: Reloader,
    jobs: Option<JobsHost>,
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
        if let Some(jobs) = &mut self.jobs {
            // It was told at the start of the drain; only a disk that hangs keeps it longer.
            jobs.ends_within(STOPPING);
        }
        self.engine.close();
        self.admin_lifecycle.advance(Phase::Cut);
        self.admin.ends_within(STOPPING);
        self.traces.close();
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
) -> Result<Worker, ServerError> {
    let (sender, ended) = mpsc::channel();
    let thread = thread::Builder::new()
        .name(name.into())
        .spawn(move || {
            runtime.block_on(async {
                match AsyncListener::from_std(listener) {
                    Ok(listener) => listener::serve(listener, routes, allowance).await,
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

fn allowance(
    config: &Config,
    gateway: Arc<Gateway>,
    pages: Option<Pages>,
    counts: fn(&Metrics) -> &Connections,
) -> Allowance {
    Allowance {
        connections: config.max_connections,
        handshake: config.handshake_patience,
        idle: config.idle_connection,
        age: config.connection_age,
        streams: config.streams_per_connection,
        header_bytes: config.header_bytes,
        watchdog: Watchdog::new(config.stalled_reader),
        tls: None,
        web: None,
        guard: Guard::new(None, config.idle_stream),
        gateway,
        pages,
        counts,
    }
}

fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let error = |source| ServerError::Listen { address, source };
    let listener = TcpListener::bind(address).map_err(error)?;
    listener.set_nonblocking(true).map_err(error)?;
    let bound = listener.local_addr().map_err(error)?;
    Ok((listener, bound))
}
