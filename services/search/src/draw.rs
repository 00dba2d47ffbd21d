//! Draws inside the search tree.

use tabiya_rules::{Bitboard, Board, MoveList, Piece};

use crate::worker::Worker;

/// Plies without a capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;

impl<E> Worker<'_, E> {
    /// Whether the position `ply` plies below the root counts as drawn: neither side has the material to
    /// mate, fifty moves have passed (mate on the board comes first), or the position occurred before: once since the
    /// root, or twice in all.
    pub(crate) fn is_draw(&mut self, board: &Board, ply: usize) -> bool {
        lacks_material(board) || self.fifty_moves(board) || self.repeats(ply)
    }

    fn fifty_moves(&mut self, board: &Board) -> bool {
        if board.halfmove_clock() < FIFTY_MOVES {
            return false;
        }
        if board.checkers().is_empty() {
            return true;
        }
        let scratch: &mut MoveList = &mut self.arena.scratch;
        scratch.clear();
        board.legal_moves(scratch);
        !scratch.is_empty()
    }

    fn repeats(&self, ply: usize) -> bool {
        let here = self.keys.len() - 1;
        let reversible = self.arena.frame(ply).reversible;
        let key = self.keys[here];
        let mut seen_before_root = false;
        let mut back = 4;
        while back <= reversible {
            if self.keys[here - back] == key {
                if back <= ply || seen_before_root {
                    return true;
                }
                seen_before_root = true;
            }
            back += 2;
        }
        false
    }
}

/// Bare kings, or one minor piece beside them.
fn lacks_material(board: &Board) -> bool {
    let occupied = board.occupied();
    if occupied.count() > 3 {
        return false;
    }
    let minors = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    occupied & !(board.pieces(Piece::King) | minors) == Bitboard::EMPTY
}
