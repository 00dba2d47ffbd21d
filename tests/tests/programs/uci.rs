//! The engine under a match runner: python-chess plays whole games with it.

use tabiya_tests::{python, repository, run, run_with_input, syzygy, tabiya};

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

/// What the engine says to these lines; at their end a search is waited for.
fn session(flags: &[&str], lines: &str) -> String {
    let args = std::iter::once("uci").chain(flags.iter().copied());
    run_with_input(args, lines.as_bytes()).expect_code(0).stdout
}

/// Hits in the tables of the last line about a search.
fn hits(output: &str) -> u64 {
    let line = output
        .lines()
        .rfind(|line| line.contains(" pv "))
        .expect("a line");
    let mut words = line.split(' ').skip_while(|word| *word != "tbhits");
    words.nth(1).expect(line).parse().expect("a number")
}

/// A pawn ending that tables know for drawn.
const DRAWN: &str = "position fen 4k3/8/8/3KP3/8/8/8/8 b - - 0 1\ngo nodes 2000\n";

#[test]
fn endgame_tables_are_an_option_and_a_flag() {
    let plain = session(&[], &format!("uci\n{DRAWN}"));
    assert!(
        plain.contains("\noption name SyzygyPath type string default <empty>\n"),
        "{plain}"
    );
    assert_eq!(hits(&plain), 0);

    let Some(folder) = syzygy() else { return };
    let folder = folder.to_str().expect("UTF-8");
    let set = format!("setoption name SyzygyPath value {folder}\n");
    let by_option = session(&[], &format!("{set}{DRAWN}"));
    assert!(
        by_option.starts_with("info string endgame tables: 35 of outcomes, 35 of distances, up to 4 men\n"),
        "{by_option}"
    );
    assert!(hits(&by_option) > 0, "{by_option}");
    let last = |output: &str| {
        let line = output
            .lines()
            .rfind(|line| line.contains(" pv "))
            .expect("a line");
        line.to_owned()
    };
    assert!(last(&by_option).contains(" score cp 0 "), "{by_option}");

    let by_flag = session(&["--syzygy-path", folder], &format!("uci\n{DRAWN}"));
    assert!(
        by_flag.contains(&format!("option name SyzygyPath type string default {folder}\n")),
        "{by_flag}"
    );
    assert_eq!(hits(&by_flag), hits(&by_option));

    // Folders that do not serve change nothing; the empty text takes the tables away.
    let wrong = session(
        &[],
        &format!("{set}setoption name SyzygyPath value /nowhere/at/all\n{DRAWN}"),
    );
    assert!(
        wrong
            .contains("info string error: setoption: SyzygyPath: folder of endgame tables /nowhere/at/all: "),
        "{wrong}"
    );
    assert_eq!(hits(&wrong), hits(&by_option));
    let off = session(
        &["--syzygy-path", folder],
        &format!("setoption name SyzygyPath value <empty>\n{DRAWN}"),
    );
    assert_eq!(hits(&off), 0);
}

#[test]
fn programs_with_tables_that_do_not_serve_do_not_start() {
    for command in [
        &["uci"][..],
        &["bench", "--depth", "1"],
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
        ],
        &["analyse", "-"],
    ] {
        let mut args = command.to_vec();
        args.extend(["--syzygy-path", "/nowhere/at/all"]);
        let told = run(&args);
        assert_ne!(told.code, Some(0), "{command:?}");
        assert!(
            told.stderr.contains("folder of endgame tables /nowhere/at/all: "),
            "{command:?}: {}",
            told.stderr
        );
    }
}
