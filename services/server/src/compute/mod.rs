//! Threads that compute, apart from the threads that move bytes.

mod pool;
mod stop;
mod ticket;

pub(crate) use pool::Pool;
pub(crate) use stop::StopGuard;
pub(crate) use ticket::{Ticket, Timed};
