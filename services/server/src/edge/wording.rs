//! Ends of calls that the protocol's library words, in the contract's words; and no end with more text than travels.

use tabiya_api::error::ServiceError;
use tonic::{Code, Status};

use super::oversize;

/// Greatest length of a status message, in bytes.
pub(crate) const MAX_STATUS_BYTES: usize = 1024;

/// Greatest length of the encoded details, in bytes.
pub(crate) const MAX_DETAILS_BYTES: usize = 4096;

/// How the library begins what it says of requests that are none. It ends such calls as if the fault were ours.
const MALFORMED: [&str; 5] = [
    "failed to decode Protobuf message",
    "protocol error: received message with",
    "Missing request message",
    "Unexpected EOF decoding stream",
    "Error decompressing",
];

/// What a call ends with instead of `status`; `None` if that is as it should be.
pub(crate) fn in_our_words(status: &Status) -> Option<Status> {
    oversize::in_our_words(status)
        .or_else(|| malformed(status))
        .or_else(|| cut(status))
}

fn malformed(status: &Status) -> Option<Status> {
    let message = status.message();
    let known = status.code() == Code::Internal && MALFORMED.iter().any(|begin| message.starts_with(begin));
    known.then(|| ServiceError::invalid("message", "", message).into())
}

/// Shorter text and no details, if either is too long.
fn cut(status: &Status) -> Option<Status> {
    let message = status.message();
    let details = status.details();
    if message.len() <= MAX_STATUS_BYTES && details.len() <= MAX_DETAILS_BYTES {
        return None;
    }
    let message = &message[..message.floor_char_boundary(MAX_STATUS_BYTES)];
    let mut shorter = if details.len() > MAX_DETAILS_BYTES {
        Status::new(status.code(), message)
    } else {
        Status::with_details(status.code(), message, details.to_vec().into())
    };
    *shorter.metadata_mut() = status.metadata().clone();
    Some(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_are_none_are_the_callers_mistake() {
        let found = Status::internal("failed to decode Protobuf message: LegalMovesRequest.position: bad");
        let told = in_our_words(&found).unwrap();
        assert_eq!(told.code(), Code::InvalidArgument);
        assert!(told.message().contains("LegalMovesRequest.position"), "{told:?}");
        // Our own faults stay ours.
        assert!(in_our_words(&Status::internal("internal error: the work was lost")).is_none());
    }

    #[test]
    fn no_text_is_too_long_whoever_wrote_it() {
        let details = || vec![7; 100].into();
        let long = Status::with_details(Code::NotFound, "马".repeat(1000), details());
        let told = in_our_words(&long).unwrap();
        assert_eq!((told.code(), told.message().len()), (Code::NotFound, 1023));
        assert_eq!(told.details().len(), 100);
        let heavy = Status::with_details(Code::NotFound, "short", vec![7; 5000].into());
        let told = in_our_words(&heavy).unwrap();
        assert_eq!((told.message(), told.details().len()), ("short", 0));
        assert!(in_our_words(&Status::with_details(Code::NotFound, "x".repeat(1024), details())).is_none());
    }
}
