//! The services. Each method checks its request, has the work done in the right place and writes the answer.

mod along_game;
mod arbiter;
mod bulk;
mod chunks;
mod context;
mod evaluate;
mod item;
mod jobs;
mod long;
mod mate;
mod placed;
mod rules;
mod search;
mod search_job;
mod search_run;

pub(crate) use arbiter::Arbiter;
#[cfg(test)]
pub(crate) use jobs::MEMORY_PATIENCE;
pub(crate) use jobs::{JobCalls, OwnEngine};
pub(crate) use rules::Rules;
pub(crate) use search::Search;

use context::Context;
