//! `tabiya analyse` from file to file.

use std::{fs, io::Write, path::Path};

use tabiya_tests::{Run, fixture, rows, run, run_with_input, syzygy};

type Object = serde_json::Map<String, serde_json::Value>;

/// Analyses with few nodes, on the CPU.
fn analyse(files: &[&Path], extra: &[&str]) -> Run {
    let mut args: Vec<&std::ffi::OsStr> = vec!["analyse".as_ref()];
    args.extend(files.iter().map(|file| file.as_os_str()));
    args.extend(["--nodes", "300", "--backend", "cpu"].map(std::ffi::OsStr::new));
    args.extend(extra.iter().map(std::ffi::OsStr::new));
    run(args)
}

#[test]
fn every_position_has_a_row_in_order() {
    let rows = rows(&analyse(&[&fixture("classics.pgn")], &[]).expect_code(0).stdout);
    // 45, 47 and 33 plies, and a final position each.
    assert_eq!(rows.len(), 45 + 47 + 33 + 3);
    let places: Vec<_> = rows
        .iter()
        .map(|row| (row["game"].as_u64(), row["ply"].as_u64()))
        .collect();
    let expected: Vec<_> = [(1, 46), (2, 48), (3, 34)]
        .into_iter()
        .flat_map(|(game, positions)| (0..positions).map(move |ply| (Some(game), Some(ply))))
        .collect();
    assert_eq!(places, expected);
    for row in &rows {
        check_row(row);
    }
    assert_eq!(
        rows[0]["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    assert_eq!(rows[0]["played"], "e2e4");
    let end = &rows[45];
    assert!(end["played"].is_null() && end["best_move"].is_null(), "{end:?}");
    assert_eq!(end["score"], serde_json::json!({"mate": 0}));
    // The last move of the first game mates, and any search sees that.
    assert_eq!(rows[44]["score"], serde_json::json!({"mate": 1}));
}

#[test]
fn endgame_tables_are_asked_and_a_run_without_them_is_another() {
    let Some(tables) = syzygy() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (input, output, tables) = (path("endings.epd"), path("out.jsonl"), tables.to_str().unwrap());
    fs::write(
        &input,
        "4k3/8/8/3KP3/8/8/8/8 b - -\n8/8/4k3/8/8/3N4/8/K6B w - -\n",
    )
    .unwrap();
    let input = Path::new(&input);
    let plain = rows(&analyse(&[input], &[]).expect_code(0).stdout);
    let asked = ["--syzygy-path", tables, "-o", &output];
    let _ = analyse(&[input], &asked).expect_code(0);
    let rows = rows(&fs::read_to_string(&output).unwrap());
    for (plain, row) in plain.iter().zip(&rows) {
        assert_eq!(plain["tb_hits"], 0);
        assert!(row["tb_hits"].as_u64().is_some_and(|hits| hits > 0), "{row:?}");
    }
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["score"], serde_json::json!({"cp": 0}));
    let refused = analyse(&[input], &["-o", &output, "--resume"]).expect_code(2);
    assert!(
        refused.stderr.contains("the endgame tables are not the same"),
        "{}",
        refused.stderr
    );
}

/// What a shell makes of `<(...)` and what `mkfifo` makes are read once, from beginning to end, by whoever opens them.
#[cfg(unix)]
#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, output) = (folder.path().join("games.pgn"), folder.path().join("out.jsonl"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        // Waits for a reader, and fails if that goes away too early.
        move || fs::write(pipe, fs::read(fixture("classics.pgn")).unwrap())
    });
    let output_flag = ["-o", output.to_str().unwrap()];
    let _ = analyse(&[&pipe], &output_flag).expect_code(0);
    writer.join().unwrap().unwrap();
    assert_eq!(
        rows(&fs::read_to_string(&output).unwrap()).len(),
        45 + 47 + 33 + 3
    );

    let refused = analyse(&[&pipe], &[output_flag[0], output_flag[1], "--resume"]).expect_code(2);
    assert!(refused.stderr.contains("pipe"), "{}", refused.stderr);
}

