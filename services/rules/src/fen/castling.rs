//! The castling field: letters, and the rooks that they name.

use std::fmt;

use super::FenMode;
use super::error::Reason;
use super::field::excerpt;
use super::placement::Placement;
use super::repair::{Log, Repair};
use crate::{Bitboard, Color, Piece, Square, Variant};

/// A letter of the castling field: `K`, `Q`, or the file `A` to `H` of a rook; upper case for White.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CastlingLetter(char);

impl CastlingLetter {
    /// The letter, if it is one of the castling field.
    pub fn new(letter: char) -> Option<Self> {
        matches!(letter.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h').then_some(Self(letter))
    }

    /// Whose right it is.
    pub fn color(self) -> Color {
        if self.0.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The file that it names; `None` for K and Q.
    pub fn file(self) -> Option<u8> {
        match self.0.to_ascii_lowercase() {
            letter @ 'a'..='h' => Some(letter as u8 - b'a'),
            _ => None,
        }
    }

    /// Its place in a well-formed field: White first, and from the h-side to the a-side.
    fn order(self) -> (Color, i8) {
        let file = match self.0.to_ascii_lowercase() {
            'k' => 8,
            'q' => -1,
            letter => letter as i8 - b'a' as i8,
        };
        (self.color(), -file)
    }

    /// The rook that it names, with a king to castle with.
    fn rook(self, placement: &Placement, variant: Variant) -> Option<Square> {
        let color = self.color();
        let king = placement
            .king(color)
            .filter(|king| king.rank() == color.back_rank())?;
        let rooks = placement.pieces(color, Piece::Rook) & Bitboard::rank(color.back_rank());
        let letter = self.0.to_ascii_lowercase();
        let file = match variant {
            Variant::Standard => {
                if king.file() != 4 {
                    return None;
                }
                match letter {
                    'k' | 'h' => 7,
                    'q' | 'a' => 0,
                    _ => return None,
                }
            }
            Variant::Chess960 => match letter {
                'k' => rooks
                    .into_iter()
                    .map(Square::file)
                    .filter(|&file| file > king.file())
                    .max()?,
                'q' => rooks
                    .into_iter()
                    .map(Square::file)
                    .filter(|&file| file < king.file())
                    .min()?,
                _ => self.file()?,
            },
        };
        let square = Square::at(file, color.back_rank());
        rooks.has(square).then_some(square)
    }
}

impl fmt::Display for CastlingLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Reads the field into letters, each once and in order.
pub(super) fn read(field: &str, variant: Variant, log: &mut Log) -> Option<Vec<CastlingLetter>> {
    if field == "-" {
        return Some(Vec::new());
    }
    let mut letters = Vec::new();
    let mut repeated = false;
    for letter in field.chars() {
        let Some(letter) = CastlingLetter::new(letter) else {
            letters.clear();
            break;
        };
        if letters.contains(&letter) {
            repeated = true;
        } else {
            letters.push(letter);
        }
    }
    if letters.is_empty() {
        log.refuse(Reason::CastlingField(excerpt(field)));
        return None;
    }
    if repeated {
        log.flaw(Reason::CastlingRepeated(excerpt(field)), Repair::CastlingOrdered);
    }
    if !letters.is_sorted_by_key(|letter| letter.order()) {
        log.flaw(Reason::CastlingOrder(excerpt(field)), Repair::CastlingOrdered);
        letters.sort_by_key(|letter| letter.order());
    }
    if variant == Variant::Standard && letters.iter().any(|letter| letter.file().is_some()) {
        log.flaw(Reason::CastlingFiles(excerpt(field)), Repair::CastlingLetters);
    }
    Some(letters)
}

/// The rooks that may still castle.
pub(super) fn resolve(
    letters: &[CastlingLetter],
    placement: &Placement,
    variant: Variant,
    log: &mut Log,
) -> Bitboard {
    let mut rooks = Bitboard::EMPTY;
    for &letter in letters {
        let Some(rook) = letter.rook(placement, variant) else {
            log.flaw(Reason::CastlingRight(letter), Repair::CastlingDropped(letter));
            continue;
        };
        let color = letter.color();
        if rooks.has(rook) {
            log.flaw(
                Reason::CastlingRepeated(letter.to_string()),
                Repair::CastlingOrdered,
            );
        } else if same_wing(rooks, rook, placement.king(color)).any() {
            log.refuse(Reason::CastlingTwice(color));
        }
        if log.mode == FenMode::Strict
            && variant == Variant::Chess960
            && letter.file().is_some()
            && let Some(king) = placement.king(color)
            && is_outermost(placement.pieces(color, Piece::Rook), king, rook)
        {
            log.refuse(Reason::CastlingNotXfen(letter));
        }
        rooks |= rook.bitboard();
    }
    rooks
}

/// Of these rooks, those on the rank of `rook` and on the same side of the king.
fn same_wing(rooks: Bitboard, rook: Square, king: Option<Square>) -> Bitboard {
    let Some(king) = king else { return Bitboard::EMPTY };
    (rooks & Bitboard::rank(rook.rank()))
        .into_iter()
        .filter(|other| (other.file() > king.file()) == (rook.file() > king.file()))
        .collect()
}

/// Whether none of `rooks` stands on the rank of `rook` further from the king on that side.
pub(super) fn is_outermost(rooks: Bitboard, king: Square, rook: Square) -> bool {
    (rooks & Bitboard::rank(rook.rank())).into_iter().all(|other| {
        if rook.file() > king.file() {
            other.file() <= rook.file()
        } else {
            other.file() >= rook.file()
        }
    })
}
