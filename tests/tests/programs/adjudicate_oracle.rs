//! Endings of real games beside python-chess, where the ruleset is `fide-2023`: every game of the fixtures and, where
//! `TABIYA_CASES` names a folder of cases, of its `pgn/online-200.pgn`.
//!
//! For each game: the first ply at which it ends by the rules and why, and whether a draw may be claimed in its final
//! position. One difference is right: python-chess knows dead positions by their material alone. A position that is dead
//! because nothing can move, or because the only legal move captures the last piece, has no ending there, or a later one.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use serde_json::{Value, json};
use tabiya_tests::{fixture, python, rows, run_with_input};

/// Prints a JSON object a game: its moves, the ply at which it ends and why, and whether a draw may be claimed at last.
const ORACLE: &str = r#"
import json, sys, chess.pgn
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            if game.errors or board.chess960:
                continue
            start, moves, ended = board.fen(), [], None
            outcome = board.outcome()
            ended = (0, outcome.termination.name) if outcome else None
            for move in game.mainline_moves():
                moves.append(move.uci())
                board.push(move)
                outcome = board.outcome()
                if ended is None and outcome:
                    ended = (len(moves), outcome.termination.name)
            claim = ended is None and board.can_claim_draw()
            print(json.dumps({"fen": start, "moves": moves, "ended": ended, "claim": claim}))
"#;

fn termination(python: &str) -> &'static str {
    match python {
        "CHECKMATE" => "TERMINATION_CHECKMATE",
        "STALEMATE" => "TERMINATION_STALEMATE",
        "INSUFFICIENT_MATERIAL" => "TERMINATION_DEAD_POSITION",
        "FIVEFOLD_REPETITION" => "TERMINATION_FIVEFOLD_REPETITION",
        "SEVENTYFIVE_MOVES" => "TERMINATION_SEVENTY_FIVE_MOVES",
        other => panic!("python-chess ends a game by {other}"),
    }
}

#[test]
fn games_end_as_they_do_for_python_chess() {
    let Some(mut python) = python("chess", "endings beside python-chess") else {
        return;
    };
    let mut files = vec![fixture("classics.pgn"), fixture("endings.pgn")];
    match env::var_os("TABIYA_CASES") {
        Some(folder) => files.push(PathBuf::from(folder).join("pgn/online-200.pgn")),
        None => eprintln!("SKIPPED: endings of 200 online games: TABIYA_CASES is not set"),
    }
    for file in &files {
        assert!(fs::metadata(file).is_ok(), "{}", file.display());
    }
    let output = python
        .arg("-c")
        .arg(ORACLE)
        .args(&files)
        .output()
        .expect("python runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let games = rows(&String::from_utf8(output.stdout).expect("UTF-8"));
    let requests: String = games
        .iter()
        .map(|game| json!({"position": {"fen": game["fen"], "moves": game["moves"]}}).to_string() + "\n")
        .collect();
    let args = ["adjudicate", "-", "--format", "jsonl", "--quiet"];
    let answers = rows(&run_with_input(args, requests.as_bytes()).expect_code(0).stdout);
    assert_eq!(answers.len(), games.len());

    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut dead_by_proof = 0;
    for (game, answer) in games.iter().zip(&answers) {
        let ruling = &answer["ruling"];
        let ended = (&ruling["decisive_ply"], &ruling["termination"]);
        let moves = game["moves"].as_array().map_or(0, Vec::len);
        let ended_before = |ply: &Value| ruling["decisive_ply"].as_u64() < ply.as_u64();
        match game["ended"].as_array() {
            Some(theirs) if ended.1 == "TERMINATION_DEAD_POSITION" && ended_before(&theirs[0]) => {
                dead_by_proof += 1;
            }
            Some(theirs) => {
                let expected = termination(theirs[1].as_str().unwrap_or_default());
                assert_eq!(ended, (&theirs[0], &json!(expected)), "{game:?}");
                *counts.entry(expected.to_owned()).or_default() += 1;
            }
            None if ended.1 == "TERMINATION_DEAD_POSITION" => dead_by_proof += 1,
            None => {
                assert_eq!(
                    ended,
                    (&Value::Null, &json!("TERMINATION_UNSPECIFIED")),
                    "{game:?}"
                );
                let claims = ruling["claimable"].as_array().map_or(0, Vec::len);
                assert_eq!(claims > 0, game["claim"] == true, "after {moves} plies: {game:?}");
                *counts
                    .entry(format!("goes on, claim {}", game["claim"]))
                    .or_default() += 1;
            }
        }
    }
    println!(
        "{} games: {counts:?}, dead by proof alone: {dead_by_proof}",
        games.len()
    );
    assert!(counts.contains_key("TERMINATION_CHECKMATE"), "{counts:?}");
}
