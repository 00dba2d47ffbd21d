//! `tabiya adjudicate` from file to report.

use std::{fs, io::Write, path::PathBuf};

use tabiya_tests::{Run, Serving, repository, rows, run, run_with_input, start_with};

/// A game in which White's flag falls after a move that blocks the position for good.
fn blocked_flag() -> PathBuf {
    repository().join("services/tabiya/examples/blocked-flag.json")
}

fn adjudicate(input: &str, extra: &[&str]) -> Run {
    let args = ["adjudicate", "-"].iter().chain(extra);
    run_with_input(args, input.as_bytes())
}

/// Objects of JSON Lines about one event each.
fn one_event(event: &str) -> String {
    format!("{{\"events\": [{event}]}}\n")
}

#[test]
fn a_report_says_all_in_either_language() {
    let file = blocked_flag();
    let report = |extra: &[&str]| {
        let args = ["adjudicate".as_ref(), file.as_os_str()].into_iter();
        run(args.chain(extra.iter().map(std::ffi::OsStr::new))).expect_code(0)
    };
    let english = report(&[]);
    for part in [
        "Board 12",
        "fide-2023",
        "1:30:01.5  Black points out that White's flag has fallen",
        "1/2-1/2, draw: dead position",
        "nobody can mate any more (fide-2023: 5.2.2)",
        "Decided by    event 1",
        "(fide-2023: 6.2.1.1)",
    ] {
        assert!(english.stdout.contains(part), "{part} in\n{}", english.stdout);
    }
    assert!(
        english.stderr.contains("1 games ruled on, 1 decided"),
        "{}",
        english.stderr
    );
    let chinese = report(&["--lang", "zh", "--ruleset", "cn-classic", "--quiet"]);
    for part in ["裁决", "0-1，黑胜：超时", "由此决定", "事件 2", "10.14"] {
        assert!(chinese.stdout.contains(part), "{part} in\n{}", chinese.stdout);
    }
    assert_eq!(chinese.stderr, "");
    assert_eq!(report(&[]).stdout, english.stdout, "the same bytes each time");
}

#[test]
fn a_row_is_an_object_a_game() {
    let input = [
        one_event(r#"{"actor": "COLOR_WHITE", "resignation": {}}"#),
        one_event(r#"{"move": {"text": "e2e4"}}"#),
    ]
    .concat();
    let rows = rows(
        &adjudicate(&input, &["--format", "jsonl", "--lang", "zh"])
            .expect_code(0)
            .stdout,
    );
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["game"], &rows[1]["game"]), (&1.into(), &2.into()));
    assert_eq!((&rows[0]["line"], &rows[1]["line"]), (&1.into(), &2.into()));
    let ruling = &rows[0]["ruling"];
    assert_eq!(ruling["status"], "GAME_STATUS_DECIDED");
    assert_eq!(ruling["result"], "GAME_RESULT_BLACK_WINS");
    assert_eq!(ruling["decisive_event"], 0);
    assert_eq!(ruling["ruleset"], "fide-2023");
    assert_eq!(ruling["rulings"][0]["code"], "Resigned");
    let reason = ruling["rulings"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("认输"), "{reason}");
    assert_eq!(rows[1]["ruling"]["status"], "GAME_STATUS_ONGOING");
    assert_eq!(rows[1]["ruling"]["rulings"][0]["accepted"], true);
}

