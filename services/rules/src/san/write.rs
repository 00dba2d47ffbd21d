//! Writing a move in the export form.

use arrayvec::ArrayString;

use super::resolve::{keeps_king_safe, reach};
use crate::{Bitboard, Board, Move, Piece, Square};

/// A move's text, at most eight bytes; it derefs to `str`.
pub type SanText = ArrayString<8>;

/// The text of a legal move, with the mark of check or mate.
///
/// ```
/// use tabiya_rules::{Board, san};
///
/// let board = Board::from_fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1").unwrap();
/// let mv = san::parse(&board, "Nb1-d2", san::SanMode::Lenient).unwrap();
/// assert_eq!(&*san::write(&board, mv), "Nbd2");
/// ```
pub fn write(board: &Board, mv: Move) -> SanText {
    write_to(board, mv, &board.after(mv))
}

/// As [`write()`], where the board after the move is at hand.
pub fn write_to(board: &Board, mv: Move, after: &Board) -> SanText {
    let mut text = write_unmarked(board, mv);
    if after.in_check() {
        push(&mut text, if after.has_legal_move() { '+' } else { '#' });
    }
    text
}

/// The text without the mark of check or mate.
pub(super) fn write_unmarked(board: &Board, mv: Move) -> SanText {
    let mut text = SanText::new();
    let (from, to) = (mv.from(), mv.to());
    if mv.is_castle() {
        let short = to.file() > from.file();
        let _ = text.try_push_str(if short { "O-O" } else { "O-O-O" });
        return text;
    }
    let piece = board.piece_on(from).unwrap_or(Piece::Pawn);
    let capture = board.occupied().has(to) || mv.is_en_passant();
    if piece == Piece::Pawn {
        if capture {
            push(&mut text, file(from));
        }
    } else {
        push(&mut text, piece.letter().to_ascii_uppercase());
        let (name_file, name_rank) = disambiguation(board, piece, from, to);
        if name_file {
            push(&mut text, file(from));
        }
        if name_rank {
            push(&mut text, rank(from));
        }
    }
    if capture {
        push(&mut text, 'x');
    }
    push(&mut text, file(to));
    push(&mut text, rank(to));
    if let Some(promoted) = mv.promotion() {
        push(&mut text, '=');
        push(&mut text, promoted.letter().to_ascii_uppercase());
    }
    text
}

/// Whether the file and the rank of the origin are needed to tell the move from those of the other pieces of its
/// kind: the file if that is enough, else the rank, else both.
pub(crate) fn disambiguation(board: &Board, piece: Piece, from: Square, to: Square) -> (bool, bool) {
    let same = board.of(board.side_to_move(), piece) & !from.bitboard();
    let others: Bitboard = (reach(piece, to, board.occupied()) & same)
        .into_iter()
        .filter(|&other| keeps_king_safe(board, other, to))
        .collect();
    if others.is_empty() {
        return (false, false);
    }
    let on_file = (others & Bitboard::file(from.file())).any();
    let on_rank = (others & Bitboard::rank(from.rank())).any();
    (!on_file || on_rank, on_file)
}

pub(crate) fn file(square: Square) -> char {
    char::from(b'a' + square.file())
}

pub(crate) fn rank(square: Square) -> char {
    char::from(b'1' + square.rank())
}

/// Eight bytes are room for every text (the longest, `Qh4xe1#` and `exd8=Q#`, have seven).
fn push(text: &mut SanText, letter: char) {
    let _ = text.try_push(letter);
}
