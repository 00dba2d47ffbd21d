//! The services. Each method checks its request, has the work done in the right place and writes the answer.

mod arbiter;
mod bulk;
mod context;
mod rules;

pub(crate) use arbiter::Arbiter;
pub(crate) use rules::Rules;

use context::Context;
