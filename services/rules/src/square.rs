//! Squares of the board.

use std::fmt;
use std::str::FromStr;

use crate::{Bitboard, Color};

/// A square: a1 = 0, b1 = 1, …, h1 = 7, a2 = 8, …, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The square with this number, if it is below 64.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on a file (0 = a) and a rank (0 = first), each taken modulo 8.
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | file & 7)
    }

    /// The square whose number is the low six bits.
    #[inline(always)]
    pub(crate) const fn from_low_bits(bits: u8) -> Self {
        Self(bits & 63)
    }

    /// Its number, 0..64.
    #[inline(always)]
    pub const fn index(self) -> usize {
        // The mask tells the compiler what the type already guarantees, so that table lookups need no check.
        (self.0 & 63) as usize
    }

    /// Its file, 0 for a.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Its rank, 0 for the first.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 >> 3 & 7
    }

    /// Its rank as the colour sees it: 0 is the colour's own back rank.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// The set of this square alone.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// Every square, a1 first.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        Bitboard::ALL.into_iter()
    }
}

/// A square or none, in one byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MaybeSquare(u8);

impl MaybeSquare {
    pub(crate) const NONE: Self = Self(64);

    #[inline(always)]
    pub(crate) const fn get(self) -> Option<Square> {
        Square::new(self.0)
    }
}

impl From<Option<Square>> for MaybeSquare {
    #[inline(always)]
    fn from(square: Option<Square>) -> Self {
        square.map_or(Self::NONE, |square| Self(square.0))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            char::from(b'a' + self.file()),
            char::from(b'1' + self.rank())
        )
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a square such as `e4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseSquareError;

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a square is a letter a to h and a digit 1 to 8")
    }
}

impl std::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self::at(file - b'a', rank - b'1')),
            _ => Err(ParseSquareError),
        }
    }
}
