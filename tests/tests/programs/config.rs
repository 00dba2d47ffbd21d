//! `tabiya config` and `tabiya token`: what is wrong is named, what is in effect is shown, secrets stay hidden.

use std::{fs, process::Command};

use tabiya_tests::{Run, Serving, repository, run, tabiya};

/// Runs with one variable set.
fn run_with(variable: &str, value: &str, args: &[&str]) -> Run {
    let mut command = Command::new(tabiya());
    command.env_clear().env(variable, value).args(args);
    let output = command.output().expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tabiya.toml");
    fs::write(&path, text).expect("a file");
    (folder, path.to_str().expect("UTF-8").to_owned())
}

#[test]
fn a_right_file_passes_and_a_wrong_one_is_told_line_by_line() {
    let (_folder, right) = file("io_threads = 4\ndrain_grace = \"10s\"\n");
    let _ = run(["config", "check", &right]).expect_code(0);
    let (_folder, wrong) = file("io_threads = 4\nbulk_qeue = 7\n");
    let told = run(["config", "check", &wrong]).expect_code(2).stderr;
    assert!(
        told.contains(&format!("{wrong}:2: no setting is called `bulk_qeue`")),
        "{told}"
    );
    let (_folder, wrong) = file("io_threads = 0\nlongest_call = \"a week\"\n");
    let told = run(["config", "check", &wrong]).expect_code(2).stderr;
    assert!(
        told.contains(&format!("{wrong}:1: io_threads is 0, outside 1..=64")),
        "{told}"
    );
    assert!(
        told.contains(&format!("{wrong}:2: longest_call is `a week`: ")),
        "{told}"
    );
    // A server does not start with it either, and says the same.
    assert_eq!(run(["serve", "--config", &wrong]).expect_code(2).stderr, told);
    let told = run(["config", "check", "no-such.toml"]).expect_code(2).stderr;
    assert!(told.contains("no-such.toml"), "{told}");
}

#[test]
fn each_layer_goes_before_the_one_below_and_is_named() {
    let (_folder, path) = file("io_threads = 3\nbulk_queue = 100\n");
    let flags = ["config", "show", &path, "--bulk-queue", "300"];
    let shown = run_with("TABIYA_IO_THREADS", "5", &flags).expect_code(0).stdout;
    let line = |key: &str| {
        let found = shown.lines().find(|line| line.starts_with(&format!("{key} = ")));
        found.unwrap_or_else(|| panic!("{key} in\n{shown}")).to_owned()
    };
    for (key, value, source) in [
        ("io_threads", "5", "environment TABIYA_IO_THREADS"),
        ("bulk_queue", "300", "--bulk-queue"),
        ("drain_grace", "\"25s\"", "default"),
    ] {
        let line = line(key);
        assert!(line.starts_with(&format!("{key} = {value} ")), "{line}");
        assert!(line.ends_with(&format!("# {source}")), "{line}");
    }
    let shown = run(["config", "show", &path]).expect_code(0).stdout;
    assert!(shown.contains(&format!("# {path}:1\n")), "{shown}");
    // What is shown is a configuration itself, and the same one.
    let (_folder, again) = file(&shown);
    let again = run(["config", "show", &again]).expect_code(0).stdout;
    let settings = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .map(|line| line.split(" #").next().unwrap_or_default());
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    assert_eq!(settings(&shown), settings(&again));
}

#[test]
fn variables_are_named_when_wrong() {
    let told = run_with("TABIYA_IO_THREADS", "0", &["config", "check"])
        .expect_code(2)
        .stderr;
    assert!(
        told.contains("environment TABIYA_IO_THREADS: io_threads is 0, outside 1..=64"),
        "{told}"
    );
    let told = run_with("TABIYA_IO_THREAD", "2", &["config", "check"])
        .expect_code(2)
        .stderr;
    assert!(told.contains("TABIYA_IO_THREADS is meant?"), "{told}");
    let told = run_with("TABIYA_NONSENSE", "2", &["config", "check"])
        .expect_code(0)
        .stderr;
    assert!(told.contains("TABIYA_NONSENSE is no setting"), "{told}");
    let path = repository().join("services/tabiya/examples/tabiya.toml");
    let named = run_with(
        "TABIYA_CONFIG",
        path.to_str().expect("UTF-8"),
        &["config", "check"],
    );
    let _ = named.expect_code(0);
    // An address that cannot be used: nothing is started.
    let told = run_with("TABIYA_LISTEN", "nowhere", &["serve"])
        .expect_code(2)
        .stderr;
    assert!(told.contains("TABIYA_LISTEN: listen is `nowhere`"), "{told}");
}

#[test]
fn the_example_file_is_what_the_program_prints() {
    let path = repository().join("services/tabiya/examples/tabiya.toml");
    let printed = run(["config", "example"]).expect_code(0).stdout;
    let kept = fs::read_to_string(&path).expect("an example");
    let anew = format!("`tabiya config example > {}` makes it new", path.display());
    for (kept, printed) in kept.lines().zip(printed.lines()) {
        assert_eq!(kept, printed, "{anew}");
    }
    assert_eq!(kept.len(), printed.len(), "{anew}");
    // Every setting with its default is a right configuration, too.
    let is_set = |line: &&str| line.starts_with('#') && line.contains(" = ") && !line.starts_with("# ");
    let set: String = kept
        .lines()
        .filter(is_set)
        .map(|line| format!("{}\n", &line[1..]))
        .collect();
    let set: String = set
        .lines()
        .filter(|line| !line.ends_with("\"FILE\""))
        .map(|line| format!("{line}\n"))
        .collect();
    let (_folder, path) = file(&set);
    let _ = run(["config", "check", &path]).expect_code(0);
}

#[test]
fn a_file_starts_a_server() {
    let (_folder, path) = file("gpu = \"off\"\nmax_connections = 3\ncalibration = \"0s\"\n");
    let server = Serving::start(&["--config", &path]);
    let _ = run(["legal", "startpos", "--endpoint", &server.endpoint()]).expect_code(0);
}

#[test]
fn a_token_is_shown_once_and_its_entry_has_no_secret() {
    let args = [
        "token",
        "new",
        "site",
        "--role",
        "read",
        "--role",
        "bulk",
        "--streams",
        "3",
    ];
    let printed = run(args).expect_code(0).stdout;
    let (token, entry) = printed.split_once("\n\n").expect("a token and an entry");
    assert!(token.starts_with("tby_") && token.len() == 68, "{token}");
    assert!(!entry.contains(&token[4..]), "{entry}");
    for line in [
        "[[token]]",
        "name = \"site\"",
        "roles = [\"read\", \"bulk\"]",
        "streams = 3",
    ] {
        assert!(entry.lines().any(|found| found == line), "{line} in\n{entry}");
    }
    assert_ne!(run(args).expect_code(0).stdout, printed);
    let _ = run(["token", "new", "site"]).expect_code(2);
    let _ = run(["token", "new", "site", "--role", "king"]).expect_code(2);
    let _ = run(["token", "new", "a\"b", "--role", "read"]).expect_code(2);
}
