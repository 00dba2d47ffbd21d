//! The services. Each method checks its request, has the work done in the right place and writes the answer.

mod along_game;
mod arbiter;
mod bulk;
mod context;
mod evaluate;
mod item;
mod job;
mod mate;
mod rules;
mod search;
mod search_run;
mod standings;

pub(crate) use arbiter::Arbiter;
pub(crate) use rules::Rules;
pub(crate) use search::Search;

use context::Context;
