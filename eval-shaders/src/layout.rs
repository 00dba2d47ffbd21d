//! The position record that every evaluation backend reads.
//!
//! | word | content |
//! | --- | --- |
//! | 0, 1 | occupancy, low and high half; bit `s` is square `s` (a1 = 0, b1 = 1, …, h8 = 63) |
//! | 2..=5 | one nibble for each occupied square, in rising square order: piece `i` sits in word `2 + i / 8`, bits `4 * (i % 8)` onward |
//! | 6 | bit 0: Black is to move; the other bits are zero |
//! | 7 | nibbles 32 and 33 in bits 0 to 7; zero with at most 32 pieces |
//!
//! A nibble is `colour << 3 | type`: colour 0 is White and 1 Black; types 0 to 5 are pawn, knight, bishop,
//! rook, queen, king. More than 32 pieces cannot come about in a game, but analysis accepts set-up positions with one
//! piece a side too many. Nibbles past the last piece are zero, so equal positions have equal records.

/// Number of 32-bit words in a record.
pub const RECORD_WORDS: usize = 8;

/// Number of bytes in a record.
pub const RECORD_BYTES: usize = RECORD_WORDS * 4;

/// Most pieces that a record can hold.
pub const MAX_PIECES: u32 = 34;

/// The type number of the king, the highest one.
pub const KING: u8 = 5;

const META_WORD: usize = 6;
/// Where eight nibbles each stand.
const NIBBLE_WORDS: [usize; 5] = [2, 3, 4, 5, 7];

/// What a nibble says: one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPiece {
    /// Square, 0 (a1) to 63 (h8).
    pub square: u8,
    /// 0 for White, 1 for Black.
    pub color: u8,
    /// 0 to 5: pawn, knight, bishop, rook, queen, king.
    pub kind: u8,
}

/// One position in 32 bytes, as the module's table describes.
///
/// [`PackedPosition::pack`] and [`PackedPosition::from_words`] check everything; a value built by them
/// has one king a side and at most [`MAX_PIECES`] pieces.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedPosition([u32; RECORD_WORDS]);

/// Why words or pieces are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// More occupied squares than [`MAX_PIECES`]; holds their number.
    TooManyPieces(u32),
    /// The number of pieces listed differs from the number of occupied squares.
    PieceCount {
        /// Occupied squares.
        occupied: u32,
        /// Pieces listed; counting stops one above `occupied`.
        listed: u32,
    },
    /// A colour above 1 or a type above 5 at this piece index.
    WrongPiece {
        /// Index in square order.
        index: u32,
        /// The nibble, or colour and type joined as one.
        nibble: u8,
    },
    /// A side without exactly one king.
    Kings {
        /// 0 for White, 1 for Black.
        color: u8,
        /// How many kings were found.
        count: u32,
    },
    /// A bit that must be zero is set in this word.
    ReservedBits {
        /// Word index, 0 to 7.
        word: usize,
        /// The word.
        value: u32,
    },
}

impl core::fmt::Display for LayoutError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Self::TooManyPieces(count) => {
                write!(f, "position record has {count} pieces, more than {MAX_PIECES}")
            }
            Self::PieceCount { occupied, listed } => {
                write!(
                    f,
                    "position record has {occupied} occupied squares but {listed} listed pieces"
                )
            }
            Self::WrongPiece { index, nibble } => {
                write!(f, "position record piece {index} has unknown code {nibble}")
            }
            Self::Kings { color, count } => {
                let side = if color == 0 { "white" } else { "black" };
                write!(f, "position record has {count} {side} kings instead of one")
            }
            Self::ReservedBits { word, value } => {
                write!(
                    f,
                    "position record word {word} is {value:#010x}: reserved bits are set"
                )
            }
        }
    }
}

impl core::error::Error for LayoutError {}

impl PackedPosition {
    /// Builds a record from the occupied squares and one `(colour, type)` for each, in rising square order.
    ///
    /// # Errors
    /// Any [`LayoutError`] but [`LayoutError::ReservedBits`].
    pub fn pack(
        occupied: u64,
        pieces: impl IntoIterator<Item = (u8, u8)>,
        black_to_move: bool,
    ) -> Result<Self, LayoutError> {
        let count = occupied.count_ones();
        if count > MAX_PIECES {
            return Err(LayoutError::TooManyPieces(count));
        }
        let mut words = [0; RECORD_WORDS];
        words[0] = occupied as u32;
        words[1] = (occupied >> 32) as u32;
        words[META_WORD] = u32::from(black_to_move);
        let mut listed = 0;
        for (color, kind) in pieces {
            if listed == count {
                return Err(LayoutError::PieceCount {
                    occupied: count,
                    listed: listed + 1,
                });
            }
            if color > 1 || kind > KING {
                let nibble = (color << 3) | kind;
                return Err(LayoutError::WrongPiece {
                    index: listed,
                    nibble,
                });
            }
            let nibble = u32::from((color << 3) | kind);
            words[NIBBLE_WORDS[listed as usize / 8]] |= nibble << (4 * (listed % 8));
            listed += 1;
        }
        if listed != count {
            return Err(LayoutError::PieceCount {
                occupied: count,
                listed,
            });
        }
        Self::from_words(words)
    }

