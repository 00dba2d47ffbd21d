//! From a board to the record that backends read.

use tabiya_eval_shaders::PackedPosition;
use tabiya_rules::{Board, Color, Piece};

use crate::kernel;

/// The board as a record.
///
/// The inverse is lossy on purpose: castling rights, en passant and clocks do not enter an evaluation.
#[inline]
pub fn pack(board: &Board) -> PackedPosition {
    let pieces = |piece: Piece| board.pieces(piece).0;
    let occupied = board.occupied().0;
    // Each plane holds one bit of every square's nibble (colour << 3 | type, pawn = 0 … king = 5).
    let planes = [
        pieces(Piece::Knight) | pieces(Piece::Rook) | pieces(Piece::King),
        pieces(Piece::Bishop) | pieces(Piece::Rook),
        pieces(Piece::Queen) | pieces(Piece::King),
        board.colors(Color::Black).0,
    ];
    let nibbles = kernel::nibbles(occupied, planes);
    let black_to_move = u32::from(board.side_to_move() == Color::Black);
    let (low, high) = (occupied as u32, (occupied >> 32) as u32);
    PackedPosition::from_words_unchecked([
        low,
        high,
        nibbles[0] as u32,
        (nibbles[0] >> 32) as u32,
        nibbles[1] as u32,
        (nibbles[1] >> 32) as u32,
        black_to_move,
        nibbles[2] as u32,
    ])
}
