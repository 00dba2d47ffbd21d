//! Handed positions with known verdicts.

use std::path::PathBuf;

use tabiya_arbiter::mate::{self, Prover};
use tabiya_rules::{Bitboard, Board, Color, Piece};

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
