//! Whether a game begins as its laws say.

use tabiya_rules::{Board, Color, Piece, Square, Variant};

use super::{MissingFact, Replay};
use crate::ruleset::Rule;

const STANDARD: [Piece; 8] = [
    Piece::Rook,
    Piece::Knight,
    Piece::Bishop,
    Piece::Queen,
    Piece::King,
    Piece::Bishop,
    Piece::Knight,
    Piece::Rook,
];

impl Replay<'_> {
    /// Asks about a start that is none of those that the laws name.
    pub(super) fn start_in_doubt(&self) -> Option<MissingFact> {
        let rule = match self.variant {
            Variant::Standard => Rule::InitialPosition,
            Variant::Chess960 => Rule::Chess960Start,
        };
        let wrong = self.ruleset.has(rule) && is_wrong_start(self.game.start(), self.variant);
        wrong.then(|| MissingFact {
            event: None,
            fact: "start_position",
            articles: self.ruleset.articles_of(rule).to_vec(),
        })
    }
}

/// The pieces of a side's first rank from the a-file on, if all its men stand where a game begins.
fn first_rank(board: &Board, side: Color) -> Option<[Piece; 8]> {
    let (first, second) = match side {
        Color::White => (0, 1),
        Color::Black => (7, 6),
    };
    let men = board.colors(side);
    let mut rank = [Piece::Pawn; 8];
    for file in 0..8 {
        let (at_home, before) = (Square::at(file, first), Square::at(file, second));
        if !men.has(at_home) || !board.of(side, Piece::Pawn).has(before) {
            return None;
        }
        rank[usize::from(file)] = board.piece_on(at_home)?;
    }
    Some(rank)
}

/// Whether a game begins with this position, for all that its pawns and move number say, and its pieces stand wrong.
fn is_wrong_start(board: &Board, variant: Variant) -> bool {
    if board.fullmove_number() > 1 || board.side_to_move() == Color::Black {
        return false;
    }
    let [Some(white), Some(black)] = Color::ALL.map(|side| first_rank(board, side)) else {
        return false;
    };
    match variant {
        Variant::Standard => white != STANDARD || black != STANDARD,
        Variant::Chess960 => white != black || !is_chess960(&white),
    }
}

/// Whether these are the usual pieces with the king between the rooks and the bishops on squares of both colours.
fn is_chess960(rank: &[Piece; 8]) -> bool {
    let files = |piece: Piece| -> Vec<usize> { (0..8).filter(|&file| rank[file] == piece).collect() };
    let queens = files(Piece::Queen).len();
    let knights = files(Piece::Knight).len();
    match (
        &files(Piece::King)[..],
        &files(Piece::Rook)[..],
        &files(Piece::Bishop)[..],
    ) {
        (&[king], &[left, right], &[one, other]) => {
            let between = left < king && king < right;
            between && one % 2 != other % 2 && queens == 1 && knights == 2
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every order of the eight pieces, each once.
    fn orders(left: &mut Vec<char>, order: &mut String, all: &mut Vec<String>) {
        if left.is_empty() {
            all.push(order.clone());
        }
        let mut tried = Vec::new();
        for place in 0..left.len() {
            let piece = left[place];
            if tried.contains(&piece) {
                continue;
            }
            tried.push(piece);
            left.remove(place);
            order.push(piece);
            orders(left, order, all);
            order.pop();
            left.insert(place, piece);
        }
    }

    #[test]
    fn there_are_960_ways_to_begin() {
        let mut all = Vec::new();
        orders(&mut "bbknnqrr".chars().collect(), &mut String::new(), &mut all);
        assert_eq!(all.len(), 5040);
        let begins = |black: &str, white: &str, variant| {
            let white = white.to_uppercase();
            let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w - - 0 1");
            !is_wrong_start(&Board::from_fen(&fen).unwrap(), variant)
        };
        let right = |variant| all.iter().filter(|order| begins(order, order, variant)).count();
        assert_eq!(right(Variant::Chess960), 960);
        assert_eq!(right(Variant::Standard), 1);
        // Black's pieces stand opposite White's.
        assert!(!begins("rnbqkbnr", "rnbkqbnr", Variant::Chess960));
        // Other men, and other times of the game.
        for (fen, wrong) in [
            ("qnbrkrbn/pppppppp/8/8/8/8/PPPPPPPP/QNBRKRBN w - - 0 1", true),
            ("qqbrkrnb/pppppppp/8/8/8/8/PPPPPPPP/QQBRKRNB w - - 0 1", true),
            ("qnbrkrbn/pppppppp/8/8/8/8/PPPPPPPP/QNBRKRBN w - - 0 2", false),
            ("qnbrkrbn/pppppppp/8/8/8/8/PPPPPPPP/QNBRKRBN b - - 0 1", false),
            ("qnbrkrbn/pppppppp/8/8/8/P7/1PPPPPPP/QNBRKRBN w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", false),
        ] {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(is_wrong_start(&board, Variant::Chess960), wrong, "{fen}");
        }
    }
}
