//! Endings for which an organiser announced a longer count of quiet moves.

use std::fmt;

use tabiya_rules::{Board, Color, Piece};

/// Most endings in a list.
const MOST: usize = 64;

/// The pieces in the order in which a line-up names them.
const ORDER: [(Piece, char); 6] = [
    (Piece::King, 'K'),
    (Piece::Queen, 'Q'),
    (Piece::Rook, 'R'),
    (Piece::Bishop, 'B'),
    (Piece::Knight, 'N'),
    (Piece::Pawn, 'P'),
];

/// How many of each piece one side has, in the order of [`ORDER`].
type LineUp = [u8; 6];

/// Line-ups of two sides, either of which may be White, each with a number of moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endings(Vec<(LineUp, LineUp, u32)>);

impl Endings {
    /// Reads a list such as `KRB-KR:75 KNN-KP:100`; `None` if it is none, or names an ending twice.
    pub fn read(text: &str) -> Option<Self> {
        let mut endings: Vec<(LineUp, LineUp, u32)> = Vec::new();
        for item in text.split_whitespace() {
            let (sides, moves) = item.split_once(':')?;
            let (one, other) = sides.split_once('-')?;
            let moves: u32 = moves.parse().ok().filter(|moves| (1..=500).contains(moves))?;
            let (one, other) = (line_up(one)?, line_up(other)?);
            let same = |&(first, second, _): &(LineUp, LineUp, u32)| {
                (first, second) == (one, other) || (first, second) == (other, one)
            };
            if endings.iter().any(same) {
                return None;
            }
            endings.push((one, other, moves));
        }
        (endings.len() <= MOST).then_some(Self(endings))
    }

    /// The least count in the list.
    pub(super) fn least(&self) -> Option<u32> {
        self.0.iter().map(|&(_, _, moves)| moves).min()
    }

    /// The greatest count in the list.
    pub(super) fn greatest(&self) -> Option<u32> {
        self.0.iter().map(|&(_, _, moves)| moves).max()
    }

    /// The count for the men on a board, if they are listed.
    pub fn count(&self, board: &Board) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let [white, black] =
            Color::ALL.map(|color| ORDER.map(|(piece, _)| board.of(color, piece).count() as u8));
        let fits = |&&(one, other, _): &&(LineUp, LineUp, u32)| {
            (one, other) == (white, black) || (one, other) == (black, white)
        };
        self.0.iter().find(fits).map(|&(_, _, moves)| moves)
    }
}

fn line_up(text: &str) -> Option<LineUp> {
    let mut counts = LineUp::default();
    for letter in text.chars() {
        let place = ORDER.iter().position(|&(_, known)| known == letter)?;
        counts[place] += 1;
    }
    (counts[0] == 1 && text.len() <= 16).then_some(counts)
}

impl fmt::Display for Endings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (one, other, moves)) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            for (side, counts) in [one, other].into_iter().enumerate() {
                if side > 0 {
                    f.write_str("-")?;
                }
                for (&count, (_, letter)) in counts.iter().zip(ORDER) {
                    for _ in 0..count {
                        write!(f, "{letter}")?;
                    }
                }
            }
            write!(f, ":{moves}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_endings_are_found_whoever_has_which_side() {
        let endings = Endings::read("KRB-KR:75 KNN-KP:100").unwrap();
        assert_eq!(endings.to_string(), "KRB-KR:75 KNN-KP:100");
        let count = |fen| endings.count(&Board::from_fen(fen).unwrap());
        assert_eq!(count("8/8/4k3/8/3r4/8/4K3/4RB2 w - - 0 1"), Some(75));
        assert_eq!(count("4rb2/8/4k3/8/3R4/8/3K4/8 w - - 0 1"), Some(75));
        assert_eq!(count("8/5p2/4k3/8/8/8/4K3/4NN2 w - - 0 1"), Some(100));
        assert_eq!(count("8/8/4k3/8/8/8/4K3/4NN2 w - - 0 1"), None);
        assert_eq!(Endings::read(""), Some(Endings::default()));
        for wrong in [
            "KRB-KR",
            "KRB:75",
            "RB-KR:75",
            "KXB-KR:75",
            "KRB-KR:0",
            "KRB-KR:501",
            "KK-K:9",
            "KRB-KR:75 KRB-KR:60",
            "KRB-KR:75 KR-KRB:75",
        ] {
            assert_eq!(Endings::read(wrong), None, "{wrong}");
        }
    }
}
