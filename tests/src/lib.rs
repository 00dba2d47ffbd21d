//! What the end-to-end tests share: the program under test, and ways to run it.
//!
//! The tests in `tests/tests` start the real binary and talk to it over real sockets and pipes. What they need from
//! outside (Python packages, a Vulkan driver, a NATS server) they skip loudly where it is missing.

#![forbid(unsafe_code)]

mod binary;
mod broker;
mod outside;
mod process;
mod proxy;
mod serving;
mod working;

pub use binary::{repository, tabiya};
pub use broker::Broker;
pub use outside::{buf, python, software_vulkan};
pub use process::{Run, rows, run, run_with_input, signal, start};
pub use proxy::Proxy;
pub use serving::Serving;
pub use working::Working;

use std::path::PathBuf;

/// A file of `tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    repository().join("tests/fixtures").join(name)
}
