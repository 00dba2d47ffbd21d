//! What a position is worth: network file, CPU kernels, GPU backend, batching.

#![deny(unsafe_code)]

pub mod backend;
pub mod batch;
pub mod cpu;
pub mod evaluator;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod kernel;
pub mod lane;
pub mod network;
pub mod pack;
pub mod reference;

pub use backend::{Backend, BackendError, BackendInfo, BackendKind};
pub use batch::{BackendChoice, BatchError, BatchEvaluator, BatchOptions};
pub use cpu::{CpuBatch, CpuEvaluator, line_bytes};
pub use evaluator::Evaluator;
pub use kernel::{AnyKernel, Kernel, KernelVisitor, dispatch};
pub use network::{Network, NetworkError, NetworkSource};
pub use pack::pack;
pub use reference::evaluate_reference;
pub use tabiya_eval_shaders::PackedPosition;
