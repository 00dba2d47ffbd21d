//! A legal position: what stands where, whose turn it is, and the rights that remain.

use crate::attacks::{
    between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, pawn_attacks, rook_attacks, rook_rays,
};
use crate::square::MaybeSquare;
use crate::{Bitboard, Color, Piece, Square, zobrist};

/// A position in which the side to move could be asked for a move: one king each, the side not to move not in
/// check, no pawn on a back rank.
///
/// It is small (104 bytes) and `Copy`: to look ahead, copy it and [`play`](Self::play) on the copy.
/// Boards come from [`Board::startpos`] and from FEN, which checks all of this.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    pub(crate) pieces: [Bitboard; 6],
    pub(crate) colors: [Bitboard; 2],
    pub(crate) key: u64,
    pub(crate) checkers: Bitboard,
    pub(crate) pinned: Bitboard,
    pub(crate) castling: Bitboard,
    /// 32 bits, because a FEN may claim any number; a move number beyond 16 bits is refused instead.
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u16,
    pub(crate) en_passant: MaybeSquare,
    pub(crate) side_to_move: Color,
}

const _: () = assert!(size_of::<Board>() == 104);

/// Whether two boards are the same position in the sense of repetition (FIDE 9.2.3): pieces, side to move,
/// castling rights and legal en-passant captures. The clocks do not count.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && self.pieces == other.pieces
            && self.colors == other.colors
            && self.side_to_move == other.side_to_move
            && self.castling == other.castling
            && self.en_passant == other.en_passant
    }
}

impl Eq for Board {}

/// The facts from which a [`Board`] is built; whoever fills it has checked that they make a legal position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardParts {
    pub(crate) pieces: [Bitboard; 6],
    pub(crate) colors: [Bitboard; 2],
    pub(crate) side_to_move: Color,
    /// Rooks with which castling is still allowed.
    pub(crate) castling: Bitboard,
    /// The square a pawn has just passed over; kept only if a capture there is legal.
    pub(crate) en_passant: Option<Square>,
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u16,
}

impl Board {
    /// The position from which a game of standard chess starts.
    pub fn startpos() -> Self {
        let back_ranks = |files: u64| Bitboard(files | files << 56);
        Self::from_parts(BoardParts {
            pieces: [
                Bitboard::rank(1) | Bitboard::rank(6),
                back_ranks(0b0100_0010),
                back_ranks(0b0010_0100),
                back_ranks(0b1000_0001),
                back_ranks(0b0000_1000),
                back_ranks(0b0001_0000),
            ],
            colors: [Bitboard(0xffff), Bitboard(0xffff << 48)],
            side_to_move: Color::White,
            castling: back_ranks(0b1000_0001),
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        })
    }

    /// A board from checked facts.
    pub(crate) fn from_parts(parts: BoardParts) -> Self {
        let mut board = Self {
            pieces: parts.pieces,
            colors: parts.colors,
            key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: parts.castling,
            halfmove_clock: parts.halfmove_clock,
            fullmove_number: parts.fullmove_number,
            en_passant: MaybeSquare::NONE,
            side_to_move: parts.side_to_move,
        };
        board.update_checks();
        board.en_passant = parts
            .en_passant
            .filter(|&target| board.en_passant_is_legal(target))
            .into();
        board.key = board.key_from_scratch();
        board
    }

