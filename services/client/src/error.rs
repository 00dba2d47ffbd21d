use std::{fmt::Write, path::PathBuf, time::Duration};

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::retry::retry_after;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The endpoint is not an address.
    #[error("endpoint `{endpoint}`: {reason}")]
    Endpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No connection could be made.
    #[error("cannot connect to {endpoint}: {reason}")]
    Connect {
        /// The address.
        endpoint: String,
        /// What the system said.
        reason: String,
    },
    /// A file with a certificate, a key or a token cannot be read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// What was given as a token cannot be one. It is not shown.
    #[error("the token is empty, or has letters that no token has")]
    Token,
    /// The call ended with an error that asking again does not mend, or was asked often enough.
    #[error("{}", describe(.0))]
    Call(Box<Status>),
    /// The exchange over a stream panicked, most likely in the stream of items that was handed in.
    #[error("the exchange panicked: not all items were answered")]
    Panicked,
}

impl ClientError {
    /// The code that the call ended with; `None` if it never reached a server.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Call(status) => Some(status.code()),
            Self::Endpoint { .. }
            | Self::Connect { .. }
            | Self::File { .. }
            | Self::Token
            | Self::Panicked => None,
        }
    }

    /// When the server proposes to ask again, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Call(status) => retry_after(status),
            _ => None,
        }
    }
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        Self::Call(Box::new(status))
    }
}

/// The message, with every field violation after the first, which the message has already.
fn describe(status: &Status) -> String {
    let mut text = match status.message() {
        "" => format!("{}", status.code()),
        message => message.to_owned(),
    };
    let violations = status
        .get_details_bad_request()
        .map_or_else(Vec::new, |details| details.field_violations);
    for violation in violations.iter().skip(1) {
        // Writing to a string cannot fail.
        let _ = write!(text, "; {} {}", violation.field, violation.description);
    }
    text
}

#[cfg(test)]
mod tests {
    use tonic_types::{ErrorDetails, FieldViolation};

    use super::*;

    #[test]
    fn every_violation_is_told_once() {
        let fields = vec![
            FieldViolation::new("a", "`1`: bad"),
            FieldViolation::new("b", "`2`: worse"),
        ];
        let details = ErrorDetails::with_bad_request(fields);
        let status = Status::with_error_details(Code::InvalidArgument, "a `1`: bad, and 1 more", details);
        assert_eq!(
            ClientError::from(status).to_string(),
            "a `1`: bad, and 1 more; b `2`: worse"
        );
    }
}
