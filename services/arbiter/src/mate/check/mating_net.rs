use tabiya_rules::attacks::king_attacks;
use tabiya_rules::{Bitboard, Board, Color, Piece, Square};

use super::CheckError;
use super::confined::{Ground, attacks};
use crate::mate::Reach;

/// Sets of pieces as bits, by their number in the reach; no board holds more than 64.
type Pieces = u64;

/// Whether no mate by `side` can be put together from pieces standing on squares of their reach.
///
/// Tried are the squares of both kings and of one checking piece. A flight square must then be covered by the mating
/// king or the checker, or by some other piece from any of its squares, or be occupied by a piece of the mated side,
/// a different one for each square. What really is mate meets all this.
pub(super) fn absent(board: &Board, side: Color, reach: &Reach, ground: &Ground) -> Result<(), CheckError> {
    let net = Net::new(board, side, reach, ground);
    let squares_of = |king: Square| {
        let piece = reach.pieces.iter().find(|piece| piece.from == king);
        piece.map_or(Bitboard::EMPTY, |piece| piece.squares)
    };
    let (hunters, hunted) = (squares_of(board.king(side)), squares_of(board.king(!side)));
    let possible = hunted.into_iter().any(|king| {
        net.covering[king.index()] != 0
            && (hunters & !king_attacks(king) & !king.bitboard())
                .into_iter()
                .any(|hunter| net.mates(king, hunter))
    });
    if possible {
        Err(CheckError::MatePossible)
    } else {
        Ok(())
    }
}

struct Net {
    /// By square: pieces of the mating side, not the king, that might cover it.
    covering: [Pieces; 64],
    /// By square: pieces of the mated side, not the king, that might stand on it.
    blocking: [Pieces; 64],
    /// Every square of every piece of the mating side but the king, with its attacks.
    stands: Vec<Stand>,
}

struct Stand {
    piece: usize,
    at: Square,
    attacks: Bitboard,
}

impl Net {
    fn new(board: &Board, side: Color, reach: &Reach, ground: &Ground) -> Self {
        let mut net = Self {
            covering: [0; 64],
            blocking: [0; 64],
            stands: Vec::new(),
        };
        // A slider sees through the mated king to the square behind it.
        let occupied = ground.fixed & !board.king(!side).bitboard();
        for (number, piece) in reach.pieces.iter().enumerate() {
            if board.piece_on(piece.from) == Some(Piece::King) {
                continue;
            }
            for at in piece.squares {
                if board.color_on(piece.from) != Some(side) {
                    net.blocking[at.index()] |= 1 << number;
                    continue;
                }
                let attacks = attacks(board, piece.from, piece.promotes, at, occupied);
                for covered in attacks {
                    net.covering[covered.index()] |= 1 << number;
                }
                net.stands.push(Stand {
                    piece: number,
                    at,
                    attacks,
                });
            }
        }
        net
    }

    /// Whether a mate might stand with the kings on these squares.
    fn mates(&self, king: Square, hunter: Square) -> bool {
        let flights = king_attacks(king) & !king_attacks(hunter);
        let hopeless =
            |flight: Square| self.covering[flight.index()] == 0 && self.blocking[flight.index()] == 0;
        if flights.into_iter().any(hopeless) {
            return false;
        }
        self.stands.iter().any(|checker| {
            checker.attacks.has(king)
                && checker.at != hunter
                && checker.at != king
                && self.sealed(flights & !checker.attacks, checker)
        })
    }

    /// Whether the flights that the checker leaves can be covered or occupied.
    fn sealed(&self, flights: Bitboard, checker: &Stand) -> bool {
        let others = !(1 << checker.piece);
        let mut blockers = Vec::with_capacity(8);
        for flight in flights {
            if self.covering[flight.index()] & others != 0 {
                continue;
            }
            if flight == checker.at || self.blocking[flight.index()] == 0 {
                return false;
            }
            blockers.push(self.blocking[flight.index()]);
        }
        distinct(&blockers, 0)
    }
}

/// Whether each set can give a piece that no other gives.
fn distinct(sets: &[Pieces], taken: Pieces) -> bool {
    let Some((&first, rest)) = sets.split_first() else {
        return true;
    };
    let mut free = first & !taken;
    while free != 0 {
        let piece = free & free.wrapping_neg();
        if distinct(rest, taken | piece) {
            return true;
        }
        free ^= piece;
    }
    false
}
