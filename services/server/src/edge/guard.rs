//! Who is let in, and what he holds while he is.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::Request;
use tabiya_api::error::ServiceError;

use super::exchange::Exchange;
use crate::auth::{Access, Auth, Caller, Held, Role, access};

/// Lets the calls of a connection in.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    auth: Option<Auth>,
    /// Names that the peer's certificate vouches for.
    names: Arc<[String]>,
    /// How long a stream may rest.
    idle: Duration,
    /// The connections that are served at once, if this one is beyond them.
    full: Option<usize>,
}

/// When a caller whose connection was one too many may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A call that was let in. Found among the request's extensions, and kept until the call has ended.
#[derive(Debug)]
pub(crate) struct Pass {
    caller: Option<Arc<Caller>>,
    /// What is held of the caller's quota until the call has ended.
    held: Mutex<Held>,
    /// The stream's place among those that the caller may have open.
    _stream: Held,
    pub(super) exchange: Exchange,
}

impl Guard {
    /// Without `auth` everybody is let in.
    pub(crate) fn new(auth: Option<Auth>, idle: Duration) -> Self {
        Self {
            auth,
            names: Arc::new([]),
            idle,
            full: None,
        }
    }

    /// The same for a connection that is one too many: it lets nobody in.
    pub(crate) fn beyond(self, connections: usize) -> Self {
        Self {
            full: Some(connections),
            ..self
        }
    }

    /// Whether the connection is one too many.
    pub(super) fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// The same for a peer with a certificate of these names.
    pub(crate) fn of_certificate(self, names: Vec<String>) -> Self {
        Self {
            names: names.into(),
            ..self
        }
    }

    /// Lets a call in.
    ///
    /// # Errors
    /// UNAUTHENTICATED, PERMISSION_DENIED, or RESOURCE_EXHAUSTED if the caller's quota is used up or the connection is
    /// one too many.
    pub(super) fn enter<B>(&self, request: &Request<B>) -> Result<Pass, ServiceError> {
        #[cfg(test)]
        assert!(
            request
                .headers()
                .get("panic")
                .is_none_or(|place| place != "guard"),
            "a guard that fails"
        );
        if let Some(connections) = self.full {
            return Err(ServiceError::Exhausted {
                reason: format!("as many connections are open as the server serves at once: {connections}"),
                retry_after: RETRY_AFTER,
            });
        }
        let path = request.uri().path();
        let caller = match &self.auth {
            Some(auth) => auth.check(path, request.headers(), &self.names)?,
            None => None,
        };
        let (mut held, mut stream) = (Held::default(), Held::default());
        if let Some(caller) = &caller {
            match access(path) {
                Some(Access::Role(Role::Read)) => held = caller.quota.take(1, 0)?,
                // Items are taken as they come.
                Some(Access::Role(_)) => stream = caller.quota.open_stream()?,
                Some(Access::Open | Access::Reflection) | None => {}
            }
        }
        Ok(Pass {
            caller,
            held: Mutex::new(held),
            _stream: stream,
            exchange: Exchange::new(path, self.idle),
        })
    }
}

impl Pass {
    /// The caller's name, if he is known.
    pub(crate) fn caller(&self) -> Option<&str> {
        self.caller.as_ref().map(|caller| caller.name.as_str())
    }

    /// Whether the caller may do everything: he has the role for that, or callers are not told apart here.
    pub(crate) fn is_admin(&self) -> bool {
        let caller = self.caller.as_ref();
        caller.is_none_or(|caller| caller.roles.allow(Role::Admin))
    }

    /// Has a call that came in with one position take so many.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the caller's quota is used up.
    pub(crate) fn take(&self, positions: usize) -> Result<(), ServiceError> {
        if let (Some(caller), Some(more @ 1..)) = (&self.caller, positions.checked_sub(1)) {
            let more = caller.quota.take(more, 1)?;
            self.held
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .join(more);
        }
        Ok(())
    }

    /// Refuses positions that are to be kept for later while the caller has brought too many of late.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, with the time to come back.
    pub(crate) fn check_rate(&self) -> Result<(), ServiceError> {
        let caller = self.caller.as_ref();
        caller.map_or(Ok(()), |caller| caller.quota.check_rate())
    }

    /// Waits until the caller may bring more positions.
    pub(crate) async fn rate(&self) {
        if let Some(caller) = &self.caller {
            caller.quota.rate().await;
        }
    }

    /// Counts positions that are kept for later as come.
    pub(crate) fn pay(&self, positions: usize) {
        if let Some(caller) = &self.caller {
            caller.quota.pay(positions);
        }
    }

    /// Takes items of a stream once the caller's quota has room for them.
    pub(crate) async fn take_when_free(&self, positions: usize) -> Held {
        match &self.caller {
            Some(caller) => caller.quota.take_when_free(positions).await,
            None => Held::default(),
        }
    }
}
