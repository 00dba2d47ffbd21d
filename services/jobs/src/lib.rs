//! Durable bulk work.
//!
//! A job is a list of positions and what is asked about each of them: its *manifest*. The set of its results is the
//! truth about how far it is: a job is done when every item of the manifest has a result, each of which is written
//! once. Queues only say who works at what; what they lose or deliver twice is sent again or absorbed.
//!
//! [`JobStore`] keeps manifests and results, [`WorkQueue`] hands out chunks under leases, [`Compute`] answers them.
//! The loop of a worker is written once against the three.

#![forbid(unsafe_code)]

mod block;
mod cache;
mod company;
mod compute;
mod coordinator;
mod difference;
mod embedded;
mod fault;
mod intake;
mod item;
mod job;
mod job_id;
mod ledger;
mod manifest;
pub mod nats;
mod past;
mod pins;
mod progress;
mod queue;
mod quotas;
mod span;
mod store;
#[cfg(test)]
mod testing;
mod verdict;
mod worker;

pub use block::Block;
pub use cache::{CacheCounts, Cached};
pub use company::Company;
pub use compute::{Answers, Compute, News};
pub use coordinator::Coordinator;
pub use difference::difference;
pub use embedded::{Embedded, OpenError};
pub use fault::Fault;
pub use intake::Intake;
pub use item::Item;
pub use job::{Job, NewJob};
pub use job_id::JobId;
pub use ledger::{LeaseId, Ledger};
pub use past::Past;
pub use pins::Pins;
pub use progress::Progress;
pub use queue::{Depth, Lease, LeaseLost, Room, Task, WorkQueue, WorkerInfo};
pub use quotas::{PATIENCE as QUOTA_PATIENCE, Quotas};
pub use span::Span;
pub use store::{JobStore, Page, Row};
pub use verdict::Verdict;
pub use worker::Worker;

/// Items of a chunk whose searches have no node limit.
pub const CHUNK_ITEMS: u32 = 16;

/// Nodes that a chunk is worth where searches have a node limit: about a second of one core.
pub const CHUNK_NODES: u64 = 320_000;

/// Most items of a chunk.
pub const MAX_CHUNK_ITEMS: u32 = 256;

/// How often a chunk fails before it is cut in two. Cutting is harmless, so it comes early: what failed may be one item.
pub const TRIES_OF_A_CHUNK: u32 = 2;

/// How often a process ends with a chunk and nothing else in it before the chunk is cut in two.
pub const DEATHS_OF_A_CHUNK: u32 = 1;

/// How often a single item fails, or ends a process that had nothing else to do, before it is given up.
pub const TRIES_OF_AN_ITEM: u32 = 3;
