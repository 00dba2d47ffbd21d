//! Writing a move in Chinese.

use super::words::name;
use crate::attacks::pawn_attacks;
use crate::san::resolve::keeps_king_safe;
use crate::san::{disambiguation, file, rank};
use crate::{Board, Move, Piece, Square};

/// The text of a legal move, with 将军 or 将死 where it gives check or mate.
pub fn write(board: &Board, mv: Move) -> String {
    write_to(board, mv, &board.after(mv))
}

/// As [`write()`], where the board after the move is at hand.
pub fn write_to(board: &Board, mv: Move, after: &Board) -> String {
    let mut text = String::with_capacity(32);
    let (from, to) = (mv.from(), mv.to());
    if mv.is_castle() {
        text.push_str(if to.file() > from.file() {
            "短易位"
        } else {
            "长易位"
        });
    } else {
        let piece = board.piece_on(from).unwrap_or(Piece::Pawn);
        let capture = board.occupied().has(to) || mv.is_en_passant();
        let (name_file, name_rank) = match piece {
            Piece::Pawn => (capture && has_rival(board, from, to), false),
            _ => disambiguation(board, piece, from, to),
        };
        text.push(name(piece));
        if name_file {
            text.push(file(from));
        }
        if name_rank {
            text.push(rank(from));
        }
        if capture {
            text.push('吃');
        }
        text.push(file(to));
        text.push(rank(to));
        if let Some(promoted) = mv.promotion() {
            text.push_str("升变");
            text.push(name(promoted));
        }
        if mv.is_en_passant() {
            text.push_str("吃过路兵");
        }
    }
    if after.in_check() {
        text.push_str(if after.has_legal_move() {
            "将军"
        } else {
            "将死"
        });
    }
    text
}

/// Whether another pawn may legally capture on the same square.
fn has_rival(board: &Board, from: Square, to: Square) -> bool {
    let us = board.side_to_move();
    let pawns = pawn_attacks(!us, to) & board.of(us, Piece::Pawn) & !from.bitboard();
    pawns.into_iter().any(|pawn| {
        if board.en_passant() == Some(to) {
            board.en_passant_keeps_king_safe(pawn, to)
        } else {
            keeps_king_safe(board, pawn, to)
        }
    })
}
