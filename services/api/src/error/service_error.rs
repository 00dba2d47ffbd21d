use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation as RpcViolation, StatusExt};

use super::Violations;
use crate::v1;

/// Greatest length of a status message, in bytes. Long trailers break the HTTP/2 stream (grpc/grpc-rust#2216).
const MAX_MESSAGE_BYTES: usize = 1024;

/// Greatest length of the encoded status details, in bytes.
const MAX_DETAILS_BYTES: usize = 4096;

/// Why a call, or one item of a stream, has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ServiceError {
    /// The caller sent something that cannot be right.
    #[error("{0}")]
    Invalid(Violations),
    /// Every place in a queue is taken.
    #[error("the server is busy: {waiting} positions are waiting")]
    Overloaded {
        /// Positions waiting when the call was refused.
        waiting: usize,
        /// When room can be expected, judged by the pace of late.
        retry_after: Duration,
    },
    /// Too many bytes of requests are here already.
    #[error("the server is busy: {bytes} bytes of requests are waiting")]
    Crowded {
        /// Bytes of requests that were here when the call was refused.
        bytes: usize,
        /// When room can be expected.
        retry_after: Duration,
    },
    /// The caller is not known.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller is known, and may not do this.
    #[error("this call takes the role `{0}`")]
    PermissionDenied(&'static str),
    /// The caller has used up what is his.
    #[error("the quota of {what} is used up")]
    Quota {
        /// What there is no more of.
        what: &'static str,
        /// When there will be some again.
        retry_after: Duration,
    },
    /// The deadline came before there was anything to answer.
    #[error("the deadline came before there was an answer")]
    DeadlineExceeded,
    /// The request is right but this server cannot do it yet.
    #[error("{0}")]
    Unimplemented(String),
    /// The request needs something that this server does not have.
    #[error("{0}")]
    FailedPrecondition(String),
    /// There is nothing of that name.
    #[error("{0}")]
    NotFound(String),
    /// Something else has that name already.
    #[error("{0}")]
    AlreadyExists(String),
    /// A quota is used up, or a disk is full.
    #[error("{reason}")]
    Exhausted {
        /// What is used up.
        reason: String,
        /// When room can be expected.
        retry_after: Duration,
    },
    /// What the server needs for the answer cannot be reached for now.
    #[error("{0}")]
    Unavailable(String),
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// A fault of the server's own.
    #[error("internal error: {0}")]
    Internal(String),
}

impl ServiceError {
    /// A request with one wrong field.
    pub fn invalid(field: impl Into<String>, value: &str, reason: impl std::fmt::Display) -> Self {
        Self::Invalid(Violations::one(field, value, reason))
    }

    /// A request whose answer would not fit into a message, with the field that makes it long.
    pub fn answer_too_long(field: impl Into<String>, value: &str) -> Self {
        let most = crate::MAX_MESSAGE_BYTES;
        let reason = format!("the answer would be longer than {most} bytes; ask for less in one message");
        Self::invalid(field, value, reason)
    }

    /// The code that the call ends with.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid(_) => Code::InvalidArgument,
            Self::Overloaded { .. } | Self::Crowded { .. } | Self::Quota { .. } | Self::Exhausted { .. } => {
                Code::ResourceExhausted
            }
            Self::Unauthenticated(_) => Code::Unauthenticated,
            Self::PermissionDenied(_) => Code::PermissionDenied,
            Self::NotFound(_) => Code::NotFound,
            Self::AlreadyExists(_) => Code::AlreadyExists,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::Unimplemented(_) => Code::Unimplemented,
            Self::FailedPrecondition(_) => Code::FailedPrecondition,
            Self::Unavailable(_) | Self::ShuttingDown => Code::Unavailable,
            Self::Internal(_) => Code::Internal,
        }
    }

    /// The message, at most 1 KiB.
    fn message(&self) -> String {
        let mut message = self.to_string();
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message
    }

    /// The error as one item of a stream carries it.
    pub fn to_item_error(&self) -> v1::ItemError {
        let violations = match self {
            Self::Invalid(violations) => violations.kept(),
            _ => &[],
        };
        v1::ItemError {
            code: self.code() as i32,
            message: self.message(),
            violations: violations
                .iter()
                .map(|violation| v1::FieldViolation {
                    field: violation.field.clone(),
                    value: violation.value.clone(),
                    reason: violation.reason.clone(),
                })
                .collect(),
        }
    }
}

impl From<Violations> for ServiceError {
    fn from(violations: Violations) -> Self {
        Self::Invalid(violations)
    }
}

impl From<ServiceError> for Status {
    fn from(error: ServiceError) -> Self {
        let (code, message) = (error.code(), error.message());
        match error {
            ServiceError::Invalid(violations) => invalid_status(message, violations),
            ServiceError::Overloaded { retry_after, .. }
            | ServiceError::Crowded { retry_after, .. }
            | ServiceError::Quota { retry_after, .. }
            | ServiceError::Exhausted { retry_after, .. } => {
                Status::with_error_details(code, message, ErrorDetails::with_retry_info(Some(retry_after)))
            }
            _ => Status::new(code, message),
        }
    }
}

