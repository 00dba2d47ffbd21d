//! The small commands: what they print, and their exit codes.

use tabiya_tests::{Run, run, run_with_input};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

#[test]
fn perft_ends_with_the_count_alone() {
    assert_eq!(
        last_line(&run(["perft", KIWIPETE, "4"]).expect_code(0)),
        "4085603"
    );
    assert_eq!(last_line(&run(["perft", "startpos", "0"]).expect_code(0)), "1");
}

#[test]
fn perft_divides() {
    let divided = run(["perft", "startpos", "3", "--divide"]).expect_code(0);
    let counts: Vec<u64> = divided
        .stdout
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(_, count)| count.parse().expect("a count"))
        .collect();
    assert_eq!(counts.len(), 20);
    assert_eq!(counts.iter().sum::<u64>(), 8902);
    assert!(divided.stdout.contains("\ng1f3: 440\n"));
    assert_eq!(last_line(&divided), "8902");
}

#[test]
fn perft_knows_chess960() {
    // King on b1, rooks on a1 and g1: it castles to c1 and, to the rook's own square, to g1.
    let fen = "4k3/8/8/8/8/8/8/RK4R1 w GA - 0 1";
    let divided = run(["perft", fen, "1", "--divide", "--chess960"]).expect_code(0);
    assert!(divided.stdout.contains("b1a1: 1\n"), "{}", divided.stdout);
    assert!(divided.stdout.contains("b1g1: 1\n"), "{}", divided.stdout);
}

#[test]
fn legal_lists_moves_in_both_notations() {
    let list = run(["legal", KIWIPETE]).expect_code(0);
    assert_eq!(list.stdout.lines().count(), 48);
    for line in ["e1g1\tO-O", "e5f7\tNxf7", "d5e6\tdxe6"] {
        assert!(
            list.stdout.lines().any(|found| found == line),
            "{line} in\n{}",
            list.stdout
        );
    }
}

#[test]
fn legal_tells_all_in_json() {
    let mate = run([
        "legal",
        "startpos",
        "--moves",
        "f2f3 e7e5 g2g4 d8h4",
        "--format",
        "json",
    ])
    .expect_code(0);
    let answer: serde_json::Value = serde_json::from_str(&mate.stdout).expect("one object");
    assert_eq!(answer["status"], "checkmate");
    assert_eq!(answer["checkers"], serde_json::json!(["h4"]));
    assert_eq!(answer["moves"], serde_json::json!([]));
    assert_eq!(answer["fullmove_number"], 3);

    let promotion = run(["legal", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "--format", "json"]).expect_code(0);
    let answer: serde_json::Value = serde_json::from_str(&promotion.stdout).expect("one object");
    let moves = answer["moves"].as_array().expect("moves");
    let promoted = |to: &str| moves.iter().any(|mv| mv["promotion"] == to);
    assert!(promoted("queen") && promoted("knight") && !promoted("pawn"));
}

#[test]
fn wrong_positions_name_the_field_and_end_with_2() {
    let wrong = run(["legal", "8/8/8/8/8/8/8/4K3 w - - 0 1"]).expect_code(2);
    assert!(wrong.stdout.is_empty());
    assert!(wrong.stderr.contains("position.fen"), "{}", wrong.stderr);
    let _ = run(["perft", "nonsense", "2"]).expect_code(2);
    let _ = run(["legal", "startpos", "--moves", "e2e5"]).expect_code(2);
}

#[test]
fn wrong_usage_ends_with_2() {
    for args in [
        &["perft"] as &[&str],
        &["perft", "startpos", "many"],
        &["nonsense"],
        &["analyse"],
        &["analyse", "no-such-file.pgn"],
        &["analyse", "-", "--nodes", "0"],
        &["analyse", "-", "--resume"],
        &["evaluate", "no-such-file.fen"],
        &["legal", "startpos", "--endpoint", "http://127.0.0.1:1"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--gpu", "maybe"],
        &["serve", "--no-gpu", "--allow-software-gpu"],
        &["serve", "--io-threads", "0"],
        &["serve", "--no-such-flag"],
    ] {
        let run = run(args).expect_code(2);
        assert!(!run.stderr.is_empty(), "{args:?} says nothing");
        assert!(run.stdout.is_empty(), "{args:?} prints {}", run.stdout);
    }
}

/// The commands that a help names, but for itself.
fn commands_in(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?;
        (!name.starts_with(' ')).then(|| name.split(' ').next().unwrap_or_default().to_owned())
    });
    named.filter(|name| name != "help").collect()
}

