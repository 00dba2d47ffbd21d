//! The GPU backend, on a software Vulkan, gives the same answers as the CPU.

use std::process::Command;

use tabiya_tests::{fixture, long, repository, run, software_vulkan, tabiya};

#[test]
fn analyse_gives_the_same_on_the_gpu() {
    if !software_vulkan("analysis on the GPU backend") {
        return;
    }
    let file = fixture("classics.pgn");
    let analyse = |extra: &[&str]| {
        let args = ["analyse", file.to_str().unwrap(), "--nodes", "200", "--quiet"];
        run(args.iter().chain(extra)).expect_code(0).stdout
    };
    let cpu = analyse(&["--backend", "cpu"]);
    assert_eq!(cpu.lines().count(), 128);
    assert_eq!(analyse(&["--backend", "gpu", "--allow-software-gpu"]), cpu);
}

#[test]
fn evaluate_gives_the_same_on_the_gpu() {
    if !software_vulkan("evaluation on the GPU backend") {
        return;
    }
    let file = fixture("classics.pgn");
    let rows = run([
        "analyse",
        file.to_str().unwrap(),
        "--depth",
        "1",
        "--backend",
        "cpu",
    ])
    .expect_code(0);
    let list: String = tabiya_tests::rows(&rows.stdout)
        .iter()
        .map(|row| format!("{}\n", row["fen"].as_str().unwrap()))
        .collect();
    let evaluate = |extra: &[&str]| {
        let args = ["evaluate", "-"].iter().chain(extra);
        tabiya_tests::run_with_input(args, list.as_bytes())
            .expect_code(0)
            .stdout
    };
    let scalar = evaluate(&["--backend", "scalar"]);
    assert_eq!(evaluate(&["--backend", "gpu", "--allow-software-gpu"]), scalar);
}

#[test]
fn a_software_gpu_is_refused_unless_allowed() {
    if !software_vulkan("refusal of a software GPU") {
        return;
    }
    let file = fixture("classics.pgn");
    let args = [
        "analyse",
        file.to_str().unwrap(),
        "--nodes",
        "100",
        "--backend",
        "gpu",
    ];
    let run = run(args);
    if run.code == Some(0) {
        eprintln!("SKIPPED: refusal of a software GPU: this machine has a hardware one");
        return;
    }
    let run = run.expect_code(2);
    assert!(run.stderr.contains("gpu"), "{}", run.stderr);
    assert!(run.stdout.is_empty());
}

/// What is to be run on a machine with a real GPU is tried on a software one.
#[test]
fn the_script_for_a_machine_with_a_gpu_runs_through() {
    if !long("tests/device/run") || !software_vulkan("tests/device/run") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, args: &[&str]| {
        let path = repository().join("tests/device").join(name);
        let ended = Command::new(path)
            .args(args)
            .arg(folder.path())
            .env("TABIYA_BIN", tabiya())
            .env_remove("OUT")
            .output()
            .unwrap();
        let (stdout, stderr) = (
            String::from_utf8_lossy(&ended.stdout),
            String::from_utf8_lossy(&ended.stderr),
        );
        assert!(ended.status.success(), "{name}: {stdout}\n{stderr}");
        stdout.into_owned()
    };
    script("prepare", &[]);
    let said = script("run", &["--allow-software", "--bandwidth", "50"]);
    for line in [
        "standard: 128 values and 128 searches, all the same",
        "bulk searches",
        "== ",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(said.trim_end().ends_with("all done"), "{said}");
    let calibration = std::fs::read(folder.path().join("results/calibration.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&calibration).unwrap();
    assert!(
        report["networks"][0]["backends"]
            .as_array()
            .is_some_and(|all| all.len() >= 3)
    );
}
