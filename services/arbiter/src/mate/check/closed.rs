use std::collections::HashMap;

use tabiya_rules::{Board, Color, Move, MoveList};

use super::{CheckError, confined, material};
use crate::mate::{Step, StepEnd};

/// Whether the set holds the position, no mate, and every successor of what it claims nothing simpler about.
pub(super) fn closed(root: &Board, side: Color, steps: &[Step], digest: u64) -> Result<(), CheckError> {
    let mut boards: Vec<Board> = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        let board = if number == 0 {
            (step.mv == Move::NULL).then_some(*root)
        } else {
            let parent = boards.get(step.parent as usize);
            parent
                .filter(|parent| parent.is_legal(step.mv))
                .map(|parent| parent.after(step.mv))
        };
        boards.push(board.ok_or(CheckError::Step(number))?);
    }
    if boards.is_empty() {
        return Err(CheckError::Step(0));
    }
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for (number, board) in boards.iter().enumerate() {
        by_key.entry(board.key()).or_default().push(number);
    }
    // Keys may collide; boards are compared whole.
    let contains = |board: &Board| {
        let same_key = by_key.get(&board.key());
        same_key.is_some_and(|numbers| numbers.iter().any(|&number| boards[number] == *board))
    };
    for (number, (board, step)) in boards.iter().zip(steps).enumerate() {
        if board.side_to_move() != side && board.is_checkmate() {
            return Err(CheckError::Mate(number));
        }
        match &step.end {
            StepEnd::Material(class) => {
                material(board, side, *class).map_err(|_| CheckError::Claim(number))?;
            }
            StepEnd::Confined(reach) => {
                confined(board, side, reach).map_err(|_| CheckError::Claim(number))?;
            }
            StepEnd::Open => {
                let mut moves = MoveList::new();
                board.legal_moves(&mut moves);
                if !moves.iter().all(|&mv| contains(&board.after(mv))) {
                    return Err(CheckError::NotClosed(number));
                }
            }
        }
    }
    let sum = boards
        .iter()
        .fold(0u64, |sum, board| sum.wrapping_add(board.key()));
    (sum == digest).then_some(()).ok_or(CheckError::Digest)
}
