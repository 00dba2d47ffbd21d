//! Playing moves on a board.

use crate::attacks::pawn_attacks;
use crate::movegen::rook_landing;
use crate::square::MaybeSquare;
use crate::{Bitboard, Board, Color, Move, MoveKind, Piece, Square, zobrist};

impl Board {
    /// Plays a legal move in place.
    ///
    /// The move must be legal here: check moves from outside with [`Board::is_legal`] first. An illegal move does
    /// not panic, but leaves a board that is no position of chess.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        match self.side_to_move {
            Color::White => self.play_as::<true>(mv),
            Color::Black => self.play_as::<false>(mv),
        }
    }

    /// The board after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut board = *self;
        board.play(mv);
        board
    }

    #[inline(always)]
    fn play_as<const WHITE: bool>(&mut self, mv: Move) {
        let us = if WHITE { Color::White } else { Color::Black };
        let (from, to) = (mv.from(), mv.to());
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        if !WHITE {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        if let Some(target) = self.take_en_passant() {
            self.key ^= zobrist::en_passant(target);
        }

        let mut double_step = false;
        if mv.is_castle() {
            self.lift(us, Piece::King, from);
            self.lift(us, Piece::Rook, to);
            self.put(us, Piece::King, mv.landing());
            self.put(us, Piece::Rook, rook_landing(from, to));
            self.drop_castling(Bitboard::rank(us.back_rank()));
        } else {
            let piece = self.piece_at_occupied(from);
            if self.colors[(!us).index()].has(to) {
                let captured = self.piece_at_occupied(to);
                self.lift(!us, captured, to);
                self.halfmove_clock = 0;
            }
            self.lift(us, piece, from);
            match mv.kind() {
                MoveKind::Promotion(promoted) => self.put(us, promoted, to),
                MoveKind::EnPassant => {
                    self.put(us, piece, to);
                    self.lift(!us, Piece::Pawn, Square::at(to.file(), from.rank()));
                }
                _ => self.put(us, piece, to),
            }
            if piece == Piece::Pawn {
                self.halfmove_clock = 0;
                double_step = from.index() ^ to.index() == 16;
            }
            if self.castling.any() {
                let mut lost = from.bitboard() | to.bitboard();
                if piece == Piece::King {
                    lost |= Bitboard::rank(us.back_rank());
                }
                self.drop_castling(lost);
            }
        }

        self.side_to_move = !us;
        self.key ^= zobrist::black_to_move();
        self.update_checks();
        if double_step {
            let target = Square::at(from.file(), if WHITE { 2 } else { 5 });
            let takers = pawn_attacks(us, target) & self.of(!us, Piece::Pawn);
            if takers.any() && self.en_passant_is_legal(target) {
                self.en_passant = Some(target).into();
                self.key ^= zobrist::en_passant(target);
            }
        }
    }

    /// Passes the turn. The side to move must not be in check. The halfmove clock goes on.
    pub fn play_null(&mut self) {
        if let Some(target) = self.take_en_passant() {
            self.key ^= zobrist::en_passant(target);
        }
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        if self.side_to_move == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.side_to_move = !self.side_to_move;
        self.key ^= zobrist::black_to_move();
        self.update_checks();
    }

    #[inline(always)]
    fn take_en_passant(&mut self) -> Option<Square> {
        let target = self.en_passant.get();
        self.en_passant = MaybeSquare::NONE;
        target
    }

    #[inline(always)]
    fn put(&mut self, color: Color, piece: Piece, square: Square) {
        self.pieces[piece.index()] |= square.bitboard();
        self.colors[color.index()] |= square.bitboard();
        self.key ^= zobrist::piece(color, piece, square);
    }

    #[inline(always)]
    fn lift(&mut self, color: Color, piece: Piece, square: Square) {
        self.pieces[piece.index()] ^= square.bitboard();
        self.colors[color.index()] ^= square.bitboard();
        self.key ^= zobrist::piece(color, piece, square);
    }

    /// Ends the rights to castle with rooks on these squares. A rook's right ends with the rook, a king's with both.
    #[inline(always)]
    fn drop_castling(&mut self, squares: Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            for rook in lost {
                self.key ^= zobrist::castling(rook);
            }
            self.castling ^= lost;
        }
    }
}