fn check_row(row: &Object) {
    let names: Vec<_> = [
        "game",
        "ply",
        "fen",
        "played",
        "best_move",
        "score",
        "pv",
        "depth",
        "nodes",
        "tb_hits",
    ]
    .into();
    for name in names {
        assert!(row.contains_key(name), "{name} in {row:?}");
    }
    let score = row["score"].as_object().expect("a score");
    assert_eq!(score.len(), 1);
    assert!(
        score.keys().all(|kind| kind == "cp" || kind == "mate"),
        "{score:?}"
    );
    let pv = row["pv"].as_array().expect("a line");
    match row["best_move"].as_str() {
        Some(best) => assert_eq!(pv.first().and_then(|mv| mv.as_str()), Some(best)),
        None => assert!(pv.is_empty()),
    }
    assert!(row["nodes"].as_u64().is_some_and(|nodes| nodes <= 300), "{row:?}");
}

#[test]
fn compressed_files_and_standard_input_give_the_same() {
    let plain = fixture("classics.pgn");
    let text = fs::read(&plain).unwrap();
    let expected = analyse(&[&plain], &[]).expect_code(0).stdout;

    let folder = tempfile::tempdir().unwrap();
    let gz = folder.path().join("games.pgn.gz");
    let mut encoder =
        flate2::write::GzEncoder::new(fs::File::create(&gz).unwrap(), flate2::Compression::fast());
    encoder.write_all(&text).unwrap();
    encoder.finish().unwrap();
    assert_eq!(analyse(&[&gz], &[]).expect_code(0).stdout, expected);

    let zst = folder.path().join("games.pgn.zst");
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    fs::write(&zst, ruzstd::encoding::compress_to_vec(text.as_slice(), level)).unwrap();
    assert_eq!(analyse(&[&zst], &[]).expect_code(0).stdout, expected);

    let piped = run_with_input(["analyse", "-", "--nodes", "300", "--backend", "cpu"], &text);
    assert_eq!(piped.expect_code(0).stdout, expected);
}

#[test]
fn the_answers_depend_neither_on_threads_nor_on_the_window() {
    let file = fixture("classics.pgn");
    let one = analyse(&[&file], &["--threads", "1", "--concurrency", "1"])
        .expect_code(0)
        .stdout;
    let many = analyse(&[&file], &["--threads", "3", "--concurrency", "50"])
        .expect_code(0)
        .stdout;
    let scalar = analyse(&[&file], &["--backend=scalar"]);
    assert_eq!(one, many);
    // The flag given twice is wrong usage; the backend is set alone here.
    assert_eq!(scalar.code, Some(2));
    let args = [
        "analyse",
        file.to_str().unwrap(),
        "--nodes",
        "300",
        "--backend",
        "scalar",
    ];
    assert_eq!(run(args).expect_code(0).stdout, one);
}

#[test]
fn a_broken_game_is_named_and_left_out() {
    let run = analyse(&[&fixture("annotated.pgn")], &[]).expect_code(1);
    let games: Vec<_> = rows(&run.stdout).iter().map(|row| row["game"].as_u64()).collect();
    assert!(
        games.contains(&Some(1)) && !games.contains(&Some(2)) && games.contains(&Some(3)),
        "{games:?}"
    );
    assert!(
        run.stderr.contains("game 2") && run.stderr.contains("Ke3"),
        "{}",
        run.stderr
    );
}

