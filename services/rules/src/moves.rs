//! Moves, two bytes each.

use std::fmt;

use arrayvec::ArrayVec;

use crate::{Piece, Square};

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// Neither of the others: quiet moves and captures, double pawn steps included.
    Normal,
    /// Castling; `to` is the square of the own rook, in standard chess too.
    Castle,
    /// A pawn takes in passing; the captured pawn stands beside `from`.
    EnPassant,
    /// A pawn, capturing or not, becomes this piece.
    Promotion(Piece),
}

/// A move of a known position: from, to and kind in 16 bits.
///
/// Castling is written as the king taking its own rook, which names it without doubt in Chess960 too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    const CASTLE: u16 = 1 << 12;
    const EN_PASSANT: u16 = 2 << 12;
    const PROMOTION: u16 = 4 << 12;

    /// A placeholder that is no legal move of any position (a1a1).
    pub const NULL: Self = Self(0);

    /// A move of the given kind. A promotion to a pawn or king is written as one to a queen.
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let kind = match kind {
            MoveKind::Normal => 0,
            MoveKind::Castle => Self::CASTLE,
            MoveKind::EnPassant => Self::EN_PASSANT,
            MoveKind::Promotion(Piece::Knight) => Self::PROMOTION,
            MoveKind::Promotion(Piece::Bishop) => Self::PROMOTION | 1 << 12,
            MoveKind::Promotion(Piece::Rook) => Self::PROMOTION | 2 << 12,
            MoveKind::Promotion(_) => Self::PROMOTION | 3 << 12,
        };
        Self(from.index() as u16 | (to.index() as u16) << 6 | kind)
    }

    /// A move with nothing special about it.
    #[inline(always)]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// The square it leaves.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_low_bits(self.0 as u8)
    }

    /// The square it goes to; of castling, the rook's square.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_low_bits((self.0 >> 6) as u8)
    }

    /// What is special about it.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 12 {
            0 => MoveKind::Normal,
            1 => MoveKind::Castle,
            2 => MoveKind::EnPassant,
            4 => MoveKind::Promotion(Piece::Knight),
            5 => MoveKind::Promotion(Piece::Bishop),
            6 => MoveKind::Promotion(Piece::Rook),
            _ => MoveKind::Promotion(Piece::Queen),
        }
    }

    /// Whether the kind is [`MoveKind::Normal`].
    #[inline(always)]
    pub const fn is_normal(self) -> bool {
        self.0 >> 12 == 0
    }

    /// Whether it is castling.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0 >> 12 == 1
    }

    /// Whether it is an en-passant capture.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == 2
    }

    /// What the pawn becomes, if it promotes.
    #[inline(always)]
    pub const fn promotion(self) -> Option<Piece> {
        match self.kind() {
            MoveKind::Promotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Where the king ends after castling: the g- or c-file of its rank. For other moves, [`Move::to`].
    #[inline(always)]
    pub const fn landing(self) -> Square {
        if self.is_castle() {
            let file = if self.to().file() > self.from().file() {
                6
            } else {
                2
            };
            Square::at(file, self.from().rank())
        } else {
            self.to()
        }
    }

    /// The 16 bits, for tables and files.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// A move from its 16 bits. Any bits make a value; only [`crate::Board::is_legal`] makes it a move.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}

/// King-takes-rook notation of UCI, as in Chess960; the `uci` module writes a move for its variant.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion()
            .map_or(Ok(()), |piece| write!(f, "{}", piece.letter()))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A list that holds the legal moves of any position.
///
/// A side has at most 17 men: no position is taken with more than 16 unless they are a king, at most seven officers and
/// nine pawns or promoted men, and play adds none. None but the king has more than 27 moves (a queen in the open; a pawn
/// has at most 12), the king has eight and two castlings: 16 · 27 + 10 = 442.
pub type MoveList = ArrayVec<Move, 512>;
