//! The GPU backend, on a software Vulkan, gives the same answers as the CPU.

use tabiya_tests::{fixture, run, software_vulkan};

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
