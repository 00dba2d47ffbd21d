//! Where pieces attack: tables for the steppers, magic lookups for the sliders.

mod rays;
#[cfg(test)]
mod tests;

use rays::{BISHOP_STEPS, ROOK_STEPS, walk};

use crate::{Bitboard, Color, Square};

/// How to find one square's slice of the shared attack table.
struct Lookup {
    /// Squares whose occupancy matters.
    mask: u64,
    magic: u64,
    /// Where the square's entries begin.
    offset: u32,
    /// 64 less the number of relevant squares.
    shift: u32,
}

include!(concat!(env!("OUT_DIR"), "/slider_tables.rs"));

#[inline(always)]
fn index(lookup: &Lookup, occupied: Bitboard) -> usize {
    ((occupied.0 & lookup.mask).wrapping_mul(lookup.magic) >> lookup.shift) as usize + lookup.offset as usize
}

/// Squares a rook on `square` attacks; the first piece on each ray is included.
#[inline(always)]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDER_ATTACKS[index(&ROOK_LOOKUP[square.index()], occupied)])
}

/// Squares a bishop on `square` attacks; the first piece on each ray is included.
#[inline(always)]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDER_ATTACKS[index(&BISHOP_LOOKUP[square.index()], occupied)])
}

/// Squares a queen on `square` attacks.
#[inline(always)]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    rook_attacks(square, occupied) | bishop_attacks(square, occupied)
}

/// Squares a knight on `square` attacks.
#[inline(always)]
pub fn knight_attacks(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

/// Squares a king on `square` attacks.
#[inline(always)]
pub fn king_attacks(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// Squares a pawn of `color` on `square` attacks.
#[inline(always)]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][square.index()])
}

/// Squares a rook would attack on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(ROOK_RAYS[square.index()])
}

/// Squares a bishop would attack on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(BISHOP_RAYS[square.index()])
}

/// Squares strictly between two squares on one rank, file or diagonal; empty otherwise.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(BETWEEN[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two different squares; empty if they share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(LINE[a.index()][b.index()])
}

const fn step_table<const N: usize>(steps: [(i8, i8); N]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < N {
            let file = (square % 8) as i8 + steps[i].0;
            let rank = (square / 8) as i8 + steps[i].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square] |= 1u64 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn ray_table(steps: [(i8, i8); 4]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = walk(square as u8, 0, steps);
        square += 1;
    }
    table
}

const fn between_and_line() -> ([[u64; 64]; 64], [[u64; 64]; 64]) {
    let mut between = [[0; 64]; 64];
    let mut line = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut kind = 0;
        while kind < 2 {
            let steps = if kind == 0 { ROOK_STEPS } else { BISHOP_STEPS };
            let from_a = walk(a as u8, 0, steps);
            let mut b = 0;
            while b < 64 {
                if from_a & (1 << b) != 0 {
                    let ends = (1 << a) | (1 << b);
                    between[a][b] = walk(a as u8, ends, steps) & walk(b as u8, ends, steps);
                    line[a][b] = (from_a & walk(b as u8, 0, steps)) | ends;
                }
                b += 1;
            }
            kind += 1;
        }
        a += 1;
    }
    (between, line)
}

static KNIGHT: [u64; 64] = step_table([
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
]);
static KING: [u64; 64] = step_table([
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
]);
static PAWN: [[u64; 64]; 2] = [step_table([(-1, 1), (1, 1)]), step_table([(-1, -1), (1, -1)])];
static ROOK_RAYS: [u64; 64] = ray_table(ROOK_STEPS);
static BISHOP_RAYS: [u64; 64] = ray_table(BISHOP_STEPS);
static BETWEEN: [[u64; 64]; 64] = between_and_line().0;
static LINE: [[u64; 64]; 64] = between_and_line().1;
