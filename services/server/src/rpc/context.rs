use std::{sync::Arc, time::Instant};

use tabiya_api::{
    convert::{Asked, accept_language},
    v1::Language,
};
use tonic::Request;

use crate::edge::{Deadline, RequestStats};

/// What a handler knows of its call besides the message.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// When the handler got the call.
    pub(super) arrived: Instant,
    pub(super) deadline: Option<Deadline>,
    pub(super) stats: Arc<RequestStats>,
    /// The language that the call's metadata prefers.
    pub(super) language: Language,
}

/// The metadata that names languages.
const ACCEPT_LANGUAGE: &str = "accept-language";

impl Context {
    /// Takes a request apart.
    pub(super) fn of<T>(request: Request<T>) -> (Self, T) {
        let languages = request.metadata().get(ACCEPT_LANGUAGE);
        let language = languages
            .and_then(|value| value.to_str().ok())
            .map(accept_language);
        let extensions = request.extensions();
        let context = Self {
            arrived: Instant::now(),
            deadline: extensions.get().copied(),
            // Absent only if the services are called without the edge; then nobody reads the figures.
            stats: extensions.get().cloned().unwrap_or_default(),
            language: language.unwrap_or_default(),
        };
        (context, request.into_inner())
    }

    /// When an answer has to be on its way.
    pub(super) fn answer_by(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline.answer_by(self.arrived))
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
