//! How many moves a piece needs to get somewhere, by estimate.

use tabiya_rules::attacks::{bishop_attacks, queen_attacks, rook_attacks};
use tabiya_rules::{Bitboard, Piece, Square};

/// Moves to a goal, by square.
pub(super) type Steps = [u8; 64];

/// No way is known.
pub(super) const FAR: u8 = 20;

/// A knight's moves between two squares of an empty board.
pub(super) static KNIGHT: [Steps; 64] = knights();

const fn knights() -> [Steps; 64] {
    let mut all = [[FAR; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut ring = 1u64 << from;
        let mut seen = ring;
        let mut count = 0;
        while ring != 0 {
            let mut rest = ring;
            while rest != 0 {
                all[from][rest.trailing_zeros() as usize] = count;
                rest &= rest - 1;
            }
            ring = knight_spread(ring) & !seen;
            seen |= ring;
            count += 1;
        }
        from += 1;
    }
    all
}

const fn knight_spread(set: u64) -> u64 {
    let (a, h) = (Bitboard::FILE_A.0, Bitboard::FILE_H.0);
    let (ab, gh) = (a | a << 1, h | h >> 1);
    let one = (set & !h) << 1 | (set & !a) >> 1;
    let two = (set & !gh) << 2 | (set & !ab) >> 2;
    one << 16 | one >> 16 | two << 8 | two >> 8
}

fn king_spread(set: Bitboard) -> Bitboard {
    let row = set | (set & !Bitboard::FILE_H) << 1 | (set & !Bitboard::FILE_A) >> 1;
    row | row << 8 | row >> 8
}

fn rings(goal: Bitboard, mut spread: impl FnMut(Bitboard) -> Bitboard) -> Steps {
    let mut steps = [FAR; 64];
    let (mut ring, mut seen, mut count) = (goal, goal, 0);
    while ring.any() && count < FAR {
        for square in ring {
            steps[square.index()] = count;
        }
        ring = spread(ring) & !seen;
        seen |= ring;
        count += 1;
    }
    steps
}

/// A king's moves to a goal around closed squares.
pub(super) fn king(goal: Bitboard, closed: Bitboard) -> Steps {
    rings(goal, |ring| king_spread(ring) & !closed)
}

/// Another piece's moves to a goal, with nothing but `pawns` on the board.
pub(super) fn piece(kind: Piece, goal: Bitboard, pawns: Bitboard) -> Steps {
    match kind {
        Piece::Knight => rings(goal, |ring| Bitboard(knight_spread(ring.0))),
        _ => rings(goal, |ring| {
            ring.into_iter()
                .fold(Bitboard::EMPTY, |all, at| all | slides(kind, at, pawns))
        }),
    }
}

fn slides(kind: Piece, at: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        Piece::Bishop => bishop_attacks(at, occupied),
        Piece::Rook => rook_attacks(at, occupied),
        _ => queen_attacks(at, occupied),
    }
}

/// A piece's moves between two squares of an empty board.
pub(super) fn between(kind: Piece, from: Square, to: Square) -> u8 {
    if from == to {
        return 0;
    }
    let aligned = from.file() == to.file() || from.rank() == to.rank();
    let diagonal = from.file().abs_diff(to.file()) == from.rank().abs_diff(to.rank());
    let one_color = (from.file() ^ from.rank() ^ to.file() ^ to.rank()) & 1 == 0;
    match kind {
        Piece::Knight => KNIGHT[from.index()][to.index()],
        Piece::Bishop if !one_color => FAR,
        Piece::Bishop => 2 - u8::from(diagonal),
        Piece::Rook => 2 - u8::from(aligned),
        _ => 2 - u8::from(aligned || diagonal),
    }
}
