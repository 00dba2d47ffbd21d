//! The CPU as a place to evaluate: along a line of play, and in batches.

mod batch;
mod evaluator;
mod line;
mod reference;
mod rows;

pub use batch::CpuBatch;
pub use evaluator::{CpuEvaluator, line_bytes};
pub use reference::ReferenceBatch;
