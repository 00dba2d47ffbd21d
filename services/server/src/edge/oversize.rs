//! Messages that are too long or cannot be read, in the contract's words.

use tabiya_api::{MAX_MESSAGE_BYTES, error::ServiceError};
use tonic::{Code, Status};

/// How prost begins to say that bytes are no message of the type; where and why follows.
const UNREADABLE: &str = "failed to decode Protobuf message: ";

/// What a call ends with instead of `status`; `None` if it is no matter of messages.
///
/// tonic ends a call over a message beyond its limit with OUT_OF_RANGE, which nothing else here ends with, and with a
/// sentence of its own: "decoded" is what the caller sent, "encoded" what would be the answer. Over bytes that are no message,
/// or one that is nested too deeply, it ends it with INTERNAL.
pub(super) fn in_our_words(status: &Status) -> Option<Status> {
    if status.code() == Code::Internal {
        let told = status.message().strip_prefix(UNREADABLE)?;
        let (place, reason) = told.rsplit_once(": ").unwrap_or(("", told));
        return Some(ServiceError::invalid("message", place, reason).into());
    }
    if status.code() != Code::OutOfRange {
        return None;
    }
    if status.message().contains("encoded message length") {
        return Some(ServiceError::answer_too_long("message", "").into());
    }
    let found = status
        .message()
        .split(|letter: char| !letter.is_ascii_digit())
        .find(|digits| !digits.is_empty())
        .unwrap_or_default();
    let reason = format!("more than {MAX_MESSAGE_BYTES} bytes in one message");
    Some(ServiceError::invalid("message", found, reason).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_length_is_told_anew() {
        let sent = Status::out_of_range(
            "Error, decoded message length too large: found 5242880 bytes, the limit is: 4194304 bytes",
        );
        let told = in_our_words(&sent).unwrap();
        assert_eq!(told.code(), Code::InvalidArgument);
        assert_eq!(
            told.message(),
            "message `5242880`: more than 4194304 bytes in one message"
        );
        let answer = Status::out_of_range(
            "Error, encoded message length too large: found 5 bytes, the limit is: 4 bytes",
        );
        assert_eq!(
            in_our_words(&answer).map(|told| told.code()),
            Some(Code::InvalidArgument)
        );
        assert!(in_our_words(&Status::invalid_argument("found 5 bytes")).is_none());
        let told = in_our_words(&Status::internal(format!(
            "{UNREADABLE}Event.kind: recursion limit reached"
        )));
        let told = told.unwrap();
        assert_eq!(told.code(), Code::InvalidArgument);
        assert_eq!(told.message(), "message `Event.kind`: recursion limit reached");
        assert!(in_our_words(&Status::internal("internal error: lost")).is_none());
    }
}
