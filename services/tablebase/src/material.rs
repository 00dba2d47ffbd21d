use std::fmt;

use tabiya_rules::{Board, Color, Piece};

/// How many men of each kind either side has; the name of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Material([[u8; 6]; 2]);

/// Kings, then the others by worth: the order of the names of files.
const NAME_ORDER: [Piece; 6] = [
    Piece::King,
    Piece::Queen,
    Piece::Rook,
    Piece::Bishop,
    Piece::Knight,
    Piece::Pawn,
];

/// Men on the board of the greatest tables that exist.
pub(crate) const MOST_MEN: usize = 7;

impl Material {
    pub(crate) fn of(board: &Board) -> Self {
        Self(Color::ALL.map(|color| Piece::ALL.map(|piece| board.of(color, piece).count() as u8)))
    }

    /// Reads a name such as `KRPvKR`; the first side is taken for White. Nothing for other names, or too many men.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (white, black) = name.split_once('v')?;
        let mut counts = [[0u8; 6]; 2];
        for (side, letters) in counts.iter_mut().zip([white, black]) {
            if letters.len() > MOST_MEN || !letters.starts_with('K') {
                return None;
            }
            for letter in letters.chars() {
                let piece = NAME_ORDER.into_iter().find(|piece| letter_of(*piece) == letter)?;
                side[piece.index()] += 1;
            }
            if side[Piece::King.index()] != 1 {
                return None;
            }
        }
        let material = Self(counts);
        (material.men() <= MOST_MEN).then_some(material)
    }

    /// The same with the colours exchanged.
    pub(crate) fn mirrored(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    /// The same for both names of a table.
    pub(crate) fn either(self) -> [[u8; 6]; 2] {
        self.0.max(self.mirrored().0)
    }

    pub(crate) fn count(self, color: Color, piece: Piece) -> u8 {
        self.0[color.index()][piece.index()]
    }

    pub(crate) fn men(self) -> usize {
        self.0.iter().flatten().map(|count| usize::from(*count)).sum()
    }

    pub(crate) fn has_pawns(self) -> bool {
        Color::ALL
            .into_iter()
            .any(|color| self.count(color, Piece::Pawn) > 0)
    }

    pub(crate) fn is_symmetric(self) -> bool {
        self.0[0] == self.0[1]
    }

    /// Whether the two kings are the only kinds that stand alone; then they lead the index of a table without pawns.
    pub(crate) fn only_kings_are_single(self) -> bool {
        self.0.iter().flatten().filter(|count| **count == 1).count() == 2
    }

    /// Pawns of the side whose pawns lead the index, then those of the other: fewer pawns lead, White's if equal.
    pub(crate) fn pawns(self) -> (usize, usize) {
        let [white, black] = Color::ALL.map(|color| usize::from(self.count(color, Piece::Pawn)));
        if black > 0 && (white == 0 || white > black) {
            (black, white)
        } else {
            (white, black)
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            if color == Color::Black {
                f.write_str("v")?;
            }
            for piece in NAME_ORDER {
                for _ in 0..self.count(color, piece) {
                    write!(f, "{}", letter_of(piece))?;
                }
            }
        }
        Ok(())
    }
}

fn letter_of(piece: Piece) -> char {
    piece.letter().to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["KQvK", "KRPvKR", "KvKP", "KBNvK", "KQQQQQvK"] {
            assert_eq!(Material::from_name(name).unwrap().to_string(), name);
        }
        for name in ["KQ", "QvK", "KXvK", "KKvK", "KvKv", "KQQQvKQQQ", "", "v", "KvK🂡"] {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn fewer_pawns_lead() {
        let pawns = |name| Material::from_name(name).unwrap().pawns();
        assert_eq!(pawns("KPPvKP"), (1, 2));
        assert_eq!(pawns("KPvKPP"), (1, 2));
        assert_eq!(pawns("KPvKP"), (1, 1));
        assert_eq!(pawns("KvKP"), (1, 0));
        assert_eq!(pawns("KPPvK"), (2, 0));
    }
}
