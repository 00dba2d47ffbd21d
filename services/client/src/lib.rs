//! A Rust client of the Tabiya service.

#![forbid(unsafe_code)]
