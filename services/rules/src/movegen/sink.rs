//! Where generated moves go.

use crate::{Bitboard, Move, MoveKind, MoveList, Piece, Square};

/// Takes legal moves as sets, so that whoever only counts need not visit each.
pub trait MoveSink {
    /// Moves of one knight, bishop, rook, queen or king from `from` to each of `targets`.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawn moves without promotion to each of `targets`, each from the square `offset` lower.
    fn pawns(&mut self, targets: Bitboard, offset: i8);
    /// Pawn moves to the last rank, each from the square `offset` lower, to every promotion piece.
    fn promotions(&mut self, targets: Bitboard, offset: i8);
    /// One castling move or en-passant capture.
    fn special(&mut self, mv: Move);
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            self.push(Move::normal(origin(to, offset), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, offset: i8) {
        for to in targets {
            for piece in Piece::PROMOTIONS {
                self.push(Move::new(origin(to, offset), to, MoveKind::Promotion(piece)));
            }
        }
    }

    #[inline(always)]
    fn special(&mut self, mv: Move) {
        self.push(mv);
    }
}

#[inline(always)]
fn origin(to: Square, offset: i8) -> Square {
    Square::from_low_bits((to.index() as i8).wrapping_sub(offset) as u8)
}

/// Counts moves.
#[derive(Clone, Copy, Default, Debug)]
pub struct CountingSink(pub u64);

impl MoveSink for CountingSink {
    #[inline(always)]
    fn piece(&mut self, _from: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _offset: i8) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _offset: i8) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline(always)]
    fn special(&mut self, _mv: Move) {
        self.0 += 1;
    }
}
