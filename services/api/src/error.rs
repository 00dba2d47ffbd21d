//! What can go wrong with a call, and how the wire says it.

mod service_error;
mod violation;

pub use service_error::{ServiceError, in_part};
pub use violation::{MAX_VALUE_BYTES, MAX_VIOLATIONS, Violation, Violations, excerpt};
