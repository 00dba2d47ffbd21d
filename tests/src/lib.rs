//! End-to-end tests over real processes.

#![forbid(unsafe_code)]
