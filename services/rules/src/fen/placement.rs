//! Where the pieces stand: the first field.

use super::error::Reason;
use super::repair::{Log, Repair};
use crate::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use crate::{Bitboard, Color, Piece, Square};

/// Any arrangement of pieces, legal or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    colors: [Bitboard; 2],
    kinds: [Bitboard; 6],
}

impl Placement {
    /// Puts a piece on a square, in place of what stood there.
    pub fn put(&mut self, square: Square, color: Color, piece: Piece) {
        self.clear(square);
        self.colors[color.index()] |= square.bitboard();
        self.kinds[piece.index()] |= square.bitboard();
    }

    /// Empties a square.
    pub fn clear(&mut self, square: Square) {
        for set in self.colors.iter_mut().chain(&mut self.kinds) {
            *set &= !square.bitboard();
        }
    }

    /// The squares of a colour's pieces.
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of a colour's pieces of one kind.
    pub fn pieces(&self, color: Color, piece: Piece) -> Bitboard {
        self.colors[color.index()] & self.kinds[piece.index()]
    }

    /// The squares of one kind of piece, both colours.
    pub fn kind(&self, piece: Piece) -> Bitboard {
        self.kinds[piece.index()]
    }

    /// All squares that are not empty.
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// What stands on a square.
    pub fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.color(color).has(square))?;
        let piece = Piece::ALL
            .into_iter()
            .find(|&piece| self.kinds[piece.index()].has(square))?;
        Some((color, piece))
    }

    /// The square of a colour's king, if it has exactly one.
    pub fn king(&self, color: Color) -> Option<Square> {
        let kings = self.pieces(color, Piece::King);
        if kings.more_than_one() {
            None
        } else {
            kings.first()
        }
    }

    /// The squares from which pieces of `by` attack `square`.
    pub fn attackers(&self, square: Square, by: Color) -> Bitboard {
        let occupied = self.occupied();
        let of = |piece| self.pieces(by, piece);
        pawn_attacks(!by, square) & of(Piece::Pawn)
            | knight_attacks(square) & of(Piece::Knight)
            | king_attacks(square) & of(Piece::King)
            | bishop_attacks(square, occupied) & (of(Piece::Bishop) | of(Piece::Queen))
            | rook_attacks(square, occupied) & (of(Piece::Rook) | of(Piece::Queen))
    }

    /// Reads the first field. `None` if it names no arrangement; what is wrong goes to the log.
    pub(super) fn read(field: &str, log: &mut Log) -> Option<Self> {
        let ranks: Vec<&str> = field.split('/').take(64).collect();
        if ranks.len() != 8 {
            log.refuse(Reason::RankCount(ranks.len()));
        }
        let mut placement = Self::default();
        let mut whole = ranks.len() == 8;
        for (index, text) in ranks.iter().take(8).enumerate() {
            whole &= placement.read_rank(7 - index as u8, text, log);
        }
        whole.then_some(placement)
    }

    fn read_rank(&mut self, rank: u8, text: &str, log: &mut Log) -> bool {
        let name = rank + 1;
        let mut file = 0_usize;
        let mut after_digit = false;
        let mut merged = false;
        for letter in text.chars() {
            match letter {
                '1'..='8' => {
                    file += letter as usize - '0' as usize;
                    merged |= after_digit;
                }
                '0' | '9' => {
                    log.refuse(Reason::EmptySquares {
                        rank: name,
                        digit: letter,
                    });
                    return false;
                }
                _ => match Piece::from_letter(letter) {
                    Some(piece) => {
                        let color = if letter.is_ascii_uppercase() {
                            Color::White
                        } else {
                            Color::Black
                        };
                        if file < 8 {
                            self.put(Square::at(file as u8, rank), color, piece);
                        }
                        file += 1;
                    }
                    None => {
                        log.refuse(Reason::PieceLetter { rank: name, letter });
                        return false;
                    }
                },
            }
            after_digit = letter.is_ascii_digit();
        }
        if file != 8 {
            log.refuse(Reason::RankLength {
                rank: name,
                squares: file,
            });
            return false;
        }
        if merged {
            log.flaw(Reason::AdjacentDigits { rank: name }, Repair::DigitsMerged(name));
        }
        true
    }
}
