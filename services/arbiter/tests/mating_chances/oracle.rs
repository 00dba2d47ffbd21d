//! Random positions against an oracle that looks at every position that can arise.

use std::collections::HashSet;

use tabiya_arbiter::mate::{self, Prover};
use tabiya_rules::{Board, Color, MoveList};

use crate::prove;
use crate::random::{placement, wall};

/// Whether `side` can mate, by looking at positions in the order they arise; `None` beyond `limit` positions.
fn oracle(root: &Board, side: Color, limit: usize) -> Option<bool> {
    let mut seen = HashSet::from([root.key()]);
    let mut queue = vec![*root];
    let mut next = 0;
    while let Some(board) = queue.get(next).copied() {
        next += 1;
        if board.side_to_move() != side && board.is_checkmate() {
            return Some(true);
        }
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        for &mv in &moves {
            let after = board.after(mv);
            if seen.insert(after.key()) {
                queue.push(after);
            }
        }
        if queue.len() > limit {
            return None;
        }
    }
    Some(false)
}

/// Asks the prover what the oracle knows of some positions; how many sides can mate, and how many cannot.
fn agree(fens: impl Iterator<Item = String>, most_moves: u64, limit: usize) -> (usize, usize) {
    let mut prover = Prover::default();
    let (mut can, mut cannot) = (0, 0);
    for fen in fens {
        let Ok(board) = Board::from_fen(&fen) else {
            continue;
        };
        if board.count_legal() > most_moves {
            continue;
        }
        for side in Color::ALL {
            let Some(expected) = oracle(&board, side, limit) else {
                continue;
            };
            let verdict = prove(&mut prover, &board, side, mate::DEFAULT_LIMIT);
            assert_eq!(verdict, Some(expected), "{fen} for {side}");
            if expected {
                can += 1;
            } else {
                cannot += 1;
            }
        }
    }
    (can, cannot)
}

fn to_move(round: usize) -> char {
    if round.is_multiple_of(2) { 'w' } else { 'b' }
}

#[test]
fn a_few_men_agree_with_an_oracle_that_knows_no_argument() {
    let line_ups = [
        "KRk", "KQk", "KBk", "KNk", "KNkq", "KBkr", "KNkn", "KQkr", "KBNk", "KBkn", "KRkbn", "KPk", "KPkp",
        "KNkp", "KBkp", "KPkbp",
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let fens = (0..2_000 * line_ups.len()).map(|number| {
        let men = line_ups[number % line_ups.len()];
        placement(men.as_bytes(), to_move(number / line_ups.len()), &mut random)
    });
    // Few moves make for forced captures, and those for positions that can be exhausted.
    let (can, cannot) = agree(fens, 2, 8_000);
    assert!(
        can > 20 && cannot > 20,
        "too few comparisons: {can} can mate, {cannot} cannot"
    );
}

#[test]
fn walls_of_pawns_agree_with_an_oracle_that_knows_no_argument() {
    let mut random = 0x2545_f491_4f6c_dd1d;
    let fens = (0..150).map(|round| wall(to_move(round), &mut random));
    let (can, cannot) = agree(fens, u64::MAX, 12_000);
    eprintln!("walls: {can} sides can mate, {cannot} cannot");
    assert!(
        cannot > 40,
        "too few comparisons: {can} can mate, {cannot} cannot"
    );
}
