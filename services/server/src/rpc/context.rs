use std::{sync::Arc, time::Instant};

use tabiya_api::{
    convert::{Asked, accept_language},
    error::ServiceError,
    v1::Language,
};
use tonic::Request;

use crate::{
    auth::Held,
    edge::{Deadline, Pass, RequestStats, Share},
    metrics::Method,
};

/// What a handler knows of its call besides the message.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// When the handler got the call.
    pub(super) arrived: Instant,
    pub(super) deadline: Option<Deadline>,
    pub(super) stats: Arc<RequestStats>,
    /// Absent only if the services are called without the edge.
    pub(super) pass: Option<Arc<Pass>>,
    /// What the request takes of the memory for requests; absent as the pass is.
    pub(super) share: Option<Arc<Share>>,
    /// The language that the call's metadata prefers.
    pub(super) language: Language,
}

/// The metadata that names languages.
const ACCEPT_LANGUAGE: &str = "accept-language";

impl Context {
    /// Takes a request apart.
    pub(super) fn of<T>(request: Request<T>) -> (Self, T) {
        // Several headers are one list (RFC 9110, section 5.3).
        let languages: Vec<_> = (request.metadata().get_all(ACCEPT_LANGUAGE).iter())
            .filter_map(|value| value.to_str().ok())
            .collect();
        let language = (!languages.is_empty()).then(|| accept_language(&languages.join(",")));
        let extensions = request.extensions();
        let context = Self {
            arrived: Instant::now(),
            deadline: extensions.get().copied(),
            // Absent only if the services are called without the edge; then nobody reads the figures.
            stats: (extensions.get().cloned())
                .unwrap_or_else(|| Arc::new(RequestStats::new(Arc::new(Method::unnamed())))),
            pass: extensions.get().cloned(),
            share: extensions.get().cloned(),
            language: language.unwrap_or_default(),
        };
        (context, request.into_inner())
    }

    /// What the server's own work knows instead: nobody waits for it, and nobody reads its figures.
    pub(super) fn own() -> Self {
        Self {
            arrived: Instant::now(),
            deadline: None,
            stats: Arc::new(RequestStats::new(Arc::new(Method::unnamed()))),
            pass: None,
            share: None,
            language: Language::default(),
        }
    }

    /// When an answer has to be on its way.
    pub(super) fn answer_by(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline.answer_by(self.arrived))
    }

    /// Whom what the call leaves behind belongs to; empty where callers are not told apart.
    pub(super) fn owner(&self) -> &str {
        let pass = self.pass.as_ref();
        pass.and_then(|pass| pass.caller()).unwrap_or_default()
    }

    /// Whether the caller may see and end what belongs to this one: what is his own, or everything.
    pub(super) fn may_touch(&self, owner: &str) -> bool {
        let is_admin = self.pass.as_ref().is_none_or(|pass| pass.is_admin());
        is_admin || owner == self.owner()
    }

    /// Has the call, which came in with one position, take so many of its caller's quota.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if the quota is used up.
    pub(super) fn take(&self, positions: usize) -> Result<(), ServiceError> {
        self.pass.as_ref().map_or(Ok(()), |pass| pass.take(positions))
    }

    /// Takes items of a stream once the caller's quota has room for them; they are held until what is returned is dropped.
    pub(super) async fn take_when_free(&self, items: usize) -> Held {
        match &self.pass {
            Some(pass) => pass.take_when_free(items).await,
            None => Held::default(),
        }
    }

    /// Refuses positions that are to be kept for later while the caller has brought too many of late.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, with the time to come back.
    pub(super) fn check_rate(&self) -> Result<(), ServiceError> {
        self.pass.as_ref().map_or(Ok(()), |pass| pass.check_rate())
    }

    /// Waits until the caller may bring more positions.
    pub(super) async fn rate(&self) {
        if let Some(pass) = &self.pass {
            pass.rate().await;
        }
    }

    /// Counts positions that are kept for later: against the caller's rate, and in the call's figures.
    pub(super) fn pay(&self, positions: usize) {
        self.stats.add_positions(positions);
        if let Some(pass) = &self.pass {
            pass.pay(positions);
        }
    }

    /// Whether the deadline can stand in for the limits of a search.
    pub(super) fn asked(&self) -> Asked {
        if self.deadline.is_some() {
            Asked::WithDeadline
        } else {
            Asked::WithoutDeadline
        }
    }
}
