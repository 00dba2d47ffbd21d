//! The connection to the broker, and what is said about it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::{
    ClientError, ConnectErrorKind, ConnectOptions, Event,
    jetstream::{self, Context},
};
use tokio::sync::watch;

use super::{Settings, settings::Login};
use crate::Fault;

/// How long one request to the broker may take. A call that wants patience asks again.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Longest pause between two attempts at connecting again.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Whether the broker answers. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Link {
    answers: Arc<watch::Sender<bool>>,
    known: Arc<Mutex<Known>>,
    address: Arc<str>,
    /// Whether everything is there that we keep there.
    is_prepared: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Known {
    /// When it answered last.
    heard: Instant,
    /// Since when it does not answer: what is logged once, and once more when it is over.
    outage: Option<Instant>,
}

impl Link {
    fn new(address: String) -> Self {
        Self {
            answers: Arc::new(watch::Sender::new(true)),
            known: Arc::new(Mutex::new(Known {
                heard: Instant::now(),
                outage: None,
            })),
            address: address.into(),
            is_prepared: Arc::default(),
        }
    }

    /// Tells at every change whether the broker answers.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.answers.subscribe()
    }

    /// Everything is there that we keep there.
    pub(super) fn prepared(&self) {
        self.is_prepared.store(true, Ordering::Release);
    }

    /// Refuses to ask for what may not be there yet.
    pub(super) fn check_prepared(&self) -> Result<(), Fault> {
        if self.is_prepared.load(Ordering::Acquire) {
            return Ok(());
        }
        let address = &self.address;
        Err(Fault::Unavailable(format!("{address} has not answered yet")))
    }

    /// It has not answered since then. Said once for each outage, however often it is found out; what was asked before
    /// the broker answered somebody else says nothing.
    pub(super) fn lost(&self, since: Instant, reason: &str) {
        let mut known = self.known();
        if known.heard > since {
            return;
        }
        if known.outage.is_none() {
            known.outage = Some(since);
            tracing::warn!(servers = %self.address, reason, "NATS does not answer; trying again until it does");
        }
        self.answers.send_replace(false);
    }

    /// It answers.
    pub(super) fn found(&self) {
        let mut known = self.known();
        known.heard = Instant::now();
        if let Some(since) = known.outage.take() {
            let seconds = since.elapsed().as_secs_f32();
            tracing::info!(servers = %self.address, seconds, "NATS answers again");
        }
        self.answers.send_replace(true);
    }

    /// Keeps in mind what a request has shown that was sent then.
    pub(super) fn heed<T>(&self, sent: Instant, outcome: Result<T, Fault>) -> Result<T, Fault> {
        match &outcome {
            Ok(_) => self.found(),
            Err(Fault::Unavailable(reason)) => self.lost(sent, reason),
            Err(_) => {}
        }
        outcome
    }

    fn heard(&self, event: &Event) {
        match event {
            Event::Connected => self.found(),
            Event::Disconnected | Event::Closed => self.lost(Instant::now(), "the connection has ended"),
            Event::ClientError(ClientError::Other(reason)) => {
                self.lost(Instant::now(), "no connection");
                tracing::debug!(reason, "no connection to NATS");
            }
            other => tracing::debug!(event = %other, "NATS"),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Connects.
///
/// # Errors
/// [`Fault::Failed`] if what we are to log in with cannot be read, or a server does not let us in. [`Fault::Unavailable`] if
/// no server of the list answers.
pub(super) async fn connect(settings: &Settings) -> Result<(Context, Link), Fault> {
    let link = Link::new(settings.address.to_string());
    let options = options(settings, &link).await?;
    finish(settings, link, options).await
}

/// Goes on trying to connect, for as long as it takes.
///
/// # Errors
/// As [`connect`], but where no server answers.
pub(super) async fn connect_later(settings: &Settings, reason: &str) -> Result<(Context, Link), Fault> {
    let link = Link::new(settings.address.to_string());
    let options = options(settings, &link).await?.retry_on_initial_connect();
    link.lost(Instant::now(), reason);
    finish(settings, link, options).await
}

async fn options(settings: &Settings, link: &Link) -> Result<ConnectOptions, Fault> {
    // The connection is encrypted by whichever provider the process uses; if none is chosen yet, by this one.
    let _ = async_nats::rustls::crypto::ring::default_provider().install_default();
    for file in files(settings) {
        let unreadable = |error: std::io::Error| Fault::Failed(format!("{}: {error}", file.display()));
        std::fs::File::open(file).map_err(unreadable)?;
    }
    let mut options = match &settings.credentials {
        Some(file) => ConnectOptions::with_credentials_file(file)
            .await
            .map_err(|error| Fault::Failed(format!("credentials {}: {error}", file.display())))?,
        None => ConnectOptions::new(),
    };
    options = match settings.address.login().cloned() {
        Some(Login::Password { user, password }) => options.user_and_password(user, password),
        Some(Login::Token(token)) => options.token(token),
        None => options,
    };
    if let Some(file) = &settings.root_certificates {
        options = options.add_root_certificates(file.clone());
    }
    if let Some((certificate, key)) = &settings.client_certificate {
        options = options.add_client_certificate(certificate.clone(), key.clone());
    }
    let heard = link.clone();
    Ok(options
        .name(&settings.name)
        .ping_interval(settings.heartbeat)
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
        .reconnect_delay_callback(pause)
        .event_callback(move |event| {
            heard.heard(&event);
            std::future::ready(())
        }))
}

/// The files that a connection needs.
fn files(settings: &Settings) -> impl Iterator<Item = &std::path::PathBuf> {
    let ours = settings
        .client_certificate
        .iter()
        .flat_map(|(certificate, key)| [certificate, key]);
    settings.root_certificates.iter().chain(ours)
}

async fn finish(settings: &Settings, link: Link, options: ConnectOptions) -> Result<(Context, Link), Fault> {
    let client = options
        .connect(settings.address.servers())
        .await
        .map_err(|error| {
            let reason = format!("{}: {error}", settings.address);
            match error.kind() {
                ConnectErrorKind::AuthorizationViolation
                | ConnectErrorKind::Authentication
                | ConnectErrorKind::Tls => Fault::Failed(reason),
                _ => Fault::Unavailable(reason),
            }
        })?;
    let context = jetstream::ContextBuilder::new().timeout(PATIENCE).build(client);
    Ok((context, link))
}

/// How long to wait before another attempt at connecting, which doubles.
fn pause(attempts: usize) -> Duration {
    let doublings = u32::try_from(attempts).unwrap_or(u32::MAX).min(10);
    (Duration::from_millis(5) * 2_u32.pow(doublings)).min(LONGEST_PAUSE)
}
