//! `deploy/` against the program: what the manifests say about it is true.

mod broker;
mod capacity;
mod container;
mod images;
mod metrics;
mod pods;
mod rendered;
mod room;
mod scaling;
mod starts;
