//! Durable bulk work.
//!
//! A job is a list of positions and what is asked about each of them: its *manifest*. The set of its results is the
//! truth about how far it is: a job is done when every item of the manifest has a result, each of which is written
//! once. Queues only say who works at what; what they lose or deliver twice is sent again or absorbed.
//!
//! [`JobStore`] keeps manifests and results, [`WorkQueue`] hands out chunks under leases, [`Compute`] answers them.
//! The loop of a worker is written once against the three.

#![forbid(unsafe_code)]

mod compute;
mod fault;
mod item;
mod job;
mod job_id;
mod pins;
mod progress;
mod queue;
mod span;
mod store;

pub use compute::{Answers, Compute};
pub use fault::Fault;
pub use item::Item;
pub use job::{Job, NewJob};
pub use job_id::JobId;
pub use pins::Pins;
pub use progress::Progress;
pub use queue::{Depth, Lease, LeaseLost, Task, WorkQueue, WorkerInfo};
pub use span::Span;
pub use store::{Block, JobStore, Page, Row};

/// Most items that are handed to a worker at once. A game that is searched as a whole may be longer.
pub const CHUNK_ITEMS: u32 = 16;

/// How often a chunk is begun before it is cut in two, and a single item before it is given up.
pub const MAX_TRIES: u32 = 3;
