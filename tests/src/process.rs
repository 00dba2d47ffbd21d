//! Running the program to its end.

use std::{
    ffi::OsStr,
    io::Write,
    process::{Child, Command, Stdio},
};

use crate::tabiya;

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Starts the program with pipes on all three streams and without settings from the environment.
pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Child {
    start_with(args, &[])
}

/// Starts the program in the same way, with these variables in its environment.
pub fn start_with<S: AsRef<OsStr>>(
    args: impl IntoIterator<Item = S>,
    variables: &[(String, String)],
) -> Child {
    let mut command = Command::new(tabiya());
    for (name, _) in std::env::vars_os() {
        let ours = name.to_string_lossy().starts_with("TABIYA_");
        if ours {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Sends a signal by its name, such as `TERM`.
///
/// # Panics
/// If it cannot be sent.
pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(status.success(), "kill -s {name}: {status}");
}

/// Runs the program with nothing on standard input.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    run_with_input(args, b"")
}

/// Runs the program with this on standard input.
pub fn run_with_input<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let mut child = start(args);
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A program that does not read its input closes the pipe, which is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    /// Checks the exit code and hands the run on.
    ///
    /// # Panics
    /// With all that the program said, if it ended otherwise.
    #[must_use]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// The objects of JSON Lines.
///
/// # Panics
/// At a line that is no object.
pub fn rows(text: &str) -> Vec<serde_json::Map<String, serde_json::Value>> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}
