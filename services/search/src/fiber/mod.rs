//! Many searches on one thread, whose leaves are evaluated in batches.
//!
//! Each search runs as a stackful coroutine, a fiber, that is suspended at every position it needs a value for. The fibers
//! stand in groups: while one group's positions are with the backend, the others search. As a value depends on its position alone,
//! a search in a fiber gives the same move, score, line and node count as one with an evaluator in place, whatever runs beside it.
//!
//! A few hundred fibers cover the round trip to a device; more only push each other out of the cache. A fiber never
//! leaves the thread that made it.

mod evaluator;
mod leaf_backend;
mod scheduler;

pub use evaluator::FiberEvaluator;
pub use leaf_backend::{InPlace, LeafBackend, OffThread};
pub use scheduler::{FiberError, FiberScheduler, FiberStats, Supply, Task};

/// Size of a fiber's stack in bytes, beside its guard page. Only pages touched take memory.
///
/// The deepest line takes less than three quarters of it (a test measures that); the moves and everything else that grows lie
/// in the search's arena.
pub const STACK_BYTES: usize = 256 << 10;
