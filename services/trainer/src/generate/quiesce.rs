//! The capture search: what a position is worth once nothing hangs.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Move, MoveList, Piece};

/// Above any evaluation, below any overflow.
pub(crate) const INFINITY: i32 = 30_000;
/// Captures in a row after which the search stops; exchanges are shorter, perpetual ones do not exist.
const DEPTH: u32 = 12;

/// The value of `board` from the side to move when it may stop or capture at will; fail-soft within `alpha..beta`.
pub(crate) fn quiesce<E: Evaluator>(evaluator: &mut E, board: &Board, mut alpha: i32, beta: i32) -> i32 {
    quiesce_to(evaluator, board, &mut alpha, beta, DEPTH)
}

fn quiesce_to<E: Evaluator>(evaluator: &mut E, board: &Board, alpha: &mut i32, beta: i32, depth: u32) -> i32 {
    let mut best = evaluator.evaluate(board);
    if best >= beta || depth == 0 {
        return best;
    }
    *alpha = (*alpha).max(best);
    let mut moves = MoveList::new();
    board.captures(&mut moves);
    moves.sort_unstable_by_key(|&mv| std::cmp::Reverse(order(board, mv)));
    for mv in moves {
        let after = board.after(mv);
        evaluator.push(board, mv, &after);
        let value = -quiesce_to(evaluator, &after, &mut -beta, -*alpha, depth - 1);
        evaluator.pop();
        if value > best {
            best = value;
            if value >= beta {
                break;
            }
            *alpha = (*alpha).max(value);
        }
    }
    best
}

/// Greatest victim first, then the least attacker.
fn order(board: &Board, mv: Move) -> usize {
    let victim = board.piece_on(mv.to()).map_or(0, Piece::index);
    let attacker = board.piece_on(mv.from()).map_or(0, Piece::index);
    let promotion = mv.promotion().map_or(0, Piece::index);
    8 * (victim + promotion) + 7 - attacker
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::piece_squares::PieceSquares;

    fn after(moves: &str) -> Board {
        let mut board = Board::startpos();
        for text in moves.split(' ') {
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            board.play(*list.iter().find(|m| m.to_string() == text).expect("a legal move"));
        }
        board
    }

    #[test]
    fn a_hanging_queen_is_seen() {
        let board = after("e2e4 e7e5 d1g4 a7a6");
        let value = quiesce(&mut PieceSquares, &board, -INFINITY, INFINITY);
        assert!(
            (value - PieceSquares.evaluate(&board)).abs() < 150,
            "Qxg7 and Qxd7 both lose the queen"
        );
        let board = after("e2e4 e7e5 d1g4 d7d6");
        let value = quiesce(&mut PieceSquares, &board, -INFINITY, INFINITY);
        assert!(
            value < PieceSquares.evaluate(&board) + 300,
            "Qxc8 wins a bishop for the queen at most"
        );
        let mut black = board;
        black.play_null();
        let value = quiesce(&mut PieceSquares, &black, -INFINITY, INFINITY);
        assert!(value > 700, "Bxg4 wins the queen");
    }

    #[test]
    fn windows_do_not_change_values_inside_them() {
        let board = after("e2e4 d7d5 g1f3 d5e4 f3e5");
        let full = quiesce(&mut PieceSquares, &board, -INFINITY, INFINITY);
        assert_eq!(quiesce(&mut PieceSquares, &board, full - 1, full + 1), full);
        assert!(quiesce(&mut PieceSquares, &board, full, full + 1) <= full);
        assert!(quiesce(&mut PieceSquares, &board, full - 1, full) >= full);
    }
}
