//! The generator, compiled once for each colour and class of moves.

use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, rook_attacks,
};
use crate::movegen::MoveSink;
use crate::{Bitboard, Board, Color, Move, MoveKind, Piece, Square};

/// Class: every legal move.
pub(super) const ALL: u8 = 0;
/// Class: captures and promotions.
pub(super) const CAPTURES: u8 = 1;
/// Class: the rest.
pub(super) const QUIETS: u8 = 2;

#[inline(always)]
pub(super) fn generate<const WHITE: bool, const CLASS: u8, S: MoveSink>(board: &Board, sink: &mut S) {
    let us = if WHITE { Color::White } else { Color::Black };
    let ours = board.colors(us);
    let theirs = board.colors(!us);
    let occupied = ours | theirs;
    let king = board.king(us);
    // Where a piece of this class may go, were there no check.
    let class_mask = match CLASS {
        CAPTURES => theirs,
        QUIETS => !occupied,
        _ => !ours,
    };

    king_moves(board, us, king, class_mask, sink);
    let checkers = board.checkers();
    if checkers.more_than_one() {
        return;
    }
    // In check, a move of another piece takes the checker or steps between.
    let check_mask = match checkers.first() {
        None => Bitboard::ALL,
        Some(checker) => between(king, checker) | checkers,
    };
    let targets = class_mask & check_mask;
    let pinned = board.pinned();

    for from in ours & board.pieces(Piece::Knight) & !pinned {
        sink.piece(from, knight_attacks(from) & targets);
    }
    let diagonal = board.diagonal_sliders(us);
    for from in diagonal & !pinned {
        sink.piece(from, bishop_attacks(from, occupied) & targets);
    }
    let straight = board.straight_sliders(us);
    for from in straight & !pinned {
        sink.piece(from, rook_attacks(from, occupied) & targets);
    }
    if (pinned & (diagonal | straight)).any() {
        for from in diagonal & pinned {
            sink.piece(from, bishop_attacks(from, occupied) & targets & line(king, from));
        }
        for from in straight & pinned {
            sink.piece(from, rook_attacks(from, occupied) & targets & line(king, from));
        }
    }

    let pawns = ours & board.pieces(Piece::Pawn);
    pawn_moves::<WHITE, CLASS, S>(pawns & !pinned, occupied, theirs, check_mask, sink);
    for pawn in pawns & pinned {
        let allowed = check_mask & line(king, pawn);
        pawn_moves::<WHITE, CLASS, S>(pawn.bitboard(), occupied, theirs, allowed, sink);
    }
    if CLASS != QUIETS
        && let Some(target) = board.en_passant()
    {
        for pawn in pawn_attacks(!us, target) & pawns {
            if board.en_passant_keeps_king_safe(pawn, target) {
                sink.special(Move::new(pawn, target, MoveKind::EnPassant));
            }
        }
    }
    if CLASS != CAPTURES && checkers.is_empty() {
        for rook in board.castling_rooks() & ours {
            if may_castle(board, us, king, rook, occupied) {
                sink.special(Move::new(king, rook, MoveKind::Castle));
            }
        }
    }
}

#[inline(always)]
fn king_moves<S: MoveSink>(board: &Board, us: Color, king: Square, class_mask: Bitboard, sink: &mut S) {
    let candidates = king_attacks(king) & class_mask;
    if candidates.is_empty() {
        return;
    }
    let theirs = board.colors(!us);
    let pawns = theirs & board.pieces(Piece::Pawn);
    let mut attacked = pawn_set_attacks(!us, pawns) | king_attacks(board.king(!us));
    for knight in theirs & board.pieces(Piece::Knight) {
        attacked |= knight_attacks(knight);
    }
    let mut safe = candidates & !attacked;
    // The king does not hide squares behind itself from a slider that it runs away from.
    let occupied = board.occupied() ^ king.bitboard();
    let diagonal = board.diagonal_sliders(!us);
    let straight = board.straight_sliders(!us);
    if (diagonal | straight).any() {
        for to in safe {
            let seen = bishop_attacks(to, occupied) & diagonal | rook_attacks(to, occupied) & straight;
            if seen.any() {
                safe ^= to.bitboard();
            }
        }
    }
    sink.piece(king, safe);
}

/// Squares that some pawns of a colour attack.
#[inline(always)]
fn pawn_set_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let (west, east) = (pawns & !Bitboard::FILE_A, pawns & !Bitboard::FILE_H);
    match color {
        Color::White => west << 7 | east << 9,
        Color::Black => west >> 9 | east >> 7,
    }
}

/// Moves of pawns that may all go to the same `allowed` squares, en passant left out.
#[inline(always)]
fn pawn_moves<const WHITE: bool, const CLASS: u8, S: MoveSink>(
    pawns: Bitboard,
    occupied: Bitboard,
    theirs: Bitboard,
    allowed: Bitboard,
    sink: &mut S,
) {
    let up: i8 = if WHITE { 8 } else { -8 };
    let forward = |set: Bitboard| if WHITE { set << 8 } else { set >> 8 };
    // Towards the a-file and towards the h-file.
    let west = |set: Bitboard| {
        let set = set & !Bitboard::FILE_A;
        if WHITE { set << 7 } else { set >> 9 }
    };
    let east = |set: Bitboard| {
        let set = set & !Bitboard::FILE_H;
        if WHITE { set << 9 } else { set >> 7 }
    };
    let last_rank = Bitboard::BACK_RANKS;

    let steps = forward(pawns) & !occupied;
    let single = steps & allowed;
    if CLASS != CAPTURES {
        let third_rank = Bitboard::rank(if WHITE { 2 } else { 5 });
        sink.pawns(single & !last_rank, up);
        sink.pawns(forward(steps & third_rank) & !occupied & allowed, 2 * up);
    }
    if CLASS != QUIETS {
        let taken = theirs & allowed;
        let (left, right) = (west(pawns) & taken, east(pawns) & taken);
        sink.pawns(left & !last_rank, up - 1);
        sink.pawns(right & !last_rank, up + 1);
        if ((single | left | right) & last_rank).any() {
            sink.promotions(single & last_rank, up);
            sink.promotions(left & last_rank, up - 1);
            sink.promotions(right & last_rank, up + 1);
        }
    }
}

/// Whether a king that is not in check may castle with this rook (FIDE 3.8.2, Guidelines II.3.2).
pub(super) fn may_castle(board: &Board, us: Color, king: Square, rook: Square, occupied: Bitboard) -> bool {
    let mv = Move::new(king, rook, MoveKind::Castle);
    let king_to = mv.landing();
    let rook_to = rook_landing(king, rook);
    let movers = king.bitboard() | rook.bitboard();
    let king_path = between(king, king_to) | king_to.bitboard();
    let rook_path = between(rook, rook_to) | rook_to.bitboard();
    if ((king_path | rook_path) & occupied & !movers).any() {
        return false;
    }
    let without_king = occupied ^ king.bitboard();
    if (king_path & !king.bitboard())
        .into_iter()
        .any(|square| board.attacked_by(!us, square, without_king))
    {
        return false;
    }
    // In Chess960 the rook may have shielded the square on which the king ends.
    let after = occupied & !movers | king_to.bitboard() | rook_to.bitboard();
    !board.attacked_by(!us, king_to, after)
}

/// Where the rook ends after castling: the f-file or the d-file of its rank.
#[inline(always)]
pub(crate) const fn rook_landing(king: Square, rook: Square) -> Square {
    Square::at(if rook.file() > king.file() { 5 } else { 3 }, king.rank())
}