    /// The key as [`Self::key`] must be, computed feature by feature.
    pub(crate) fn key_from_scratch(&self) -> u64 {
        let mut key = match self.side_to_move {
            Color::White => 0,
            Color::Black => zobrist::black_to_move(),
        };
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in self.colors(color) & self.pieces(piece) {
                    key ^= zobrist::piece(color, piece, square);
                }
            }
        }
        for rook in self.castling {
            key ^= zobrist::castling(rook);
        }
        key ^ self.en_passant().map_or(0, zobrist::en_passant)
    }

    /// Squares of a kind of piece, both colours.
    #[inline(always)]
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        self.pieces[piece.index()]
    }

    /// Squares of a colour's pieces.
    #[inline(always)]
    pub fn colors(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// Squares of a colour's pieces of one kind.
    #[inline(always)]
    pub fn of(&self, color: Color, piece: Piece) -> Bitboard {
        self.colors(color) & self.pieces(piece)
    }

    /// Squares with a piece on them.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Bishops and queens of a colour.
    #[inline(always)]
    pub fn diagonal_sliders(&self, color: Color) -> Bitboard {
        self.colors(color) & (self.pieces(Piece::Bishop) | self.pieces(Piece::Queen))
    }

    /// Rooks and queens of a colour.
    #[inline(always)]
    pub fn straight_sliders(&self, color: Color) -> Bitboard {
        self.colors(color) & (self.pieces(Piece::Rook) | self.pieces(Piece::Queen))
    }

    /// What stands on a square, whatever its colour.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        if !self.occupied().has(square) {
            return None;
        }
        Some(self.piece_at_occupied(square))
    }

    /// The kind of the piece on a square that is known to be occupied.
    #[inline(always)]
    pub(crate) fn piece_at_occupied(&self, square: Square) -> Piece {
        let bit = |piece: Piece| (self.pieces[piece.index()].0 >> square.index() & 1) as usize;
        // The boards are disjoint, so the number of the kind is a sum, with no branch to mispredict.
        let number = bit(Piece::Knight)
            | bit(Piece::Bishop) << 1
            | (bit(Piece::Rook) * 3)
            | bit(Piece::Queen) << 2
            | (bit(Piece::King) * 5);
        const KINDS: [Piece; 8] = [
            Piece::Pawn,
            Piece::Knight,
            Piece::Bishop,
            Piece::Rook,
            Piece::Queen,
            Piece::King,
            Piece::King,
            Piece::King,
        ];
        KINDS[number & 7]
    }

    /// The colour of the piece on a square.
    #[inline(always)]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        if self.colors(Color::White).has(square) {
            Some(Color::White)
        } else if self.colors(Color::Black).has(square) {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// The square of a colour's king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        Square::from_low_bits(self.of(color, Piece::King).0.trailing_zeros() as u8)
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move that stand between their king and a slider.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The Zobrist key. Boards that are equal in the sense of repetition have equal keys.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Plies since the last capture or pawn move.
    #[inline(always)]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Number of the move, from 1, counted up after Black's.
    #[inline(always)]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The square on which a pawn can legally be captured in passing.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant.get()
    }

    /// Rooks with which their side may still castle, should the way be free.
    #[inline(always)]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The rook with which a colour may still castle, on the king's side (towards the h-file) or the queen's.
    pub fn castling_rook(&self, color: Color, king_side: bool) -> Option<Square> {
        let king = self.king(color);
        let rights = self.castling & self.colors(color);
        rights
            .into_iter()
            .find(|rook| (rook.file() > king.file()) == king_side)
    }

    /// Pieces of both colours that attack a square, given an occupancy.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.pieces(Piece::Queen);
        pawn_attacks(Color::White, square) & self.of(Color::Black, Piece::Pawn)
            | pawn_attacks(Color::Black, square) & self.of(Color::White, Piece::Pawn)
            | knight_attacks(square) & self.pieces(Piece::Knight)
            | king_attacks(square) & self.pieces(Piece::King)
            | bishop_attacks(square, occupied) & (self.pieces(Piece::Bishop) | queens)
            | rook_attacks(square, occupied) & (self.pieces(Piece::Rook) | queens)
    }

    /// Whether a colour's pieces attack a square, given an occupancy.
    #[inline(always)]
    pub fn attacked_by(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        let theirs = self.colors(color);
        ((pawn_attacks(!color, square) & self.pieces(Piece::Pawn)
            | knight_attacks(square) & self.pieces(Piece::Knight)
            | king_attacks(square) & self.pieces(Piece::King))
            & theirs)
            .any()
            || (bishop_attacks(square, occupied) & self.diagonal_sliders(color)).any()
            || (rook_attacks(square, occupied) & self.straight_sliders(color)).any()
    }

    /// Recomputes checkers and pinned pieces of the side to move.
    #[inline(always)]
    pub(crate) fn update_checks(&mut self) {
        let us = self.side_to_move;
        let king = self.king(us);
        let theirs = self.colors(!us);
        let occupied = self.occupied();
        let mut checkers = theirs
            & (knight_attacks(king) & self.pieces(Piece::Knight)
                | pawn_attacks(us, king) & self.pieces(Piece::Pawn));
        let mut pinned = Bitboard::EMPTY;
        let queens = self.pieces(Piece::Queen);
        let snipers = theirs
            & (rook_rays(king) & (self.pieces(Piece::Rook) | queens)
                | bishop_rays(king) & (self.pieces(Piece::Bishop) | queens));
        for sniper in snipers {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= sniper.bitboard();
            } else if !blockers.more_than_one() {
                pinned |= blockers;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned & self.colors(us);
    }

    /// Whether some pawn of the side to move can legally capture in passing on `target`.
    pub(crate) fn en_passant_is_legal(&self, target: Square) -> bool {
        let us = self.side_to_move;
        let pawns = pawn_attacks(!us, target) & self.of(us, Piece::Pawn);
        pawns
            .into_iter()
            .any(|pawn| self.en_passant_keeps_king_safe(pawn, target))
    }

    /// Whether the king is out of check once `pawn` has captured in passing on `target`.
    ///
    /// Both pawns leave their squares at once, so neither pins nor checkers tell; the board after the capture does.
    pub(crate) fn en_passant_keeps_king_safe(&self, pawn: Square, target: Square) -> bool {
        let us = self.side_to_move;
        let captured = Square::at(target.file(), pawn.rank()).bitboard();
        let occupied = self.occupied() & !captured & !pawn.bitboard() | target.bitboard();
        let attackers = self.attackers(self.king(us), occupied);
        (attackers & self.colors(!us) & !captured).is_empty()
    }
}