#[test]
fn every_help_shows_an_example() {
    let mut left = vec![Vec::new()];
    let mut seen = Vec::new();
    while let Some(command) = left.pop() {
        let words = command.iter().map(String::as_str).chain(["--help"]);
        let help = run(words).expect_code(0).stdout;
        assert!(help.contains("Example"), "{command:?}:\n{help}");
        left.extend(
            commands_in(&help)
                .into_iter()
                .map(|name| [&command[..], &[name]].concat()),
        );
        seen.push(command.join(" "));
    }
    // The walk has been everywhere.
    for command in [
        "serve",
        "worker",
        "adjudicate",
        "jobs submit",
        "config check",
        "token new",
    ] {
        assert!(seen.iter().any(|name| name == command), "{seen:?}");
    }
    let version = run(["--version"]).expect_code(0);
    assert!(version.stdout.starts_with("tabiya "), "{}", version.stdout);
}

#[test]
fn devices_names_backends_and_networks() {
    let text = run(["devices"]).expect_code(0).stdout;
    assert!(text.contains("scalar") && text.contains("cpu"), "{text}");
    assert!(text.contains("sha256 "), "{text}");
    let json = run(["devices", "--format", "json"]).expect_code(0).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let backends = report["backends"].as_array().expect("backends");
    assert!(
        backends
            .iter()
            .any(|backend| backend["kind"] == "cpu" && backend["available"] == true)
    );
    let network = &report["networks"][0];
    assert_eq!(network["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(network["embedded_name"], "standard");
    assert_eq!(network["backends"], report["backends"]);
}

#[test]
fn devices_measures_batches_and_searches_when_asked() {
    let json = run(["devices", "--calibrate", "--format", "json"])
        .expect_code(0)
        .stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let backends = report["backends"].as_array().expect("backends");
    let cpu = backends
        .iter()
        .find(|backend| backend["kind"] == "cpu")
        .expect("a processor");
    let rows = cpu["rates"].as_array().expect("rows");
    let batches: Vec<_> = rows.iter().filter_map(|row| row["batch"].as_u64()).collect();
    assert_eq!(batches, [1, 64, 256, 1024, 4096]);
    for row in rows {
        let (rate, trip) = (
            row["evaluations_per_second"].as_f64(),
            row["round_trip_us"].as_f64(),
        );
        assert!(
            rate.is_some_and(|rate| rate > 0.0) && trip.is_some_and(|trip| trip > 0.0),
            "{row}"
        );
    }
    assert!(
        cpu["search_nodes_per_second"]
            .as_f64()
            .is_some_and(|rate| rate > 0.0),
        "{cpu}"
    );
}

/// A name of a network in the program, and a file, mean the same wherever a network can be said.
#[test]
fn networks_are_names_or_files() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../services/evaluator/networks/standard.nnue"
    );
    let evaluated = |arguments: &[&str]| {
        let start = "position startpos moves e2e4\neval\nquit\n";
        let run = run_with_input([&["uci"][..], arguments].concat(), start.as_bytes());
        run.expect_code(0).stdout
    };
    let expected = evaluated(&[]);
    assert!(expected.contains("evaluation of the side to move"), "{expected}");
    for network in ["standard", file] {
        assert_eq!(evaluated(&["--network", network]), expected, "{network}");
        let list = format!("{KIWIPETE}\n");
        let arguments = ["evaluate", "-", "--backend", "cpu", "--network", network];
        let value = run_with_input(arguments, list.as_bytes()).expect_code(0).stdout;
        assert!(value.contains("\"value\":"), "{value}");
    }
    let told = run_with_input(["uci", "--network", "no such"], b"")
        .expect_code(2)
        .stderr;
    assert!(told.contains("no such"), "{told}");
    let shown = run([
        "config",
        "show",
        "--network",
        "standard",
        "--network",
        "/data/large.nnue",
    ]);
    let shown = shown.expect_code(0).stdout;
    assert!(
        shown.contains("network = [\"standard\", \"/data/large.nnue\"]"),
        "{shown}"
    );
}

#[test]
fn bench_prints_its_checksum_and_speed() {
    let number = |text: &str, name: &str| -> Option<u64> {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    };
    let first = run(["bench"]).expect_code(0).stdout;
    let second = run(["bench"]).expect_code(0).stdout;
    assert!(
        number(&first, "nodes: ").is_some_and(|nodes| nodes > 1_000),
        "{first}"
    );
    assert!(number(&first, "nps: ").is_some_and(|speed| speed > 0), "{first}");
    assert_eq!(
        number(&first, "nodes: "),
        number(&second, "nodes: "),
        "the checksum is the same every time"
    );
}

#[test]
fn uci_says_what_it_can() {
    let talk = run_with_input(
        ["uci"],
        b"uci\nisready\nposition startpos moves e2e4\ngo nodes 2000\nquit\n",
    );
    let talk = talk.expect_code(0).stdout;
    for line in ["uciok", "readyok"] {
        assert!(talk.lines().any(|found| found == line), "{line} in\n{talk}");
    }
}
