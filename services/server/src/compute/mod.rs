//! Threads that compute, apart from the threads that move bytes.

mod admission;
mod after;
mod class;
mod drain_rate;
mod lease;
mod pool;
mod stop;
mod ticket;

pub(crate) use admission::{Admission, Admitted};
pub(crate) use after::after;
pub(crate) use class::Class;
pub(crate) use drain_rate::DrainRate;
pub(crate) use lease::Lent;
pub(crate) use pool::Pool;
pub(crate) use stop::StopGuard;
pub(crate) use ticket::{Ticket, Timed};
