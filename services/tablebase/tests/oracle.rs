//! Outcomes and distances against python-chess, which runs as a program of its own and is only asked.

mod support;

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use support::{folder, positions, positions_of, tables};
use tabiya_rules::{Board, MoveList, fen};
use tabiya_tablebase::Wdl;

/// Positions of every material and all that a move makes of them.
#[test]
fn python_chess_says_the_same() {
    let python = std::env::var_os("TABIYA_PYTHON").unwrap_or_else(|| "python3".into());
    let import = Command::new(&python).args(["-c", "import chess.syzygy"]).output();
    if !import.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: endgame tables against python-chess: no Python package chess");
        return;
    }
    let Some(tables) = tables() else { return };

    let children = |board: &Board| {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        moves.iter().map(|mv| board.after(*mv)).collect::<Vec<_>>()
    };
    let mut boards: Vec<_> = positions(10).collect();
    boards.extend(positions(10).flat_map(|board| children(&board)));
    // Rare: captures in passing, of which tables know nothing.
    let pawns = positions_of("KPvKP", 5000);
    let in_passing = pawns
        .iter()
        .flat_map(children)
        .filter(|board| board.en_passant().is_some());
    boards.extend(in_passing.clone());
    assert!(boards.len() > 3000 && in_passing.count() > 10);

    let mut questions = tempfile::NamedTempFile::new().unwrap();
    for board in &boards {
        writeln!(questions, "{}", fen::xfen(board)).unwrap();
    }
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py"))
        .args([folder().unwrap().as_path(), questions.path()])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), boards.len());
    for (board, answer) in boards.iter().zip(answers.lines()) {
        let wdl = match tables.wdl(board).unwrap() {
            Wdl::Loss => -2,
            Wdl::BlessedLoss => -1,
            Wdl::Draw => 0,
            Wdl::CursedWin => 1,
            Wdl::Win => 2,
        };
        let ours = format!("{wdl} {}", tables.dtz(board).unwrap());
        assert_eq!(ours, answer, "{}", fen::xfen(board));
    }
}
