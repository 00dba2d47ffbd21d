//! Zobrist keys (A. L. Zobrist, 1970): a position's key is the exclusive or of its features' keys.

use crate::{Color, Piece, Square};

struct Keys {
    pieces: [[[u64; 64]; 6]; 2],
    /// By the square of the rook that may still castle.
    castling: [u64; 64],
    /// By the file of a legal en-passant capture's target.
    en_passant: [u64; 8],
    black_to_move: u64,
}

/// SplitMix64 (S. Vigna): the next state and its output.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

const fn make() -> Keys {
    let mut keys = Keys {
        pieces: [[[0; 64]; 6]; 2],
        castling: [0; 64],
        en_passant: [0; 8],
        black_to_move: 0,
    };
    let mut state = 0x7ab1_7a00_c0ff_ee01;
    let mut square = 0;
    while square < 64 {
        let mut piece = 0;
        while piece < 6 {
            (state, keys.pieces[0][piece][square]) = split_mix(state);
            (state, keys.pieces[1][piece][square]) = split_mix(state);
            piece += 1;
        }
        (state, keys.castling[square]) = split_mix(state);
        square += 1;
    }
    let mut file = 0;
    while file < 8 {
        (state, keys.en_passant[file]) = split_mix(state);
        file += 1;
    }
    (_, keys.black_to_move) = split_mix(state);
    keys
}

static KEYS: Keys = make();

#[inline(always)]
pub(crate) fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    KEYS.pieces[color.index()][piece.index()][square.index()]
}

#[inline(always)]
pub(crate) fn castling(rook: Square) -> u64 {
    KEYS.castling[rook.index()]
}

#[inline(always)]
pub(crate) fn en_passant(target: Square) -> u64 {
    KEYS.en_passant[target.file() as usize]
}

#[inline(always)]
pub(crate) fn black_to_move() -> u64 {
    KEYS.black_to_move
}
