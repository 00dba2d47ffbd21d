//! A run that is killed and continued gives what an undisturbed run gives.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tabiya_tests::{Run, fixture, run, start};

/// Enough for a run of several seconds, so that it can be killed in its middle.
const NODES: &str = "60000";

fn arguments(output: &Path, format: &str, extra: &[&str]) -> Vec<String> {
    let (input, output) = (fixture("classics.pgn"), output.to_str().unwrap());
    let mut args = vec![
        "analyse",
        input.to_str().unwrap(),
        "--backend",
        "cpu",
        "--format",
        format,
        "-o",
        output,
    ];
    args.extend(["--threads", "2"]);
    args.extend(extra);
    args.into_iter().map(str::to_owned).collect()
}

fn progress_of(output: &Path) -> PathBuf {
    PathBuf::from(format!("{}.progress", output.display()))
}

/// Checkpoints noted so far.
fn checkpoints(output: &Path) -> usize {
    fs::read_to_string(progress_of(output)).map_or(0, |text| text.lines().count().saturating_sub(1))
}

/// Starts a run and kills it with SIGKILL after so many checkpoints; false if it ended before.
fn kill_after(args: &[String], output: &Path, wanted: usize) -> bool {
    let mut child = start(args);
    let begun = Instant::now();
    while checkpoints(output) < wanted {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "no checkpoint comes");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

fn killed_and_continued(format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let _ = run(arguments(&whole, format, &["--nodes", NODES])).expect_code(0);
    let expected = fs::read(&whole).unwrap();

    // On a busy machine a run may get far between two looks at it: then another one is killed.
    let (args, broken) = (1..=5)
        .find_map(|attempt| {
            let broken = folder.path().join(format!("broken-{attempt}"));
            let args = arguments(&broken, format, &["--nodes", NODES, "--resume"]);
            let is_killed = kill_after(&args, &broken, 1);
            let written = fs::read(&broken).unwrap().len();
            (is_killed && written < expected.len()).then_some((args, broken))
        })
        .expect("a run that is killed in its middle");
    // What a crash can leave behind: half a line.
    OpenOptions::new()
        .append(true)
        .open(&broken)
        .unwrap()
        .write_all(b"{\"game\":1,\"pl")
        .unwrap();
    let noted = checkpoints(&broken);
    kill_after(&args, &broken, noted + 1);
    let last = run(&args).expect_code(0);
    assert!(last.stderr.contains("continuing after "), "{}", last.stderr);
    assert!(
        fs::read(&broken).unwrap() == expected,
        "killed and continued gives the same bytes"
    );

    let again = run(&args).expect_code(0);
    assert!(again.stderr.contains("already complete"), "{}", again.stderr);
    assert!(fs::read(&broken).unwrap() == expected);
}

#[test]
fn json_lines_survive_a_kill() {
    killed_and_continued("jsonl");
}

#[test]
fn pgn_survives_a_kill() {
    killed_and_continued("pgn");
}

#[test]
fn other_settings_are_refused_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    let _ = run(arguments(&output, "jsonl", &["--nodes", "100"])).expect_code(0);
    let before = fs::read(&output).unwrap();
    let refused = |args: Vec<String>, word: &str| {
        let run: Run = run(args).expect_code(2);
        assert!(run.stderr.contains(word), "{word} in {}", run.stderr);
        assert!(fs::read(&output).unwrap() == before);
    };
    refused(
        arguments(&output, "jsonl", &["--nodes", "200", "--resume"]),
        "nodes was 100, is 200",
    );
    refused(
        arguments(&output, "epd", &["--nodes", "100", "--resume"]),
        "format was jsonl, is epd",
    );
    let other = fixture("annotated.pgn");
    let args = [
        "analyse",
        other.to_str().unwrap(),
        "--nodes",
        "100",
        "--resume",
        "-o",
        output.to_str().unwrap(),
    ];
    refused(args.map(str::to_owned).into(), "input files");

    fs::remove_file(progress_of(&output)).unwrap();
    refused(
        arguments(&output, "jsonl", &["--nodes", "100", "--resume"]),
        "no progress file",
    );
}

#[test]
fn ctrl_c_leaves_a_run_that_can_be_continued() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    let args = arguments(&output, "jsonl", &["--nodes", NODES]);
    let child = start(&args);
    let begun = Instant::now();
    while checkpoints(&output) < 1 {
        assert!(begun.elapsed() < Duration::from_secs(300), "no checkpoint comes");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-s", "INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{words}");
    assert!(
        words.contains("interrupted") && words.contains("--resume"),
        "{words}"
    );

    let continued = run(arguments(&output, "jsonl", &["--nodes", NODES, "--resume"])).expect_code(0);
    assert!(
        continued.stderr.contains("continuing after "),
        "{}",
        continued.stderr
    );
    let whole = folder.path().join("whole.jsonl");
    let _ = run(arguments(&whole, "jsonl", &["--nodes", NODES])).expect_code(0);
    assert!(fs::read(&output).unwrap() == fs::read(&whole).unwrap());
}
