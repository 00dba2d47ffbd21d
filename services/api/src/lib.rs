//! The public contract as Rust types and, with the feature `domain`, the bridge to the domain crates.

#![forbid(unsafe_code)]

pub mod codec;
#[cfg(feature = "domain")]
pub mod convert;
pub mod error;
mod wire;

/// Generated from `proto/tabiya/v1`.
pub mod v1 {
    #![allow(missing_docs, unreachable_pub, rustdoc::all, clippy::all)]
    tonic::include_proto!("tabiya.v1");
}

/// The descriptors of `tabiya.v1` and its imports, without comments, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("tabiya_descriptor");

/// Greatest size of a message in either direction, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

pub use wire::MAX_READ_BYTES;

/// Greatest number of positions, or of moves, in one message.
pub const MAX_POSITIONS_PER_MESSAGE: usize = 4096;

/// Greatest length of a bulk item's `id`, in bytes.
pub const MAX_ID_BYTES: usize = 256;