#[test]
fn pgn_keeps_what_was_there_and_adds_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.pgn");
    let run = analyse(
        &[&fixture("annotated.pgn")],
        &["--format", "pgn", "-o", output.to_str().unwrap()],
    );
    assert!(run.expect_code(1).stdout.is_empty());
    let text = fs::read_to_string(&output).unwrap().replace('\n', " ");
    for kept in [
        r#"[Annotator "Cedar; with \"quotes\""]"#,
        "{A miniature.}",
        "[%clk 0:05:00] best by test}",
        "e5 $1 {",
        "(2... Nf6 {steady} 3. d3 (3. Nc3 Nxe4) 3... c6)",
        "overlooks the threat}",
        r#"[FEN "8/8/8/8/8/5k2/7p/7K b - - 0 70"]"#,
        "1/2-1/2",
    ] {
        assert!(text.contains(kept), "{kept} in\n{text}");
    }
    assert!(!text.contains("9.99"), "an old evaluation is replaced");
    assert!(!text.contains("Ke3"), "a broken game is left out");
    // Seven half-moves, of which the last mates and has no evaluation; and one in the third game.
    assert_eq!(text.matches("[%eval ").count(), 7, "{text}");
    // Before the mate White is about to win: the sign is White's.
    assert!(text.contains("Nf6 $4 {[%eval #1,"), "{text}");
    // Bare king against a pawn that stalemates: level.
    assert!(text.contains("70... Kg3 {[%eval 0.00"), "{text}");
}

#[test]
fn lists_of_positions_are_read_and_written() {
    let run = analyse(&[&fixture("suite.epd")], &["--format", "epd"]).expect_code(1);
    assert!(run.stderr.contains("suite.epd: line 4: "), "{}", run.stderr);
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - "),
        "{}",
        lines[0]
    );
    for part in [
        "bm Rd8#;",
        "id \"back rank; mate in 1\";",
        "dm 1;",
        "pm Rd8#;",
        "ce 32766;",
    ] {
        assert!(lines[0].contains(part), "{part} in {}", lines[0]);
    }
    assert!(lines[1].contains("fmvn 70;"), "{}", lines[1]);
    assert!(lines[2].contains("pm Qh4#;"), "{}", lines[2]);

    let json = rows(&analyse(&[&fixture("suite.epd")], &[]).expect_code(1).stdout);
    let games: Vec<_> = json.iter().map(|row| row["game"].as_u64()).collect();
    assert_eq!(games, [Some(1), Some(2), Some(4)]);
    assert!(json.iter().all(|row| row["played"].is_null() && row["ply"] == 0));
    assert_eq!(json[0]["best_move"], "d1d8");
}

#[test]
fn several_files_are_numbered_through_and_named() {
    let (games, suite) = (fixture("classics.pgn"), fixture("suite.epd"));
    let rows = rows(&analyse(&[&suite, &games], &[]).expect_code(1).stdout);
    assert_eq!(rows[0]["game"], 1);
    assert!(
        rows[0]["file"]
            .as_str()
            .is_some_and(|name| name.ends_with("suite.epd"))
    );
    let last = rows.last().unwrap();
    assert_eq!(last["game"], 7);
    assert!(
        last["file"]
            .as_str()
            .is_some_and(|name| name.ends_with("classics.pgn"))
    );
}

#[test]
fn several_lines_are_ranked() {
    let rows = rows(
        &analyse(&[&fixture("suite.epd")], &["--multipv", "3"])
            .expect_code(1)
            .stdout,
    );
    let lines = rows[0]["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["score"], serde_json::json!({"mate": 1}));
    assert_ne!(lines[0]["pv"][0], lines[1]["pv"][0]);
}

#[test]
fn unreadable_input_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let torn = folder.path().join("torn.pgn.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(&fs::read(fixture("classics.pgn")).unwrap())
        .unwrap();
    let whole = encoder.finish().unwrap();
    fs::write(&torn, &whole[..whole.len() / 2]).unwrap();
    let run = analyse(&[&torn], &[]).expect_code(2);
    assert!(run.stderr.contains("torn.pgn.gz: "), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let file = fixture("classics.pgn");
    let mut child = tabiya_tests::start([
        "analyse",
        file.to_str().unwrap(),
        "--nodes",
        "300",
        "--backend",
        "cpu",
        "--quiet",
    ]);
    drop(child.stdout.take());
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}