    /// Checks words of unknown origin and takes them as a record.
    ///
    /// # Errors
    /// Any [`LayoutError`] but [`LayoutError::PieceCount`].
    pub fn from_words(words: [u32; RECORD_WORDS]) -> Result<Self, LayoutError> {
        let position = Self(words);
        let count = position.piece_count();
        if count > MAX_PIECES {
            return Err(LayoutError::TooManyPieces(count));
        }
        let mut kings = [0; 2];
        for index in 0..count {
            let nibble = position.nibble(index);
            let (color, kind) = (nibble >> 3, nibble & 7);
            if kind > KING {
                return Err(LayoutError::WrongPiece { index, nibble });
            }
            kings[usize::from(color)] += u32::from(kind == KING);
        }
        for (color, &count) in (0..).zip(&kings) {
            if count != 1 {
                return Err(LayoutError::Kings { color, count });
            }
        }
        position.check_reserved_bits(count)?;
        Ok(position)
    }

    /// Takes words as a record without a look at them, for callers that made them from a legal board.
    ///
    /// Evaluating a record that [`Self::from_words`] would reject is memory-safe everywhere, but gives a
    /// meaningless value or a panic.
    pub const fn from_words_unchecked(words: [u32; RECORD_WORDS]) -> Self {
        Self(words)
    }

    fn check_reserved_bits(&self, count: u32) -> Result<(), LayoutError> {
        for (first, word) in (0..).step_by(8).zip(NIBBLE_WORDS) {
            let used = count.saturating_sub(first).min(8);
            // A shift by 32 would be an overflow, so the full word is asked for apart.
            let unused_bits = if used == 8 { 0 } else { self.0[word] >> (4 * used) };
            if unused_bits != 0 {
                return Err(LayoutError::ReservedBits {
                    word,
                    value: self.0[word],
                });
            }
        }
        if self.0[META_WORD] > 1 {
            return Err(LayoutError::ReservedBits {
                word: META_WORD,
                value: self.0[META_WORD],
            });
        }
        Ok(())
    }

    fn nibble(&self, index: u32) -> u8 {
        (self.0[NIBBLE_WORDS[index as usize / 8]] >> (4 * (index % 8)) & 15) as u8
    }

    /// The words, for upload.
    pub const fn words(&self) -> &[u32; RECORD_WORDS] {
        &self.0
    }

    /// The words as little-endian bytes, for files, hashes and buffers that are mapped as bytes.
    pub fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Occupied squares; bit `s` is square `s`.
    pub const fn occupied(&self) -> u64 {
        self.0[0] as u64 | (self.0[1] as u64) << 32
    }

    /// Number of pieces, kings included.
    pub const fn piece_count(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Whether Black is to move.
    pub const fn black_to_move(&self) -> bool {
        self.0[META_WORD] & 1 != 0
    }

    /// The pieces in rising square order, at most [`MAX_PIECES`] of them.
    pub fn pieces(&self) -> impl Iterator<Item = PackedPiece> + '_ {
        let mut occupied = self.occupied();
        (0..MAX_PIECES).map_while(move |index| {
            let square = (occupied != 0).then(|| occupied.trailing_zeros() as u8)?;
            occupied &= occupied - 1;
            let nibble = self.nibble(index);
            Some(PackedPiece {
                square,
                color: nibble >> 3,
                kind: nibble & 7,
            })
        })
    }

