//! WGSL evaluation kernels and the byte layouts that they share with the CPU.

#![forbid(unsafe_code)]

pub mod layout;

pub use layout::{LayoutError, PackedPiece, PackedPosition};
