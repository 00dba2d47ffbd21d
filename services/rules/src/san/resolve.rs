//! The legal move that a description means, found without generating the others.

use super::error::SanErrorKind;
use super::token::{Described, SanToken};
use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks, rook_attacks,
};
use crate::{Bitboard, Board, Color, Move, MoveKind, Piece, Square};

/// Finds the move.
pub(crate) fn resolve(board: &Board, token: SanToken) -> Result<Move, SanErrorKind> {
    match token {
        SanToken::Castle { king_side } => castling(board, king_side).ok_or(SanErrorKind::Illegal),
        SanToken::Move(mut described) => {
            if let (None, Some(file), Some(rank)) = (described.piece, described.file, described.rank) {
                // Two squares name a move without its letter.
                described.piece = board.piece_on(Square::at(file, rank));
            }
            let mv = match described.piece.unwrap_or(Piece::Pawn) {
                Piece::Pawn => pawn(board, &described)?,
                piece => officer(board, piece, &described)?,
            };
            if described.en_passant && !mv.is_en_passant() {
                return Err(SanErrorKind::Illegal);
            }
            Ok(mv)
        }
    }
}

/// Castling on a side of the king, if it is legal.
pub(crate) fn castling(board: &Board, king_side: bool) -> Option<Move> {
    let us = board.side_to_move();
    board.castling_move(board.castling_rook(us, king_side)?)
}

/// Squares from which a king, queen, rook, bishop or knight reaches `to`.
pub(crate) fn reach(piece: Piece, to: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => Bitboard::EMPTY,
        Piece::Knight => knight_attacks(to),
        Piece::Bishop => bishop_attacks(to, occupied),
        Piece::Rook => rook_attacks(to, occupied),
        Piece::Queen => queen_attacks(to, occupied),
        Piece::King => king_attacks(to),
    }
}

/// Whether a piece that can reach `to` leaves its own king safe. Not for en passant and castling.
pub(crate) fn keeps_king_safe(board: &Board, from: Square, to: Square) -> bool {
    let us = board.side_to_move();
    let king = board.king(us);
    if from == king {
        return !board.attacked_by(!us, to, board.occupied() & !from.bitboard());
    }
    if board.pinned().has(from) && !line(king, from).has(to) {
        return false;
    }
    match board.checkers().first() {
        None => true,
        Some(_) if board.checkers().more_than_one() => false,
        Some(checker) => (between(king, checker) | checker.bitboard()).has(to),
    }
}

fn officer(board: &Board, piece: Piece, described: &Described) -> Result<Move, SanErrorKind> {
    let us = board.side_to_move();
    let to = described.to;
    if described.promotion.is_some() {
        return Err(SanErrorKind::Illegal);
    }
    let mut found = None;
    if !board.colors(us).has(to) {
        let mut origins = reach(piece, to, board.occupied()) & board.of(us, piece);
        origins &= described.file.map_or(Bitboard::ALL, Bitboard::file);
        origins &= described.rank.map_or(Bitboard::ALL, Bitboard::rank);
        for from in origins {
            if keeps_king_safe(board, from, to) {
                if found.is_some() {
                    return Err(SanErrorKind::Ambiguous);
                }
                found = Some(Move::normal(from, to));
            }
        }
    }
    match found {
        Some(mv) => Ok(mv),
        None if piece == Piece::King => castling_as_king_move(board, described).ok_or(SanErrorKind::Illegal),
        None => Err(SanErrorKind::Illegal),
    }
}

/// Castling written as the king's move to its target, two or more squares away, or onto the rook's square.
fn castling_as_king_move(board: &Board, described: &Described) -> Option<Move> {
    let us = board.side_to_move();
    let king = board.king(us);
    let to = described.to;
    let from_fits = described.file.is_none_or(|file| file == king.file())
        && described.rank.is_none_or(|rank| rank == king.rank());
    if !from_fits || to.rank() != king.rank() {
        return None;
    }
    let both = described.file.is_some() && described.rank.is_some();
    let mv = castling(board, to.file() > king.file())?;
    let fits = mv.landing() == to && to.file().abs_diff(king.file()) > 1 || both && mv.to() == to;
    fits.then_some(mv)
}

fn pawn(board: &Board, described: &Described) -> Result<Move, SanErrorKind> {
    let us = board.side_to_move();
    let from = pawn_origin(board, described).ok_or(SanErrorKind::Illegal)?;
    let to = described.to;
    if !board.of(us, Piece::Pawn).has(from) || described.rank.is_some_and(|rank| rank != from.rank()) {
        return Err(SanErrorKind::Illegal);
    }
    if from.file() != to.file() && board.en_passant() == Some(to) {
        return match described.promotion {
            None if board.en_passant_keeps_king_safe(from, to) => {
                Ok(Move::new(from, to, MoveKind::EnPassant))
            }
            _ => Err(SanErrorKind::Illegal),
        };
    }
    let reaches = if from.file() == to.file() {
        !board.occupied().has(to)
    } else {
        board.colors(!us).has(to)
    };
    if !reaches || !keeps_king_safe(board, from, to) {
        return Err(SanErrorKind::Illegal);
    }
    let last = to.relative_rank(us) == 7;
    match described.promotion {
        None if last => Err(SanErrorKind::MissingPromotion),
        None => Ok(Move::normal(from, to)),
        Some(Piece::Pawn | Piece::King) => Err(SanErrorKind::Illegal),
        Some(piece) if last => Ok(Move::new(from, to, MoveKind::Promotion(piece))),
        Some(_) => Err(SanErrorKind::Illegal),
    }
}

/// Where the pawn must stand that moves to the target from the file described, or along the target's own.
fn pawn_origin(board: &Board, described: &Described) -> Option<Square> {
    let us = board.side_to_move();
    let to = described.to;
    let file = described.file.unwrap_or(to.file());
    if file != to.file() {
        let beside = pawn_attacks(!us, to) & Bitboard::file(file);
        return beside.first();
    }
    let back = |steps: u8| {
        let rank = match us {
            Color::White => to.rank().checked_sub(steps)?,
            Color::Black => Some(to.rank() + steps).filter(|&rank| rank < 8)?,
        };
        Some(Square::at(file, rank))
    };
    let one = back(1)?;
    if to.relative_rank(us) == 3 && !board.occupied().has(one) {
        back(2)
    } else {
        Some(one)
    }
}