#[test]
fn a_wrong_game_is_named_and_the_others_are_ruled_on() {
    let input = [
        one_event(r#"{"actor": "COLOR_WHITE", "resignation": {}}"#),
        one_event(r#"{"move": {"txet": "e2e4"}}"#),
        "no json\n".to_owned(),
        one_event(r#"{"at": "2s", "clock_press": {}}, {"at": "1s", "clock_press": {}}"#),
        one_event(r#"{"actor": "COLOR_WHITE", "arrival": {}}"#),
        one_event(r#"{"actor": "COLOR_BLACK", "resignation": {}}"#),
    ]
    .concat();
    let run = adjudicate(&input, &["--format", "jsonl"]).expect_code(1);
    let games: Vec<_> = rows(&run.stdout).iter().map(|row| row["game"].as_u64()).collect();
    assert_eq!(games, [Some(1), Some(6)]);
    for part in [
        "-: game 2, line 2: events[0].move: unrecognized field name 'txet'",
        "-: game 3, line 3: ",
        "-: game 4, line 4: events[1].at ",
        "-: game 5, line 5: events[0].arrival.late ",
        "2 games ruled on, 2 decided, 2 failed, 2 left out",
    ] {
        assert!(run.stderr.contains(part), "{part} in\n{}", run.stderr);
    }
}

#[test]
fn what_cannot_be_begun_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let game = file("game.json", b"{}");
    let broken = file("broken.json", b"{\"events\": [\n");
    let list = file("list.epd", b"8/8/8/4k3/8/8/8/4K3 w - -\n");
    let plain = file("plain.json.gz", b"{}");
    let toml = file("wrong.toml", b"id = 7\n");
    let binary = file("binary.toml", b"\xff\xfe");
    let cases: [(&[&str], &str); 16] = [
        (&[&game, "--ruleset", "fide-1900"], "fide-1900"),
        (
            &[&game, "--ruleset", "fide-2023", "--set", "late_limit=3"],
            "late_limit",
        ),
        (&[&game, "--set", "late_limit_minutes"], "SWITCH=VALUE"),
        (&[&game, "--compare", "fide-2023"], "two or more"),
        (&[&game, "--compare", "fide-2023,nothing"], "--compare `nothing`"),
        (
            &[&game, "--set", "touch_move=false", "--set", "touch_move=true"],
            "--set touch_move: the switch is set twice",
        ),
        (&[&game, "-o", "no/such/folder/out"], "no/such/folder/out: "),
        (&[&game, "--endpoint", ""], "endpoint"),
        (
            &[&game, "--compare", "a,b", "--ruleset", "c"],
            "cannot be used with",
        ),
        (&[&game, "-o", &game], "both read and written"),
        (&["-", "-"], "only once"),
        (&[&broken], "broken.json: "),
        (&[&list], "list of positions"),
        (&[&plain], "not compressed"),
        (&[&game, "--ruleset-file", &binary], "not UTF-8"),
        (&[&game, "--ruleset-file", "no.toml"], "no.toml: "),
    ];
    for (args, part) in cases {
        let run = run(["adjudicate"].iter().chain(args)).expect_code(2);
        assert!(run.stderr.contains(part), "{part} in\n{}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
    }
    let _ = toml;
    let misplaced = run(["analyse", &game]).expect_code(2);
    assert!(
        misplaced.stderr.contains("tabiya adjudicate"),
        "{}",
        misplaced.stderr
    );
}

/// A variable set to nothing is as good as none.
#[test]
fn empty_variables_say_nothing() {
    let empty = |name: &str| (name.to_owned(), String::new());
    let variables = ["TABIYA_ENDPOINT", "TABIYA_TLS_CA", "TABIYA_TOKEN_FILE"].map(empty);
    let game = blocked_flag();
    let child = start_with(["adjudicate".as_ref(), game.as_os_str()], &variables);
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn compressed_files_outputs_and_servers_make_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read(blocked_flag()).expect("an example");
    let packed = folder.path().join("blocked-flag.json.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&text).expect("packed");
    fs::write(&packed, encoder.finish().expect("packed")).expect("written");
    let ruling = |run: &Run| rows(&run.stdout)[0]["ruling"].clone();
    let plain = run([
        "adjudicate".as_ref(),
        blocked_flag().as_os_str(),
        "--format".as_ref(),
        "jsonl".as_ref(),
    ]);
    let plain = ruling(&plain.expect_code(0));
    let packed = packed.display().to_string();
    assert_eq!(
        ruling(&run(["adjudicate", &packed, "--format", "jsonl"]).expect_code(0)),
        plain
    );
    let server = Serving::start(&["--no-gpu"]);
    let elsewhere = [
        "adjudicate",
        &packed,
        "--format",
        "jsonl",
        "--endpoint",
        &server.endpoint(),
    ];
    assert_eq!(ruling(&run(elsewhere).expect_code(0)), plain);
    let output = folder.path().join("out.jsonl");
    let to_file = [
        "adjudicate",
        &packed,
        "--format",
        "jsonl",
        "-o",
        &output.display().to_string(),
    ];
    assert_eq!(run(to_file).expect_code(0).stdout, "");
    let written = rows(&fs::read_to_string(&output).expect("an output"));
    assert_eq!(written[0]["ruling"], plain);
}

#[test]
fn a_record_is_held_against_the_rules() {
    let pgn = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\nno game at all\n";
    let run = adjudicate(pgn, &[]).expect_code(1);
    for part in [
        "White         A",
        "0-1, Black wins: checkmate",
        "The record contradicts the rules",
    ] {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
    for part in ["-: game 3, line 11", "is no game", "unexpected text \"no\""] {
        assert!(run.stderr.contains(part), "{part} in\n{}", run.stderr);
    }
    let chinese = adjudicate(pgn, &["--lang", "zh", "--format", "jsonl"]).expect_code(1);
    let rows = rows(&chinese.stdout);
    assert_eq!(
        rows[0]["ruling"]["contradictions"][0]["kind"],
        "CONTRADICTION_KIND_RESULT"
    );
    assert_eq!(rows[0]["tags"]["White"], "A");
    assert_eq!(rows[1]["ruling"]["contradictions"], serde_json::json!([]));
}

#[test]
fn rulesets_are_set_side_by_side() {
    let file = blocked_flag().display().to_string();
    let compare = [
        "adjudicate",
        &file,
        "--compare",
        "fide-2023,cn-classic,online-platform",
    ];
    let english = run(compare).expect_code(0);
    for part in [
        "fide-2023        1/2-1/2",
        "cn-classic       0-1",
        "Differences",
        "online-platform time",
    ] {
        assert!(english.stdout.contains(part), "{part} in\n{}", english.stdout);
    }
    let rows = rows(
        &run(compare.iter().chain(&["--format", "jsonl"]))
            .expect_code(0)
            .stdout,
    );
    let answers = rows[0]["comparison"]["answers"].as_array().expect("answers");
    let results: Vec<_> = answers.iter().map(|answer| answer["result"].as_str()).collect();
    let (draw, loss) = (Some("GAME_RESULT_DRAW"), Some("GAME_RESULT_BLACK_WINS"));
    assert_eq!(results, [draw, loss, loss]);
}

/// Inputs made to break things: each is answered or refused in words.
#[test]
fn hostile_input_is_answered_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hostile.jsonl");
    let deep = format!("{{\"position\": {}", "{\"fen\":".repeat(100_000));
    let long = format!("{{\"id\": \"{}\"}}", "x".repeat(5 << 20));
    let many = format!(
        "{{\"events\": [{}]}}",
        vec!["{\"draw_offer\":{}}"; 5_000].join(",")
    );
    let escapes = r#"{"id": "\u001b[2J\u202e\u0000", "events": [{"actor": "COLOR_WHITE", "seal": {"text": "\u001b]0;x\u0007"}}]}"#;
    for (input, code) in [
        (deep.as_str(), 1),
        (&long, 1),
        (&many, 1),
        (escapes, 0),
        ("{\"events\": [{\"actor\": 7, \"resignation\": {}}]}", 1),
        ("{\"events\": [{\"actor\": -1e300, \"resignation\": {}}]}", 1),
        ("{\"events\": [{\"at\": \"-1s\", \"resignation\": {}}]}", 1),
        ("{\"events\": [{\"at\": \"999999999999999999999s\"}]}", 1),
        (
            "{\"events\": [{\"at\": \"1.0000000001s\", \"draw_offer\": {}}]}",
            1,
        ),
        ("{\"events\": [{\"retraction\": {\"event\": 4294967295}}]}", 1),
        ("{\"events\": [{}]}", 1),
        ("{\"time_control\": {\"periods\": []}}", 1),
        (
            "{\"time_control\": {\"periods\": [{\"time\": \"315576000000s\"}]}, \"events\": [{\"at\": \"1s\", \"clock_press\": {}}]}",
            1,
        ),
        ("{\"position\": {\"fen\": \"k7/8/8/8/8/8/8/8 w - - 0 1\"}}", 1),
        ("{\"position\": {\"moves\": [\"e2e5\"]}}", 1),
        ("{\"ruleset\": \"\\u0000\"}", 1),
        ("{\"id\": \"\u{fffd}\u{10ffff}\"}", 0),
        ("{\"ruleset_toml\": \"id = [\"}", 1),
        ("{} null", 1),
        ("{}", 0),
    ] {
        // JSON Lines, in which each game stands for itself.
        fs::write(&file, format!("{input}\n{{}}\n")).expect("written");
        let run = run(["adjudicate".as_ref(), file.as_os_str()]);
        let shown = &input[..input.floor_char_boundary(100)];
        assert_eq!(run.code, Some(code), "{shown}\n{}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{shown}\n{}", run.stderr);
        assert!(
            run.stderr.len() < 4_000,
            "{shown}: {} bytes of words",
            run.stderr.len()
        );
        assert!(
            !run.stdout.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{7}']),
            "{shown}"
        );
    }
}
