//! The services. Each method checks its request, has the work done in the right place and writes the answer.

mod along_game;
mod arbiter;
mod bulk;
mod chunks;
mod context;
mod evaluate;
mod item;
mod job;
mod jobs;
mod jobs_compute;
mod jobs_results;
mod jobs_submit;
mod long;
mod mate;
mod rules;
mod search;
mod search_run;

pub(crate) use arbiter::Arbiter;
pub(crate) use jobs::JobCalls;
pub(crate) use jobs_compute::OwnEngine;
pub(crate) use rules::Rules;
pub(crate) use search::Search;

use context::Context;
