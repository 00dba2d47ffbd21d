//! Legal moves, SAN, check and mate against python-chess, on positions of real games and of random play.
//!
//! python-chess runs as a program of its own, `oracle/answer.py`, and is only asked. `TABIYA_PYTHON` names the
//! interpreter (`python3` unless set), `TABIYA_ORACLE_POSITIONS` the number of positions (100,000 unless set).

mod cases;
mod walk;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Board, MoveList, Variant, san, uci};

/// Positions asked for at a time: their text fits a pipe, so neither side waits for the other to read.
const BATCH: usize = 256;

fn script(arguments: &[&str]) -> Command {
    let python = std::env::var_os("TABIYA_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/answer.py"))
        .args(arguments);
    command
}

fn has_python_chess() -> bool {
    let python = std::env::var_os("TABIYA_PYTHON").unwrap_or_else(|| "python3".into());
    let status = Command::new(python)
        .args(["-c", "import chess.pgn"])
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// `VARIANT<tab>FEN`, as the script reads it.
fn question(board: &Board, variant: Variant) -> String {
    let name = match variant {
        Variant::Standard => "standard",
        Variant::Chess960 => "960",
    };
    format!("{name}\t{}", fen::xfen(board))
}

/// Every position of the main lines of the handed game files.
fn positions_of_games() -> Vec<String> {
    let Some(folder) = cases::folder("positions of games against python-chess") else {
        return Vec::new();
    };
    let files: Vec<String> = std::fs::read_dir(folder.join("pgn"))
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".pgn"))
        .collect();
    let mut arguments = vec!["games"];
    arguments.extend(files.iter().map(String::as_str));
    let output = script(&arguments).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

struct Oracle {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    fn start() -> Self {
        let mut child = script(&["answer"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let questions = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            questions,
            answers,
        }
    }

    fn compare(&mut self, batch: &[String]) {
        self.questions
            .write_all((batch.join("\n") + "\n").as_bytes())
            .unwrap();
        self.questions.flush().unwrap();
        for question in batch {
            let mut answer = String::new();
            self.answers.read_line(&mut answer).unwrap();
            assert_eq!(ours(question), theirs(&answer), "{question}");
        }
    }

    fn finish(mut self) {
        drop(self.questions);
        assert!(self.child.wait().unwrap().success());
    }
}

/// FEN, whether the side to move is in check, and its moves as `UCI=SAN`, sorted.
type Answer = (String, bool, Vec<String>);

fn theirs(line: &str) -> Answer {
    let fields: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
    let [fen, check, moves] = fields[..] else {
        panic!("{line}")
    };
    let mut moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    moves.sort();
    (fen.to_owned(), check == "1", moves)
}

fn ours(question: &str) -> Answer {
    let (name, text) = question.split_once('\t').unwrap();
    let variant = if name == "960" {
        Variant::Chess960
    } else {
        Variant::Standard
    };
    let board = fen::parse(text, FenMode::Analysis, variant).unwrap().board;
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    let mut moves: Vec<String> = list
        .iter()
        .map(|&mv| format!("{}={}", uci::write(mv, variant), san::write(&board, mv)))
        .collect();
    moves.sort();
    (fen::xfen(&board), board.in_check(), moves)
}

#[test]
fn legal_moves_and_san_as_python_chess_has_them() {
    if !has_python_chess() {
        eprintln!("SKIPPED: comparison with python-chess: no python3 with the package `chess`");
        return;
    }
    let wanted = std::env::var("TABIYA_ORACLE_POSITIONS").map_or(100_000, |text| {
        text.parse().expect("TABIYA_ORACLE_POSITIONS is a number")
    });
    let mut questions: BTreeSet<String> = positions_of_games().into_iter().take(wanted).collect();
    let of_games = questions.len();
    // Random games share their first positions, so it takes more of them than positions are missing.
    for seed in 0.. {
        walk::walk(seed, wanted.saturating_sub(questions.len()), |game, variant| {
            questions.insert(question(game.board(), variant));
        });
        if questions.len() >= wanted {
            break;
        }
    }
    let questions: Vec<String> = questions.into_iter().collect();

    let halves = questions.chunks(questions.len().div_ceil(2).max(1));
    std::thread::scope(|scope| {
        for half in halves {
            scope.spawn(move || {
                let mut oracle = Oracle::start();
                for batch in half.chunks(BATCH) {
                    oracle.compare(batch);
                }
                oracle.finish();
            });
        }
    });
    eprintln!(
        "{} different positions compared, {of_games} of them from games",
        questions.len()
    );
}
