//! A training position in 32 bytes: the evaluator's packed position with label and result in its spare word.

use tabiya_eval_shaders::PackedPosition;

/// One position with what is known about it.
///
/// Words 0 to 6 are those of `tabiya_eval_shaders::PackedPosition`: occupancy (low, high), sixteen bytes of
/// nibbles in square order of the occupied squares (colour << 3 | piece, pawn 0 to king 5), and a word whose
/// bit 0 says that Black is to move. Word 7 holds the label in its low half (centipawns, side to move), the
/// [`Outcome`] in bits 16 and 17, and bit 18 once the label is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    words: [u32; 8],
}

/// How the game ended from which a position was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Not from a game's own line, or the game was cut off.
    Unknown,
    /// Black won.
    Black,
    /// A draw.
    Draw,
    /// White won.
    White,
}

/// A piece on a square, as a record lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// 0 (a1) to 63 (h8).
    pub(crate) square: u8,
    /// Whether the piece is Black's.
    pub(crate) black: bool,
    /// Pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5.
    pub(crate) kind: u8,
}

const LABELLED: u32 = 1 << 18;

impl Record {
    /// Bytes in a file.
    pub(crate) const SIZE: usize = 32;

    /// A record without label from pieces in ascending square order; at most 32.
    pub(crate) fn new(pieces: impl IntoIterator<Item = Placed>, black_to_move: bool) -> Self {
        let mut words = [0u32; 8];
        for (index, piece) in pieces.into_iter().enumerate() {
            words[usize::from(piece.square) / 32] |= 1 << (piece.square % 32);
            let nibble = u32::from(piece.black) << 3 | u32::from(piece.kind);
            words[2 + index / 8] |= nibble << (4 * (index % 8));
        }
        words[6] = u32::from(black_to_move);
        Self { words }
    }

    /// The position as the evaluator takes it.
    pub(crate) fn packed(&self) -> Option<PackedPosition> {
        let mut words = self.words;
        words[7] = 0;
        PackedPosition::from_words(words).ok()
    }

    /// Occupied squares, bit 0 is a1.
    pub(crate) fn occupancy(&self) -> u64 {
        u64::from(self.words[0]) | u64::from(self.words[1]) << 32
    }

    /// Pieces on the board, kings included.
    pub(crate) fn piece_count(&self) -> u32 {
        self.occupancy().count_ones()
    }

    /// Whether Black is to move.
    pub(crate) fn black_to_move(&self) -> bool {
        self.words[6] & 1 != 0
    }

    /// The pieces in ascending square order.
    #[inline]
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Placed> {
        let mut occupancy = self.occupancy();
        let low = u64::from(self.words[2]) | u64::from(self.words[3]) << 32;
        let high = u64::from(self.words[4]) | u64::from(self.words[5]) << 32;
        let mut nibbles = u128::from(low) | u128::from(high) << 64;
        std::iter::from_fn(move || {
            if occupancy == 0 {
                return None;
            }
            let square = occupancy.trailing_zeros() as u8;
            occupancy &= occupancy - 1;
            let nibble = nibbles as u8 & 15;
            nibbles >>= 4;
            Some(Placed {
                square,
                black: nibble & 8 != 0,
                kind: nibble & 7,
            })
        })
    }

    /// The square of a side's king, 64 if there is none.
    pub(crate) fn king(&self, black: bool) -> u8 {
        self.pieces()
            .find(|p| p.kind == 5 && p.black == black)
            .map_or(64, |p| p.square)
    }

    /// The position as FEN. A record knows of no castling rights, no en passant square and no clock.
    pub(crate) fn fen(&self) -> String {
        const SYMBOLS: &[u8; 6] = b"pnbrqk";
        let mut squares = [None; 64];
        for piece in self.pieces() {
            let symbol = SYMBOLS.get(usize::from(piece.kind)).copied().map(char::from);
            squares[usize::from(piece.square)] = symbol.map(|symbol| match piece.black {
                true => symbol,
                false => symbol.to_ascii_uppercase(),
            });
        }
        let mut fen = String::with_capacity(80);
        for (row, rank) in squares.chunks_exact(8).rev().enumerate() {
            if row > 0 {
                fen.push('/');
            }
            for run in rank.chunk_by(|left, right| left.is_none() && right.is_none()) {
                match run[0] {
                    Some(symbol) => fen.push(symbol),
                    None => fen.push(char::from(b'0' + run.len() as u8)),
                }
            }
        }
        fen + if self.black_to_move() {
            " b - - 0 1"
        } else {
            " w - - 0 1"
        }
    }

