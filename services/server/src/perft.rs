//! Counting that can be stopped.

use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_api::{convert::ParsedPosition, v1};
use tabiya_rules::{Board, MoveList, perft, uci};

/// Greatest depth that is served. What bounds a count is the patience of its caller.
pub(crate) const MAX_DEPTH: u32 = 20;

/// Depth below which a count is not interrupted: some ten milliseconds at most on a crowded board.
const UNINTERRUPTED: u32 = 3;

/// Counts the move sequences of `depth` plies; `None` if `stop` was set.
pub(crate) fn count(
    position: &ParsedPosition,
    depth: u32,
    divide: bool,
    stop: &AtomicBool,
) -> Option<v1::PerftResponse> {
    let board = position.board();
    if depth == 0 || !divide {
        return Some(v1::PerftResponse {
            nodes: nodes(board, depth, stop)?,
            divisions: Vec::new(),
        });
    }
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    let mut response = v1::PerftResponse::default();
    for mv in moves {
        let nodes = nodes(&board.after(mv), depth - 1, stop)?;
        response.nodes = response.nodes.saturating_add(nodes);
        response.divisions.push(v1::PerftDivision {
            uci: uci::write(mv, position.variant).to_string(),
            nodes,
        });
    }
    Some(response)
}

fn nodes(board: &Board, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(board, depth));
    }
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    moves.into_iter().try_fold(0_u64, |sum, mv| {
        Some(sum.saturating_add(nodes(&board.after(mv), depth - 1, stop)?))
    })
}
