//! What the end-to-end tests share: the program under test, and ways to run it.
//!
//! The tests in `tests/tests` start the real binary and talk to it over real sockets and pipes. What they need from
//! outside (Python packages, a Vulkan driver, a NATS server) they skip loudly where it is missing.

#![forbid(unsafe_code)]

mod binary;
mod broker;
mod outside;
mod page;
mod process;
mod proxy;
mod serving;
mod working;

pub use binary::{repository, tabiya};
pub use broker::Broker;
pub use outside::{buf, long, missing, python, software_vulkan};
pub use page::{get, sample};
pub use process::{Run, rows, run, run_with_input, signal, start, start_with};
pub use proxy::Proxy;
pub use serving::Serving;
pub use working::Working;

use std::path::PathBuf;

/// The folder of endgame tables among the handed cases; without them the test is skipped loudly.
pub fn syzygy() -> Option<PathBuf> {
    let cases = std::env::var_os("TABIYA_CASES");
    if cases.is_none() {
        eprintln!("SKIPPED: TABIYA_CASES is not set, so there are no endgame tables");
    }
    Some(PathBuf::from(cases?).join("syzygy"))
}

/// A file of `tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    repository().join("tests/fixtures").join(name)
}
