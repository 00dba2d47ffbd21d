//! Things from outside that a test may need, and loud words where they are missing.

use std::process::Command;

use crate::run;

/// A Python with this package; else says what is skipped. `TABIYA_PYTHON` names another one than `python3`.
pub fn python(package: &str, skipped: &str) -> Option<Command> {
    let program = std::env::var("TABIYA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = format!("import {package}");
    let found = Command::new(&program)
        .args(["-c", &import])
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: {skipped}: no Python package {package}");
        return None;
    }
    Some(Command::new(program))
}

/// The program `buf`, which calls services; else says what is skipped.
pub fn buf(skipped: &str) -> Option<Command> {
    let found = Command::new("buf").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("buf"));
    }
    eprintln!("SKIPPED: {skipped}: no buf");
    None
}

/// Whether a software Vulkan (lavapipe) serves as GPU backend; else says what is skipped.
///
/// # Panics
/// If there is none although `TABIYA_REQUIRE_VULKAN` is `1`.
pub fn software_vulkan(skipped: &str) -> bool {
    let probe = run(["devices", "--allow-software-gpu", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&probe.stdout).unwrap_or_default();
    let is_usable = |device: &serde_json::Value| device["kind"] == "gpu" && device["available"] == true;
    let found = report["backends"]
        .as_array()
        .is_some_and(|backends| backends.iter().any(is_usable));
    if !found {
        let required = std::env::var("TABIYA_REQUIRE_VULKAN").is_ok_and(|value| value == "1");
        assert!(
            !required,
            "no usable Vulkan although it is required: {report:#}\n{}",
            probe.stderr
        );
        eprintln!("SKIPPED: {skipped}: no usable Vulkan driver");
    }
    found
}
