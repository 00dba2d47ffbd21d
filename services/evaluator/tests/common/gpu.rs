//! A Vulkan adapter of any kind, for tests.

use std::sync::Arc;

use tabiya_evaluator::{
    Network,
    gpu::{GpuBackend, GpuError, GpuOptions},
};

/// Opens an adapter, a software one too, or says why the test is skipped. With `TABIYA_REQUIRE_VULKAN=1` in
/// the environment the lack of one is a failure; what a present adapter gets wrong always is.
pub fn open(network: &Arc<Network>, options: GpuOptions) -> Option<GpuBackend> {
    let options = GpuOptions {
        allow_software: true,
        ..options
    };
    match GpuBackend::open(network, &options) {
        Ok(backend) => Some(backend),
        Err(error @ (GpuError::NoInterface | GpuError::NoLoader | GpuError::NoAdapter)) => {
            let required = std::env::var_os("TABIYA_REQUIRE_VULKAN").is_some_and(|value| value == "1");
            assert!(!required, "TABIYA_REQUIRE_VULKAN=1, but: {error}");
            eprintln!("SKIPPED: the gpu's part of this test, as there is no vulkan adapter: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
