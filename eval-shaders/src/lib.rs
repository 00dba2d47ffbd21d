//! WGSL evaluation kernels and the byte layouts that they share with the CPU.
//!
//! [`layout`] is the position record that every backend reads. [`shape`] says which networks have a kernel,
//! [`source`] writes its WGSL, and [`upload`] lays out weights and batches for the device. Nothing here
//! talks to a device.

#![forbid(unsafe_code)]

pub mod layout;
pub mod shape;
pub mod source;
pub mod upload;

pub use layout::{LayoutError, PackedPiece, PackedPosition};
pub use shape::{HiddenShape, KernelLayout, KernelShape, ShapeError};
pub use source::kernel_source;
