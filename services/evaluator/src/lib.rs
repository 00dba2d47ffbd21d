//! What a position is worth: network file, CPU kernels, GPU backend, batching.

#![deny(unsafe_code)]

pub mod backend;
pub mod lane;
pub mod network;
pub mod reference;

pub use backend::{Backend, BackendError, BackendInfo, BackendKind};
pub use network::{Network, NetworkError};
pub use reference::evaluate_reference;
pub use tabiya_eval_shaders::PackedPosition;
