//! The gRPC services, their layers and their lifecycle.
//!
//! [`Server::start`] binds two ports and returns a [`RunningServer`]. Threads that move bytes compute nothing long;
//! searching and counting have threads of their own, and health has its own port, thread and runtime, so that it
//! answers while every core is busy.

#![forbid(unsafe_code)]

mod compute;
mod config;
mod edge;
mod engine;
mod error;
mod health;
mod listener;
pub mod metrics;
mod perft;
mod phase;
mod preface;
mod routes;
mod rpc;
mod running;
mod signals;

pub use config::{Config, GpuPolicy};
pub use error::ServerError;
pub use running::{RunningServer, Server};
