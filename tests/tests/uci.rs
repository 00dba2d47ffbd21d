//! The engine under a match runner: python-chess plays whole games with it.

use tabiya_tests::{python, repository, tabiya};

#[test]
fn whole_games_without_an_illegal_move_a_crash_or_a_loss_on_time() {
    let Some(mut python) = python("chess", "UCI games under a match runner") else {
        return;
    };
    let script = repository().join("tests/uci_match.py");
    let engine = format!("'{}' uci", tabiya().display());
    // The second of every two games is Chess960.
    python.arg(script).args([
        "--engine",
        &engine,
        "--games",
        "4",
        "--base",
        "0.5",
        "--increment",
        "0.01",
    ]);
    let output = python.output().expect("python runs");
    let words = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{words}");
    let report: serde_json::Value =
        serde_json::from_str(text.lines().last().unwrap_or_default()).expect("a report");
    assert_eq!(report["games"], 4, "{report}");
    assert!(
        report["plies"].as_u64().is_some_and(|plies| plies > 40),
        "{report}"
    );
    println!("{report}");
}
