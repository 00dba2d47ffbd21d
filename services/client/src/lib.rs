//! A Rust client of the Tabiya service.
//!
//! [`Client`] has a method for each call, and spreads calls over all servers of a list or a name. Every call can be made
//! again without harm, so one that fails on the way, or that a busy or restarting server turns away, is asked again
//! within a budget; only `analyze` and `upload_job` are asked once. The `…_many` methods send a stream of items with a
//! bounded number of them in flight, and resume when the connection breaks. [`Access`] has certificates and a token.
//!
//! ```no_run
//! # async fn example() -> Result<(), tabiya_client::ClientError> {
//! use tabiya_client::{Client, v1};
//!
//! let client = Client::connect("http://127.0.0.1:50051").await?;
//! let response = client.legal_moves(v1::LegalMovesRequest::default()).await?;
//! assert_eq!(response.moves.len(), 20);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod access;
mod bulk;
mod client;
mod error;
mod follow;
mod place;
mod retry;
mod server;
mod servers;

pub use access::Access;
pub use bulk::Results;
pub use client::Client;
pub use error::ClientError;
pub use retry::{RetryPolicy, Statistics};
pub use tabiya_api::{FILE_DESCRIPTOR_SET, MAX_MESSAGE_BYTES, MAX_POSITIONS_PER_MESSAGE, v1};
