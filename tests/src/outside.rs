//! Things from outside that a test may need, and loud words where they are missing.

use std::process::Command;

use crate::run;

/// Whether tests that take minutes shall run; else says what is skipped.
pub fn long(skipped: &str) -> bool {
    let wanted = is_set("TABIYA_LONG_TESTS");
    if !wanted {
        eprintln!("SKIPPED: {skipped}: takes minutes (tests/run --long)");
    }
    wanted
}

/// Whether a variable is `1`.
pub(crate) fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}

/// Says that something is missing, and what is skipped for the want of it.
///
/// # Panics
/// If it may not be missing here: `TABIYA_REQUIRE_…` is `1`.
pub fn missing(what: &str, variable: &str, skipped: &str) {
    assert!(
        !is_set(variable),
        "{skipped}: no {what} although {variable} is set"
    );
    eprintln!("SKIPPED: {skipped}: no {what}");
}

/// A Python with this package; else says what is skipped. `TABIYA_PYTHON` names another one than `python3`.
///
/// # Panics
/// If there is none although `TABIYA_REQUIRE_PYTHON` is `1`.
pub fn python(package: &str, skipped: &str) -> Option<Command> {
    let program = std::env::var("TABIYA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = format!("import {package}");
    let found = Command::new(&program)
        .args(["-c", &import])
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        missing(
            &format!("Python package {package}"),
            "TABIYA_REQUIRE_PYTHON",
            skipped,
        );
        return None;
    }
    Some(Command::new(program))
}

/// The program `buf`, which calls services; else says what is skipped.
///
/// # Panics
/// If there is none although `TABIYA_REQUIRE_BUF` is `1`.
pub fn buf(skipped: &str) -> Option<Command> {
    let found = Command::new("buf").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("buf"));
    }
    missing("buf", "TABIYA_REQUIRE_BUF", skipped);
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
        eprintln!("{report:#}\n{}", probe.stderr);
        missing("usable Vulkan driver", "TABIYA_REQUIRE_VULKAN", skipped);
    }
    found
}