    /// The king squares of White and Black.
    ///
    /// A record that nobody checked may lack a king; its square then reads as 0.
    pub fn kings(&self) -> [u8; 2] {
        let mut kings = [0; 2];
        for piece in self.pieces().filter(|piece| piece.kind == KING) {
            kings[usize::from(piece.color)] = piece.square;
        }
        kings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE_KING: (u8, u8) = (0, KING);
    const BLACK_KING: (u8, u8) = (1, KING);

    fn start_position() -> PackedPosition {
        let back = [3, 1, 2, 4, 5, 2, 1, 3];
        let white = back.map(|kind| (0, kind)).into_iter().chain([(0, 0); 8]);
        let black = [(1, 0); 8].into_iter().chain(back.map(|kind| (1, kind)));
        PackedPosition::pack(0xffff_0000_0000_ffff, white.chain(black), false).unwrap()
    }

    #[test]
    fn start_position_has_the_documented_words() {
        let words = *start_position().words();
        assert_eq!(
            words,
            [
                0x0000_ffff,
                0xffff_0000,
                0x3125_4213,
                0,
                0x8888_8888,
                0xb9ad_ca9b,
                0,
                0
            ],
            "{words:08x?}"
        );
        assert_eq!(
            start_position().to_bytes()[..12],
            [0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0x13, 0x42, 0x25, 0x31]
        );
    }

    #[test]
    fn pieces_come_back() {
        let position =
            PackedPosition::pack(1 << 4 | 1 << 12 | 1 << 63, [WHITE_KING, (1, 4), BLACK_KING], true);
        let position = position.unwrap();
        let pieces: Vec<_> = position.pieces().map(|p| (p.square, p.color, p.kind)).collect();
        assert_eq!(pieces, [(4, 0, KING), (12, 1, 4), (63, 1, KING)]);
        assert_eq!(position.piece_count(), 3);
        assert!(position.black_to_move());
        assert_eq!(position.kings(), [4, 63]);
        assert_eq!(PackedPosition::from_words(*position.words()), Ok(position));
    }

    #[test]
    fn two_pieces_more_than_a_game_has_are_kept() {
        let occupied = u64::from(u32::MAX) | 3 << 62;
        let pieces = [WHITE_KING]
            .into_iter()
            .chain([(0, 1); 31])
            .chain([(1, 3), BLACK_KING]);
        let position = PackedPosition::pack(occupied, pieces, true).unwrap();
        assert_eq!(position.words()[7], 0xdb);
        assert_eq!(position.kings(), [0, 63]);
        assert_eq!(
            position.pieces().last(),
            Some(PackedPiece {
                square: 63,
                color: 1,
                kind: KING
            })
        );
        assert_eq!(PackedPosition::from_words(*position.words()), Ok(position));
    }

    #[test]
    fn wrong_lists_are_refused() {
        let two = 1 << 4 | 1 << 60;
        let pack =
            |occupied, pieces: &[(u8, u8)]| PackedPosition::pack(occupied, pieces.iter().copied(), false);
        assert_eq!(
            pack(two, &[WHITE_KING]),
            Err(LayoutError::PieceCount {
                occupied: 2,
                listed: 1
            })
        );
        assert_eq!(
            pack(two, &[WHITE_KING, BLACK_KING, (0, 0)]),
            Err(LayoutError::PieceCount {
                occupied: 2,
                listed: 3
            })
        );
        assert_eq!(
            pack(two, &[WHITE_KING, (1, 6)]),
            Err(LayoutError::WrongPiece { index: 1, nibble: 14 })
        );
        assert_eq!(
            pack(two, &[WHITE_KING, (0, 0)]),
            Err(LayoutError::Kings { color: 1, count: 0 })
        );
        assert_eq!(
            pack(two, &[WHITE_KING, WHITE_KING]),
            Err(LayoutError::Kings { color: 0, count: 2 })
        );
        assert_eq!(pack(u64::MAX, &[]), Err(LayoutError::TooManyPieces(64)));
        assert!(matches!(
            pack(two, &[WHITE_KING, (255, 255)]),
            Err(LayoutError::WrongPiece { index: 1, .. })
        ));
    }

    #[test]
    fn wrong_words_are_refused() {
        let good = *PackedPosition::pack(1 << 4 | 1 << 60, [WHITE_KING, BLACK_KING], false)
            .unwrap()
            .words();
        let with = |word: usize, bits: u32| {
            let mut words = good;
            words[word] |= bits;
            PackedPosition::from_words(words)
        };
        assert!(with(META_WORD, 1).is_ok());
        for (word, bits) in [(META_WORD, 2), (7, 1), (2, 0x100), (5, 0x8000_0000)] {
            let value = good[word] | bits;
            assert_eq!(with(word, bits), Err(LayoutError::ReservedBits { word, value }));
        }
        let full = [u32::MAX, 1 << 9 | 1 << 10 | 1 << 28, 0, 0, 0, 0, 0, 0];
        assert_eq!(
            PackedPosition::from_words(full),
            Err(LayoutError::TooManyPieces(35))
        );
        assert_eq!(with(2, 7), Err(LayoutError::WrongPiece { index: 0, nibble: 7 }));
    }

    #[test]
    fn any_words_are_read_or_refused_without_panic() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u32
        };
        for _ in 0..100_000 {
            let words = [
                next(),
                next(),
                next(),
                next(),
                next(),
                next(),
                next() & 1,
                next() & 255,
            ];
            let _ = PackedPosition::from_words(words);
            let unchecked = PackedPosition::from_words_unchecked(words);
            assert!(unchecked.pieces().count() <= MAX_PIECES as usize);
            let _ = unchecked.kings();
        }
    }
}
