//! The gRPC services, their layers and their lifecycle.
//!
//! [`Server::start`] binds two ports and returns a [`RunningServer`]. Threads that move bytes compute nothing long;
//! searching and counting have threads of their own, and health has its own port, thread and runtime, so that it
//! answers while every core is busy.

#![forbid(unsafe_code)]

pub mod auth;
mod compute;
pub mod config;
mod descriptors;
mod edge;
mod engine;
mod error;
mod health;
mod jobs;
#[cfg(test)]
mod limits_page;
mod listener;
pub mod metrics;
mod pages;
mod perft;
mod phase;
mod places;
mod preface;
mod protection;
mod reload;
mod routes;
mod rpc;
mod running;
mod signals;
mod telemetry;
mod tls;

pub use config::{Config, ConfigFaults, GpuPolicy};
pub use descriptors::allow_descriptors;
pub use error::ServerError;
pub use jobs::{Duty, broker};
pub use running::{LONGEST_STOP, RunningServer, Server};
pub use tabiya_jobs::nats;
