//! Boards as text.

use super::castling::is_outermost;
use crate::{Board, Color, Piece, Square};

/// X-FEN, which is plain FEN for every position of standard chess: K, Q, k and q stand for the outermost rook,
/// another rook is named by its file. The en-passant square is given where a capture there is legal.
pub fn xfen(board: &Board) -> String {
    write(board, false)
}

/// Shredder-FEN: castling rights are the files of the rooks, `HAha` from the standard start.
pub fn shredder(board: &Board) -> String {
    write(board, true)
}

fn write(board: &Board, files: bool) -> String {
    let mut text = String::with_capacity(90);
    epd_fields(board, files, &mut text);
    text.push_str(&format!(
        " {} {}",
        board.halfmove_clock(),
        board.fullmove_number()
    ));
    text
}

/// The first four fields.
pub(crate) fn epd_fields(board: &Board, files: bool, text: &mut String) {
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let square = Square::at(file, rank);
            let Some(piece) = board.piece_on(square) else {
                empty += 1;
                continue;
            };
            push_empty(&mut empty, text);
            let letter = piece.letter();
            let white = board.color_on(square) == Some(Color::White);
            text.push(if white {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
        }
        push_empty(&mut empty, text);
        if rank > 0 {
            text.push('/');
        }
    }
    text.push_str(match board.side_to_move() {
        Color::White => " w ",
        Color::Black => " b ",
    });
    push_castling(board, files, text);
    match board.en_passant() {
        Some(square) => text.push_str(&format!(" {square}")),
        None => text.push_str(" -"),
    }
}

fn push_empty(empty: &mut u8, text: &mut String) {
    if *empty > 0 {
        text.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn push_castling(board: &Board, files: bool, text: &mut String) {
    if board.castling_rooks().is_empty() {
        text.push('-');
        return;
    }
    for color in Color::ALL {
        for king_side in [true, false] {
            let Some(rook) = board.castling_rook(color, king_side) else {
                continue;
            };
            let letter = if files || !is_outermost(board.of(color, Piece::Rook), board.king(color), rook) {
                char::from(b'a' + rook.file())
            } else if king_side {
                'k'
            } else {
                'q'
            };
            text.push(if color == Color::White {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
        }
    }
}
