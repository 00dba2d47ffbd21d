//! The GPU backend gives the reference's numbers, whatever the network, batch size, order or layout.
//!
//! Runs on whatever Vulkan adapter there is, a software one included. Without any it skips and says so,
//! unless `TABIYA_REQUIRE_VULKAN=1` makes that a failure.

#![cfg(feature = "gpu")]

mod identity;
mod samples;

use std::sync::Arc;

use tabiya_evaluator::{
    Network,
    gpu::{GpuBackend, GpuError, GpuOptions},
};

/// Opens an adapter of any kind, or says why the test is skipped.
fn open(network: &Arc<Network>, options: GpuOptions) -> Option<GpuBackend> {
    let options = GpuOptions {
        allow_software: true,
        ..options
    };
    match GpuBackend::open(network, &options) {
        Ok(backend) => Some(backend),
        Err(error @ (GpuError::NoInterface | GpuError::NoLoader | GpuError::NoAdapter)) => {
            let required = std::env::var_os("TABIYA_REQUIRE_VULKAN").is_some_and(|value| value == "1");
            assert!(!required, "TABIYA_REQUIRE_VULKAN=1, but: {error}");
            eprintln!("SKIPPED: no vulkan adapter to test: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
