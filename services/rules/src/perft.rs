//! Perft: the number of legal move sequences of a length, the standard check of a move generator.

use crate::{Board, Move, MoveList};

/// Number of legal sequences of `depth` plies from a position. The last ply is counted without being played.
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_legal(),
        _ => {
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            let mut nodes = 0;
            for &mv in &list {
                // Played where it was copied to: a board returned by value would be copied once more, right behind
                // the writes, which stalls.
                let mut child = *board;
                child.play(mv);
                nodes += perft(&child, depth - 1);
            }
            nodes
        }
    }
}

/// [`perft`] split by the first move, in the generator's order. Empty for depth 0.
pub fn perft_divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    list.iter()
        .map(|&mv| (mv, perft(&board.after(mv), depth - 1)))
        .collect()
}
