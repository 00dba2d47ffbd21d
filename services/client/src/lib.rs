//! A Rust client of the Tabiya service.
//!
//! [`Client`] has a method for each call. Every call is a question with no side effects, so a call that fails on the
//! way, or that a busy or restarting server turns away, is asked again within a budget. The `…_many` methods send a
//! stream of items with a bounded number of them in flight and resume when the connection breaks.
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

mod bulk;
mod client;
mod error;
mod retry;

pub use bulk::Results;
pub use client::Client;
pub use error::ClientError;
pub use retry::RetryPolicy;
pub use tabiya_api::{FILE_DESCRIPTOR_SET, MAX_MESSAGE_BYTES, v1};
