//! The binary itself starts, says who it is, and refuses nonsense.
//!
//! That this package has such a test also makes `cargo test --workspace` build the binary, with the same features as
//! everything else, for the end-to-end tests in `tests`.

use std::process::Command;

fn tabiya(argument: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg(argument)
        .output()
        .expect("the program starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn it_says_who_it_is() {
    let expected = format!("tabiya {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(tabiya("--version"), (Some(0), expected));
}

#[test]
fn it_refuses_nonsense() {
    assert_eq!(tabiya("nonsense"), (Some(2), String::new()));
}
