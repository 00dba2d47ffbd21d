use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tonic::Code;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{client::Transport, place::Place, retry::jittered};

/// Pause before a server that failed is tried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How long a server that is tried again has for its answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// One server: an address, and a connection to it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) place: Place,
    pub(crate) address: SocketAddr,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    channel: Transport,
    /// It failed; somebody is trying it again.
    is_out: bool,
}

impl Server {
    /// A server that can be used at once.
    pub(crate) fn new(place: Place, address: SocketAddr, channel: Transport) -> Arc<Self> {
        let state = State {
            channel,
            is_out: false,
        };
        Arc::new(Self {
            place,
            address,
            state: Mutex::new(state),
        })
    }

    /// A server that is used once it has answered.
    pub(crate) fn expected(place: Place, address: SocketAddr) -> Arc<Self> {
        let channel = place.connect_later(address);
        let server = Self::new(place, address, channel);
        server.failed();
        server
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing can be half done in it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to it. It connects again by itself.
    pub(crate) fn channel(&self) -> Transport {
        self.state().channel.clone()
    }

    pub(crate) fn is_out(&self) -> bool {
        self.state().is_out
    }

    /// A call found it gone, busy ending, or silent: others are asked until it answers again.
    pub(crate) fn failed(self: &Arc<Self>) {
        if !std::mem::replace(&mut self.state().is_out, true) {
            tokio::spawn(bring_back(Arc::downgrade(self)));
        }
    }

    /// A connection on which the server says that it takes calls.
    async fn answer(&self) -> Option<Transport> {
        let channel = self.place.connect(self.address).await.ok()?;
        // The empty name is the server as a whole; it says first that the server is leaving.
        let call = async {
            HealthClient::new(channel.clone())
                .check(HealthCheckRequest::default())
                .await
        };
        let is_well = match tokio::time::timeout(PATIENCE, call).await.ok()? {
            Ok(answer) => answer.get_ref().status() == ServingStatus::Serving,
            // Somebody answers who does not speak of health, or not to us.
            Err(status) => matches!(
                status.code(),
                Code::Unimplemented | Code::NotFound | Code::Unauthenticated | Code::PermissionDenied
            ),
        };
        is_well.then_some(channel)
    }
}

/// Tries a server until it answers, or nobody wants it any more.
async fn bring_back(server: Weak<Server>) {
    let mut pause = FIRST_PAUSE;
    loop {
        tokio::time::sleep(jittered(pause)).await;
        let Some(server) = server.upgrade() else { return };
        if let Some(channel) = server.answer().await {
            *server.state() = State {
                channel,
                is_out: false,
            };
            return;
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
