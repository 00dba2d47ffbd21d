//! What the server counts and measures, for Prometheus.

pub mod names;
