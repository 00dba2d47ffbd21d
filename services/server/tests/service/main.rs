//! The service as its callers meet it, over the wire. One program for all these tests: each more would cost as much time to build
//! as the service. What measures its process, or needs the machine for itself, is a program of its own.

#[path = "../common/mod.rs"]
mod common;

mod along_game;
mod arbiter;
mod arbiter_limits;
mod arbiter_records;
mod auth;
mod bugs;
mod client;
mod endgames;
mod evaluate;
mod fairness;
mod gpu;
mod intake;
mod jobs;
mod limits;
mod malformed;
mod mate;
mod metrics;
mod networks;
mod reflection;
mod result_streams;
mod rules;
mod search;
mod standings;
mod submissions;
mod telemetry;
mod threads;
mod timeouts;
mod tls;
mod web;
mod wire_values;
