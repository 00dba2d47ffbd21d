//! Draws inside the search tree.

use tabiya_rules::{Board, Game, MoveList};

use crate::worker::Worker;

/// Plies without a capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;
/// Plies without a capture or pawn move after which the game is drawn (FIDE 9.6.2), unless the last one mates.
const SEVENTY_FIVE_MOVES: u32 = 150;
/// Occurrences of a position with which the game is drawn (FIDE 9.6.1).
const FIVEFOLD: u32 = 5;

/// Whether the game is over as a draw though there may be legal moves: nobody can mate with the material, or the
/// seventy-five-move rule or the fifth occurrence of the position has ended it. Mate on the board comes first.
pub(crate) fn is_over(game: &Game) -> bool {
    let board = game.board();
    board.is_dead_by_material()
        || (board.halfmove_clock() >= SEVENTY_FIVE_MOVES && !board.is_checkmate())
        || game.repetition_count() >= FIVEFOLD
}

impl<E> Worker<'_, E> {
    /// Whether the position `ply` plies below the root counts as drawn: neither side has the material to
    /// mate, fifty moves have passed (mate on the board comes first), or the position occurred before: once since the
    /// root, or twice in all.
    pub(crate) fn is_draw(&mut self, board: &Board, ply: usize) -> bool {
        board.is_dead_by_material() || self.fifty_moves(board) || self.repeats(ply)
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
