//! The handed PGN cases and real games. Skipped, loudly, where they are not at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tabiya_rules::pgn::{GameTree, Games, Mode, NodeId, PgnError, SEVEN_TAG_ROSTER, Severity};
use tabiya_rules::{Move, Variant, uci};

fn cases() -> Option<PathBuf> {
    let folder = std::env::var_os("TABIYA_CASES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: TABIYA_CASES is not set");
    }
    folder
}

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn main_line(tree: &GameTree) -> Vec<String> {
    tree.main_line().map(|node| uci_text(tree, node)).collect()
}

fn uci_text(tree: &GameTree, node: NodeId) -> String {
    match tree.mv(node) {
        Move::NULL => "0000".to_owned(),
        mv => uci::write(mv, tree.variant()).to_string(),
    }
}

/// What a case row says of a game, as far as the row says it.
fn describe(game: &Result<GameTree, PgnError>) -> Value {
    let (tree, defects) = match game {
        Ok(tree) => (tree, tree.defects()),
        Err(PgnError::Rejected(game)) => {
            let errors = game
                .defects
                .iter()
                .filter(|defect| defect.kind.severity() == Severity::Error)
                .count();
            return json!({
                "result_tag": game.tags.get("Result").unwrap_or("*"), "mainline_uci": [], "comments": [], "nags": [],
                "clock_seconds": [], "variations": 0, "errors": errors,
            });
        }
        Err(error) => panic!("{error}"),
    };
    let mut comments = Vec::new();
    comments.extend(
        tree.comments(NodeId::ROOT)
            .iter()
            .map(|comment| json!(["start", comment])),
    );
    let (mut nags, mut clocks) = (Vec::new(), Vec::new());
    for (index, node) in tree.main_line().enumerate() {
        let ply = index + 1;
        comments.extend(tree.comments(node).iter().map(|comment| json!([ply, comment])));
        if !tree.nags(node).is_empty() {
            nags.push(json!([ply, tree.nags(node)]));
        }
        if let Some(clock) = tree.clock(node) {
            clocks.push(json!([ply, clock.as_secs_f64()]));
        }
    }
    let mut row = json!({
        "result_tag": tree.tags().get("Result").unwrap_or("*"), "mainline_uci": main_line(tree),
        "comments": comments, "nags": nags, "clock_seconds": clocks, "variations": tree.variation_count(),
        "errors": defects.iter().filter(|defect| defect.kind.severity() == Severity::Error).count(),
    });
    let conflicts: Vec<_> = tree.conflicts().iter().map(ToString::to_string).collect();
    if !conflicts.is_empty() {
        row["conflicts"] = json!(conflicts);
    }
    row
}

