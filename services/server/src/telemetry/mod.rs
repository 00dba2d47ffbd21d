//! What ties a call to others: its request id, and the trace that it is part of. Nothing else here knows OpenTelemetry.

mod counted;
mod export;
mod request_id;
mod span;

pub(crate) use export::{LAST_SPANS, Traces};
#[cfg(test)]
pub(crate) use request_id::MAX_BYTES as MAX_REQUEST_ID_BYTES;
pub(crate) use request_id::RequestId;
pub(crate) use span::{Span, Summary};
