//! Handed positions with known verdicts.

use std::path::PathBuf;

use tabiya_arbiter::mate::{self, Prover, Verdict};
use tabiya_rules::{
    Bitboard, Board, Color, Piece,
    pgn::{MainLine, Reader},
};

use crate::prove;
use crate::random::placement;

fn cases(name: &str) -> Option<Vec<serde_json::Value>> {
    let Some(folder) = std::env::var_os("TABIYA_CASES").map(PathBuf::from) else {
        eprintln!("SKIPPED: {name}: TABIYA_CASES is not set");
        return None;
    };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// Decided verdicts of a file against ours: (rows asked, undecided here).
fn compare(name: &str) -> Option<(usize, Vec<String>)> {
    let mut prover = Prover::default();
    let (mut asked, mut undecided) = (0, Vec::new());
    for row in cases(name)? {
        let fen = row["fen"].as_str().unwrap();
        let board = match Board::from_fen(fen) {
            Ok(board) => board,
            Err(error) => panic!("{name}: {fen}: {error}"),
        };
        for (side, field) in [(Color::White, "white_can_mate"), (Color::Black, "black_can_mate")] {
            let Some(expected) = row[field].as_bool() else {
                continue;
            };
            asked += 1;
            match prove(&mut prover, &board, side, mate::DEFAULT_LIMIT) {
                None => undecided.push(format!("{fen} for {side}")),
                verdict => assert_eq!(verdict, Some(expected), "{fen} for {side}"),
            }
        }
    }
    Some((asked, undecided))
}

#[test]
fn handed_positions_are_decided_and_never_wrongly() {
    let Some((asked, undecided)) = compare("dead.jsonl") else {
        return;
    };
    eprintln!(
        "dead.jsonl: {asked} verdicts, {} undecided: {undecided:#?}",
        undecided.len()
    );
    assert!(asked > 700 && undecided.len() * 100 <= asked * 3);
}

/// What a proof takes is positions, whatever the machine: on the final positions of real games none is left open, and few
/// are looked at.
#[test]
fn final_positions_of_real_games_are_decided_in_few_steps() {
    let Some(folder) = std::env::var_os("TABIYA_CASES").map(PathBuf::from) else {
        eprintln!("SKIPPED: final positions: TABIYA_CASES is not set");
        return;
    };
    let file = std::fs::File::open(folder.join("pgn/online-200.pgn")).unwrap();
    let mut reader = Reader::new(file);
    let mut line = MainLine::default();
    let mut prover = Prover::default();
    let (mut sides, mut positions, mut most) = (0, 0, 0);
    while reader.read_game(&mut line).unwrap() {
        for side in Color::ALL {
            let proof = prover.prove(line.board(), side, mate::DEFAULT_LIMIT);
            assert_ne!(proof.verdict, Verdict::Unknown, "{:?} for {side}", line.board());
            sides += 1;
            positions += proof.positions;
            most = most.max(proof.positions);
        }
    }
    eprintln!("{sides} sides of final positions: {positions} positions, {most} at most");
    assert_eq!(sides, 400);
    assert!(positions <= 100 * sides && most <= 2_000);
}

#[test]
fn handed_material_is_decided() {
    let Some((asked, undecided)) = compare("material.jsonl") else {
        return;
    };
    assert!(asked > 60 && undecided.is_empty(), "{undecided:#?}");
}

/// Whether the bishops stand as a class of material demands.
fn bishops_stand(board: &Board, colors: &str) -> bool {
    let bishops = board.pieces(Piece::Bishop);
    let on_both = (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & !Bitboard::LIGHT_SQUARES).any();
    match colors {
        "same" => !on_both,
        "opp" => on_both,
        _ => true,
    }
}

#[test]
fn handed_classes_of_material_are_told_apart() {
    let Some(rows) = cases("material_classes.jsonl") else {
        return;
    };
    let mut prover = Prover::default();
    let mut random = 0xc1a5_5e50;
    let mut decided = 0;
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let exists = row["mate_position_exists"].as_bool().unwrap();
        if let Some(mate) = row["example_mate_fen"].as_str() {
            let board = Board::from_fen(mate).unwrap();
            assert_eq!(prove(&mut prover, &board, Color::White, 10), Some(true), "{id}");
        }
        let men = format!(
            "{}{}",
            row["own"].as_str().unwrap(),
            row["opponent"].as_str().unwrap()
        );
        let mut can = 0;
        for round in 0..80 {
            let to_move = if round % 2 == 0 { 'w' } else { 'b' };
            let fen = placement(men.as_bytes(), to_move, &mut random);
            let Ok(board) = Board::from_fen(&fen) else {
                continue;
            };
            if !bishops_stand(&board, row["bishop_colours"].as_str().unwrap()) {
                continue;
            }
            let verdict = prove(&mut prover, &board, Color::White, mate::DEFAULT_LIMIT);
            assert!(verdict.is_some(), "{id}: {fen} is undecided");
            assert!(exists || verdict == Some(false), "{id}: {fen}");
            can += u32::from(verdict == Some(true));
            decided += 1;
        }
        assert!(!exists || can > 10, "{id}: only {can} positions can mate");
    }
    eprintln!(
        "material_classes.jsonl: {} classes, {decided} positions",
        rows.len()
    );
    assert!(rows.len() >= 16 && decided > 300);
}