/// A caller's mistake that was made in a part of what he sent, such as `item[3]`; every other status as it is.
pub fn in_part(status: Status, part: &str) -> Status {
    match (status.code(), status.get_details_bad_request()) {
        (Code::InvalidArgument, Some(mistakes)) => {
            let named = |mistake: RpcViolation| {
                RpcViolation::new(format!("{part}.{}", mistake.field), mistake.description)
            };
            let mistakes: Vec<_> = mistakes.field_violations.into_iter().map(named).collect();
            let message = format!("{part}.{}", status.message());
            Status::with_error_details(status.code(), message, ErrorDetails::with_bad_request(mistakes))
        }
        _ => status,
    }
}

/// INVALID_ARGUMENT with as many violations as fit.
fn invalid_status(message: String, mut violations: Violations) -> Status {
    loop {
        let mut fields: Vec<_> = violations
            .kept()
            .iter()
            .map(|v| RpcViolation::new(&v.field, format!("`{}`: {}", v.value, v.reason)))
            .collect();
        if violations.others() > 0 {
            fields.push(RpcViolation::new("", format!("and {} more", violations.others())));
        }
        let details = ErrorDetails::with_bad_request(fields);
        let status = Status::with_error_details(Code::InvalidArgument, message.clone(), details);
        if status.details().len() <= MAX_DETAILS_BYTES || !violations.fold_last() {
            return status;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_its_code() {
        let table = [
            (
                ServiceError::invalid("position.fen", "x", "bad"),
                Code::InvalidArgument,
            ),
            (
                ServiceError::Overloaded {
                    waiting: 3,
                    retry_after: Duration::from_millis(250),
                },
                Code::ResourceExhausted,
            ),
            (
                ServiceError::Crowded {
                    bytes: 3,
                    retry_after: Duration::from_millis(250),
                },
                Code::ResourceExhausted,
            ),
            (ServiceError::Unauthenticated("who?"), Code::Unauthenticated),
            (ServiceError::PermissionDenied("bulk"), Code::PermissionDenied),
            (
                ServiceError::Quota {
                    what: "streams",
                    retry_after: Duration::from_secs(1),
                },
                Code::ResourceExhausted,
            ),
            (ServiceError::DeadlineExceeded, Code::DeadlineExceeded),
            (ServiceError::Unimplemented("later".into()), Code::Unimplemented),
            (
                ServiceError::FailedPrecondition("no gpu".into()),
                Code::FailedPrecondition,
            ),
            (ServiceError::NotFound("no job".into()), Code::NotFound),
            (ServiceError::AlreadyExists("a job".into()), Code::AlreadyExists),
            (
                ServiceError::Exhausted {
                    reason: "full".into(),
                    retry_after: Duration::from_secs(1),
                },
                Code::ResourceExhausted,
            ),
            (ServiceError::Unavailable("away".into()), Code::Unavailable),
            (ServiceError::ShuttingDown, Code::Unavailable),
            (ServiceError::Internal("lost".into()), Code::Internal),
        ];
        for (error, code) in table {
            assert_eq!(error.to_item_error().code, code as i32, "{error:?}");
            assert_eq!(error.to_item_error().message, error.to_string());
            assert_eq!(Status::from(error).code(), code);
        }
    }

    #[test]
    fn an_overloaded_server_says_when_to_come_back() {
        let retry_after = Duration::from_millis(250);
        let status = Status::from(ServiceError::Overloaded {
            waiting: 3,
            retry_after,
        });
        assert_eq!(
            status.get_details_retry_info().unwrap().retry_delay,
            Some(retry_after)
        );
    }

    #[test]
    fn a_thousand_long_violations_fit_the_trailers() {
        let mut violations = Violations::default();
        for i in 0..1000 {
            violations.add(
                format!("positions[{i}].{}", "马".repeat(99)),
                &"马".repeat(99),
                "马".repeat(9999),
            );
        }
        let status = Status::from(ServiceError::Invalid(violations));
        assert!(status.message().len() <= MAX_MESSAGE_BYTES);
        assert!(
            status.details().len() <= MAX_DETAILS_BYTES,
            "{}",
            status.details().len()
        );
        let fields = status.get_details_bad_request().unwrap().field_violations;
        let told = fields.len() - 1;
        assert!(told >= 8, "{told}");
        assert_eq!(
            fields.last().unwrap().description,
            format!("and {} more", 1000 - told)
        );
    }

    #[test]
    fn a_field_violation_names_field_value_and_reason() {
        let status = Status::from(ServiceError::invalid(
            "positions[17].fen",
            "8/8",
            "has 2 ranks, not 8",
        ));
        assert_eq!(status.message(), "positions[17].fen `8/8`: has 2 ranks, not 8");
        let fields = status.get_details_bad_request().unwrap().field_violations;
        assert_eq!(fields[0].field, "positions[17].fen");
        assert_eq!(fields[0].description, "`8/8`: has 2 ranks, not 8");
    }

    #[test]
    fn a_mistake_in_a_part_says_which() {
        let status = Status::from(ServiceError::invalid("message", "", "no message"));
        let named = in_part(status, "item[3]");
        assert_eq!(named.code(), Code::InvalidArgument);
        assert_eq!(named.message(), "item[3].message ``: no message");
        let fields = named.get_details_bad_request().unwrap().field_violations;
        assert_eq!(fields[0].field, "item[3].message");
        let other = in_part(ServiceError::ShuttingDown.into(), "item[3]");
        assert_eq!(other.code(), Code::Unavailable);
        assert!(!other.message().contains("item"), "{other:?}");
    }
}
