//! What the broker's refusals mean to callers.

use std::time::Duration;

use async_nats::jetstream::{
    self, ErrorCode,
    context::{PublishError, PublishErrorKind},
};

use crate::Fault;

/// When room can be expected, if nothing is known about how fast the queue drains.
pub(super) const ROOM_UNKNOWN: Duration = Duration::from_secs(30);

/// What the broker refuses for want of room: in a stream, on its disk, in its memory, in its list of streams.
const NO_ROOM: [ErrorCode; 7] = [
    ErrorCode::STREAM_STORE_FAILED,
    ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::MEMORY_RESOURCES_EXCEEDED,
    ErrorCode::MAXIMUM_STREAMS_LIMIT,
    ErrorCode::MAXIMUM_CONSUMERS_LIMIT,
];

/// A refusal.
pub(super) fn refusal(error: &jetstream::Error) -> Fault {
    if NO_ROOM.contains(&error.error_code()) {
        Fault::Full {
            reason: error.to_string(),
            retry_after: ROOM_UNKNOWN,
        }
    } else if error.code() == 503 {
        Fault::Unavailable(error.to_string())
    } else {
        Fault::Failed(error.to_string())
    }
}

/// A message that was not stored, or of which nobody knows whether it was.
pub(super) fn unpublished(error: &PublishError) -> Fault {
    let answer = std::error::Error::source(error).and_then(|source| source.downcast_ref());
    match (error.kind(), answer) {
        (_, Some(answer)) => refusal(answer),
        (PublishErrorKind::StreamNotFound | PublishErrorKind::MaxPayloadExceeded, None) => {
            Fault::Failed(error.to_string())
        }
        (_, None) => Fault::Unavailable(error.to_string()),
    }
}

/// What cannot be asked for now.
pub(super) fn away(error: impl std::fmt::Display) -> Fault {
    Fault::Unavailable(error.to_string())
}
