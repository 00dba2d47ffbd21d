//! Legal move generation: no move is made to find out whether it is legal.
//!
//! Moves leave the generator as sets, to whatever [`MoveSink`] the caller brings: a list for the search, a counter
//! for perft.

mod generate;
mod sink;
#[cfg(test)]
mod tests;

pub use sink::{CountingSink, MoveSink};

use crate::{Board, Color, Move, MoveKind, MoveList, Square};
pub(crate) use generate::rook_landing;
use generate::{ALL, CAPTURES, QUIETS, generate, may_castle};

impl Board {
    /// Feeds every legal move to a sink.
    #[inline(always)]
    pub fn generate_legal<S: MoveSink>(&self, sink: &mut S) {
        match self.side_to_move() {
            Color::White => generate::<true, ALL, S>(self, sink),
            Color::Black => generate::<false, ALL, S>(self, sink),
        }
    }

    /// Appends every legal move to a list.
    #[inline]
    pub fn legal_moves(&self, list: &mut MoveList) {
        self.generate_legal(list);
    }

    /// Appends the legal captures, en passant included, and all promotions.
    #[inline]
    pub fn captures(&self, list: &mut MoveList) {
        match self.side_to_move() {
            Color::White => generate::<true, CAPTURES, _>(self, list),
            Color::Black => generate::<false, CAPTURES, _>(self, list),
        }
    }

    /// Appends the legal moves that [`Self::captures`] leaves out.
    #[inline]
    pub fn quiets(&self, list: &mut MoveList) {
        match self.side_to_move() {
            Color::White => generate::<true, QUIETS, _>(self, list),
            Color::Black => generate::<false, QUIETS, _>(self, list),
        }
    }

    /// Castling with a rook, if the right remains and the way is free.
    pub(crate) fn castling_move(&self, rook: Square) -> Option<Move> {
        let us = self.side_to_move();
        let king = self.king(us);
        let allowed = self.castling_rooks().has(rook)
            && !self.in_check()
            && may_castle(self, us, king, rook, self.occupied());
        allowed.then(|| Move::new(king, rook, MoveKind::Castle))
    }

    /// Number of legal moves.
    #[inline]
    pub fn count_legal(&self) -> u64 {
        let mut sink = CountingSink::default();
        self.generate_legal(&mut sink);
        sink.0
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal() != 0
    }

    /// Whether the side to move is mated (FIDE 5.1.1).
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no legal move and is not in check (FIDE 5.2.1).
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// Whether a move, from whatever source, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        if !self.colors(self.side_to_move()).has(mv.from()) {
            return false;
        }
        let mut list = MoveList::new();
        self.legal_moves(&mut list);
        list.contains(&mv)
    }
}
