//! How much metadata a call may have. The protocol's library turns away what is far beyond it, with nothing but an HTTP
//! status; what is within its reach gets an answer that says what is wrong.

use http::Request;
use tabiya_api::error::ServiceError;

/// Bytes that a header field is counted with besides its name and its value (RFC 9113, 6.5.2).
pub(crate) const OVERHEAD: usize = 32;

/// How many times the metadata that a call may have is read before its connection's library turns it away.
pub(crate) const READ_TIMES: usize = 4;

/// Refuses a call with more metadata than this.
///
/// # Errors
/// INVALID_ARGUMENT: it never gets in.
pub(super) fn check<B>(request: &Request<B>, most: usize) -> Result<(), ServiceError> {
    let fields = request.headers().iter();
    let bytes: usize = fields
        .map(|(name, value)| name.as_str().len() + value.len() + OVERHEAD)
        .sum();
    let bytes = bytes + request.uri().path().len();
    if bytes <= most {
        return Ok(());
    }
    let reason = format!("more than the {most} bytes of metadata that a call may have");
    Err(ServiceError::invalid(
        "metadata",
        &format!("{bytes} bytes"),
        reason,
    ))
}
