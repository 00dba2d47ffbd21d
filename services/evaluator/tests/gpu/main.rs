//! The GPU backend on whatever Vulkan adapter there is, a software one included.
//!
//! Without any these tests skip and say so, unless `TABIYA_REQUIRE_VULKAN=1` makes that a failure. The full
//! comparison of backends is in `tests/identity.rs`; here are both kernel layouts on more shapes, and failures.

#![cfg(feature = "gpu")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
mod layouts;
mod machines;
mod scattered;
