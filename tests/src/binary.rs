//! Where the program under test is.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The program: `TABIYA_BIN` if that is set, else built now, once for each test binary.
///
/// # Panics
/// If it cannot be built: then no test can say anything.
pub fn tabiya() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("TABIYA_BIN") {
        Some(path) => PathBuf::from(path),
        None => build(),
    })
}

/// Builds the program with the profile of this test, beside it.
fn build() -> PathBuf {
    // target/<profile>/deps/<test>
    let test = std::env::current_exe().expect("a path of this test");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("a profile folder above the test");
    let target = profile.parent().expect("a target folder above the profile");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(repository())
        .args(["build", "--quiet", "--locked", "-p", "tabiya"]);
    cargo.arg("--target-dir").arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "cargo build -p tabiya: {status}");
    profile.join(format!("tabiya{}", std::env::consts::EXE_SUFFIX))
}