#[test]
fn every_row() {
    let Some(folder) = cases() else { return };
    let rows = rows(&folder.join("pgn.jsonl"));
    assert!(rows.len() >= 38);
    let mut wrong = Vec::new();
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let games: Vec<_> = Games::new(text.as_bytes(), Mode::Lenient).collect();
        let mut expected = row["games"].clone();
        for game in expected.as_array_mut().unwrap() {
            game.as_object_mut().unwrap().remove("notes");
        }
        let found = Value::from(games.iter().map(describe).collect::<Vec<_>>());
        let rejected = games.iter().any(Result::is_err);
        if found != expected || rejected != (row["lenient"] == "reject") {
            wrong.push(format!(
                "{} lenient\n  found    {found}\n  expected {expected}",
                row["id"]
            ));
        }
        let strict: Vec<_> = Games::new(text.as_bytes(), Mode::Strict).collect();
        let accepted = strict.iter().all(Result::is_ok);
        if accepted != (row["strict"] == "accept") {
            wrong.push(format!(
                "{} strict: accepted {accepted}, {:?}",
                row["id"],
                strict.iter().find_map(|game| game.as_ref().err())
            ));
        }
        if accepted {
            let found = Value::from(strict.iter().map(describe).collect::<Vec<_>>());
            assert_eq!(found, expected, "{} strict", row["id"]);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

#[test]
fn reported_bugs() {
    let Some(folder) = cases() else { return };
    let mut seen = 0;
    for row in rows(&folder.join("bugs.jsonl"))
        .iter()
        .filter(|row| row["area"] == "pgn")
    {
        let text = row["input"]["pgn"].as_str().unwrap();
        let games: Vec<_> = Games::new(text.as_bytes(), Mode::Lenient)
            .map(Result::unwrap)
            .collect();
        let [game] = &games[..] else {
            panic!("{}: {} games", row["id"], games.len())
        };
        let plies: &[&str] = match row["id"].as_str().unwrap() {
            "bug-38" => &[
                "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "d7d6", "d2d4", "c8d7", "b1c3", "g8f6", "b5c6",
            ],
            "bug-39" => &[],
            "bug-40" => &["e2e4", "e7e5"],
            "bug-42" => {
                assert_eq!(game.tags().get("Black"), Some("[=0040]"));
                &["e2e4"]
            }
            "bug-43" => &["e2e4", "e7e5", "b1c3"],
            other => panic!("new row {other}: add its answer here"),
        };
        assert_eq!(main_line(game), plies, "{}", row["id"]);
        assert_eq!(game.errors().count(), 0, "{}", row["id"]);
        seen += 1;
    }
    assert!(seen >= 5);
}

/// python-chess as a black box: tags, main line, and every move of every variation.
#[test]
fn real_games_as_python_chess_reads_them() {
    let Some(folder) = cases() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_chess_games.py");
    let mut games_seen = 0;
    let mut files: Vec<_> = fs::read_dir(folder.join("pgn"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pgn"));
    files.sort();
    for path in files {
        let output = match Command::new("python3").arg(script).arg(&path).output() {
            Ok(output) if output.status.code() == Some(77) => {
                eprintln!("SKIPPED: python package chess is not installed");
                return;
            }
            Ok(output) => output,
            Err(error) => {
                eprintln!("SKIPPED: python3: {error}");
                return;
            }
        };
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let expected: Vec<Value> = output
            .stdout
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        let games: Vec<_> = Games::new(fs::File::open(&path).unwrap(), Mode::Lenient)
            .map(Result::unwrap)
            .collect();
        assert_eq!(games.len(), expected.len(), "{}", path.display());
        for (game, expected) in games.iter().zip(&expected) {
            let mut tags: Vec<_> = game.tags().iter().collect();
            // python-chess fills the roster up.
            for name in SEVEN_TAG_ROSTER
                .into_iter()
                .filter(|name| game.tags().get(name).is_none())
            {
                tags.push((name, if name == "Date" { "????.??.??" } else { "?" }));
            }
            let mut lines = Vec::new();
            collect_lines(game, NodeId::ROOT, &mut Vec::new(), &mut lines);
            lines.sort();
            let found = json!({
                "tags": sorted(tags), "moves": main_line(game), "lines": lines,
                "chess960": game.variant() == Variant::Chess960,
            });
            assert_eq!(&found, expected, "{} {}", path.display(), game.location());
            assert_eq!(game.errors().count(), 0, "{:?}", game.defects());
        }
        games_seen += games.len();
    }
    assert!(games_seen >= 200);
}

fn sorted(mut tags: Vec<(&str, &str)>) -> Vec<(String, String)> {
    tags.sort_unstable();
    tags.into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn collect_lines(game: &GameTree, node: NodeId, path: &mut Vec<String>, lines: &mut Vec<String>) {
    let mut children = game.children(node).peekable();
    if children.peek().is_none() {
        lines.push(path.join(" "));
    }
    for child in children {
        path.push(uci_text(game, child));
        collect_lines(game, child, path, lines);
        path.pop();
    }
}

/// Real games survive being written and read: every move, comment, glyph and tag.
#[test]
fn real_games_round_trip() {
    let Some(folder) = cases() else { return };
    for name in [
        "online-200",
        "kasparov-deep-blue-1997",
        "cutechess-fischerrandom",
        "nepomniachtchi-liren-game1",
    ] {
        let bytes = fs::read(folder.join(format!("pgn/{name}.pgn"))).unwrap();
        for game in Games::new(&bytes[..], Mode::Lenient).map(Result::unwrap) {
            let text = game.to_string();
            assert!(
                text.lines()
                    .all(|line| line.chars().count() < 80 || line.starts_with('[')),
                "{text}"
            );
            let again: Vec<_> = Games::new(text.as_bytes(), Mode::Lenient)
                .map(Result::unwrap)
                .collect();
            assert_eq!(again.len(), 1);
            // A missing roster tag is written as unknown; with that exception nothing may differ.
            let mut expected = game;
            for (tag, value) in again[0].tags().iter() {
                if expected.tags().get(tag).is_none() {
                    assert!(matches!(value, "?" | "????.??.??"), "{tag} {value}");
                }
            }
            *expected.tags_mut() = again[0].tags().clone();
            assert_eq!(again[0], expected, "{text}");
        }
    }
}
