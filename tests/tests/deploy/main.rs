//! `deploy/` against the program: what the manifests say about it is true.

mod images;
mod metrics;
mod pods;
mod rendered;
mod scaling;