    /// A hash of what the network sees: pieces and side to move.
    pub(crate) fn key(&self) -> u64 {
        let mut key = 0x9e37_79b9_7f4a_7c15u64;
        for pair in self.words[..6].chunks_exact(2) {
            let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
            key = (key ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            key ^= key >> 32;
        }
        (key ^ u64::from(self.words[6] & 1)).wrapping_mul(0xc4ce_b9fe_1a85_ec53)
    }

    /// The label in centipawns from the side to move, if there is one.
    pub(crate) fn label(&self) -> Option<i16> {
        (self.words[7] & LABELLED != 0).then_some(self.words[7] as u16 as i16)
    }

    /// Sets the label in centipawns from the side to move.
    pub(crate) fn set_label(&mut self, label: i16) {
        self.words[7] = self.words[7] & 0xffff_0000 | LABELLED | u32::from(label as u16);
    }

    /// How the game ended.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.words[7] >> 16 & 3 {
            0 => Outcome::Unknown,
            1 => Outcome::Black,
            2 => Outcome::Draw,
            _ => Outcome::White,
        }
    }

    /// Sets how the game ended.
    pub(crate) fn set_outcome(&mut self, outcome: Outcome) {
        self.words[7] = self.words[7] & !(3 << 16) | (outcome as u32) << 16;
    }

    /// The bytes of a file, little-endian words.
    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads a record; `None` where the evaluator would refuse the position, or with more than 32 pieces: the
    /// evaluator takes two more, whose nibbles stand where a record has its label.
    pub(crate) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let mut words = [0u32; 8];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*chunk);
        }
        let record = Self { words };
        let few = record.piece_count() <= 32;
        (few && record.packed().is_some()).then_some(record)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record from the placement and side fields of a FEN, for tests.
    pub(crate) fn record_from_fen(fen: &str) -> Record {
        let mut fields = fen.split(' ');
        let mut pieces = Vec::new();
        for (row, text) in fields.next().expect("placement").split('/').enumerate() {
            let mut file = 0;
            for symbol in text.chars() {
                if let Some(skip) = symbol.to_digit(10) {
                    file += skip as u8;
                } else {
                    let kind = "pnbrqk".find(symbol.to_ascii_lowercase()).expect("piece") as u8;
                    let square = (7 - row as u8) * 8 + file;
                    pieces.push(Placed {
                        square,
                        black: symbol.is_ascii_lowercase(),
                        kind,
                    });
                    file += 1;
                }
            }
        }
        pieces.sort_by_key(|p| p.square);
        Record::new(pieces, fields.next() == Some("b"))
    }

    #[test]
    fn fen_is_the_position() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b - - 0 1",
            "8/8/8/3k4/8/8/8/K6p w - - 0 1",
        ] {
            assert_eq!(record_from_fen(fen).fen(), fen);
        }
    }

    #[test]
    fn round_trip() {
        let mut record = record_from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq -");
        assert_eq!(record.label(), None);
        record.set_label(-1234);
        record.set_outcome(Outcome::Draw);
        let read = Record::from_bytes(&record.to_bytes()).expect("a sound record");
        assert_eq!(read, record);
        assert_eq!(read.label(), Some(-1234));
        assert_eq!(read.outcome(), Outcome::Draw);
        assert!(read.black_to_move());
        assert_eq!(read.king(false), 4);
        assert_eq!(read.king(true), 60);
        assert_eq!(read.pieces().count(), 32);
        assert_eq!(
            read.pieces().next(),
            Some(Placed {
                square: 0,
                black: false,
                kind: 3
            })
        );
    }

    #[test]
    fn the_key_ignores_the_label_and_sees_the_side() {
        let white = record_from_fen("8/8/4k3/8/8/4K3/4P3/8 w - -");
        let black = record_from_fen("8/8/4k3/8/8/4K3/4P3/8 b - -");
        let mut labelled = white;
        labelled.set_label(77);
        assert_eq!(white.key(), labelled.key());
        assert_ne!(white.key(), black.key());
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let record = record_from_fen("8/8/4k3/8/8/4K3/4P3/8 w - -");
        for byte in 8..24 {
            let mut bytes = record.to_bytes();
            bytes[byte] = 0xff;
            assert_eq!(Record::from_bytes(&bytes), None, "byte {byte}");
        }
    }

    #[test]
    fn more_than_32_pieces_are_refused() {
        let record = record_from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
        let mut bytes = record.to_bytes();
        assert_eq!(Record::from_bytes(&bytes), Some(record));
        // One or two more on the sixth rank: still one king each among the first 32 nibbles.
        for more in [0b01, 0b11] {
            bytes[5] = more;
            assert_eq!(Record::from_bytes(&bytes), None, "{more:#b}");
        }
    }
}
