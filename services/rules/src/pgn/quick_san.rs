//! The common case of move text, fast.

use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, queen_attacks, rook_attacks,
};
use crate::san::resolve::castling;
use crate::{Bitboard, Board, Color, Move, MoveKind, Piece, Square};

/// Resolves a word in the export format's spelling (check marks are not looked at) if it means exactly one legal
/// move; only moves of the named piece to the named square are considered. None says nothing: the `san` module
/// then reads the word with all its leniency, and knows the reason if it is no move.
#[inline]
pub(super) fn quick_san(board: &Board, text: &[u8]) -> Option<Move> {
    let mut text = text;
    while let [head @ .., b'+' | b'#'] = text {
        text = head;
    }
    match *text {
        [
            letter @ (b'N' | b'B' | b'R' | b'Q' | b'K'),
            ref head @ ..,
            file,
            rank,
        ] => piece_move(board, letter, head, square(file, rank)?),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => pawn_push(board, square(file, rank)?, None),
        [from @ b'a'..=b'h', b'x', file, rank] => pawn_capture(board, from - b'a', square(file, rank)?, None),
        [file @ b'a'..=b'h', rank, b'=', letter] => {
            pawn_push(board, square(file, rank)?, Some(promoted(letter)?))
        }
        [from @ b'a'..=b'h', b'x', file, rank, b'=', letter] => {
            pawn_capture(board, from - b'a', square(file, rank)?, Some(promoted(letter)?))
        }
        [b'O', b'-', b'O'] => castling(board, true),
        [b'O', b'-', b'O', b'-', b'O'] => castling(board, false),
        _ => None,
    }
}

#[inline(always)]
fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    (file < 8 && rank < 8).then(|| Square::at(file, rank))
}

fn promoted(letter: u8) -> Option<Piece> {
    match letter {
        b'Q' => Some(Piece::Queen),
        b'R' => Some(Piece::Rook),
        b'B' => Some(Piece::Bishop),
        b'N' => Some(Piece::Knight),
        _ => None,
    }
}

#[inline(always)]
fn piece_move(board: &Board, letter: u8, head: &[u8], to: Square) -> Option<Move> {
    let us = board.side_to_move();
    let (head, captures) = match head {
        [head @ .., b'x'] => (head, true),
        _ => (head, false),
    };
    let origins = match *head {
        [] => Bitboard::ALL,
        [file @ b'a'..=b'h'] => Bitboard::file(file - b'a'),
        [rank @ b'1'..=b'8'] => Bitboard::rank(rank - b'1'),
        [file, rank] => square(file, rank)?.bitboard(),
        _ => return None,
    };
    if captures != board.colors(!us).has(to) || board.colors(us).has(to) {
        return None;
    }
    let occupied = board.occupied();
    let (piece, reach) = match letter {
        b'N' => (Piece::Knight, knight_attacks(to)),
        b'B' => (Piece::Bishop, bishop_attacks(to, occupied)),
        b'R' => (Piece::Rook, rook_attacks(to, occupied)),
        b'Q' => (Piece::Queen, queen_attacks(to, occupied)),
        _ => {
            let king = board.king(us);
            let legal = (king_attacks(to) & origins).has(king)
                && !board.attacked_by(!us, to, occupied ^ king.bitboard());
            return legal.then(|| Move::normal(king, to));
        }
    };
    let from = only(may_go(board, reach & board.of(us, piece) & origins, to))?;
    Some(Move::normal(from, to))
}

/// Those of some pieces (not kings) that can reach `to`, which may go there without leaving their king in check.
#[inline(always)]
fn may_go(board: &Board, pieces: Bitboard, to: Square) -> Bitboard {
    let king = board.king(board.side_to_move());
    let mut legal = pieces;
    if (board.pinned() & pieces).any() {
        legal = pieces & (!board.pinned() | line(king, to));
    }
    let checkers = board.checkers();
    if let Some(checker) = checkers.first()
        && (checkers.more_than_one() || !(between(king, checker) | checkers).has(to))
    {
        return Bitboard::EMPTY;
    }
    legal
}

#[inline(always)]
fn only(set: Bitboard) -> Option<Square> {
    if set.more_than_one() { None } else { set.first() }
}

#[inline(always)]
fn pawn_push(board: &Board, to: Square, promotion: Option<Piece>) -> Option<Move> {
    let us = board.side_to_move();
    let occupied = board.occupied();
    if occupied.has(to) {
        return None;
    }
    let rank = to.relative_rank(us);
    if rank == 0 || (rank == 7) != promotion.is_some() {
        return None;
    }
    let behind = |steps: u8| {
        let rank = if us == Color::White {
            to.rank().checked_sub(steps)?
        } else {
            to.rank() + steps
        };
        (rank < 8).then(|| Square::at(to.file(), rank))
    };
    let pawns = board.of(us, Piece::Pawn);
    let mut from = behind(1)?;
    if !pawns.has(from) {
        if rank != 3 || occupied.has(from) {
            return None;
        }
        from = behind(2).filter(|&square| pawns.has(square))?;
    }
    finish_pawn(board, from, to, promotion)
}

#[inline(always)]
fn pawn_capture(board: &Board, file: u8, to: Square, promotion: Option<Piece>) -> Option<Move> {
    let us = board.side_to_move();
    let origins = crate::attacks::pawn_attacks(!us, to) & Bitboard::file(file) & board.of(us, Piece::Pawn);
    let from = origins.first()?;
    if (to.relative_rank(us) == 7) != promotion.is_some() {
        return None;
    }
    if board.colors(!us).has(to) {
        return finish_pawn(board, from, to, promotion);
    }
    let legal = board.en_passant() == Some(to) && board.en_passant_keeps_king_safe(from, to);
    legal.then(|| Move::new(from, to, MoveKind::EnPassant))
}

#[inline(always)]
fn finish_pawn(board: &Board, from: Square, to: Square, promotion: Option<Piece>) -> Option<Move> {
    if may_go(board, from.bitboard(), to).is_empty() {
        return None;
    }
    Some(match promotion {
        Some(piece) => Move::new(from, to, MoveKind::Promotion(piece)),
        None => Move::normal(from, to),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MoveList, Variant, fen, san};

    /// On every position of random games, the export form of every legal move is found, and a word from
    /// another position is either left to the `san` module or read as there.
    #[test]
    fn agrees_with_the_san_module() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut words = Vec::new();
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1",
        ];
        for round in 0..200 {
            let start = starts[round % starts.len()];
            let mut board = fen::parse(start, fen::FenMode::Analysis, Variant::Chess960)
                .unwrap()
                .board;
            for _ in 0..120 {
                let mut list = MoveList::new();
                board.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                for &mv in &list {
                    let text = san::write(&board, mv);
                    assert_eq!(
                        quick_san(&board, text.as_bytes()),
                        Some(mv),
                        "{} {text}",
                        fen::xfen(&board)
                    );
                    words.push(text);
                }
                for _ in 0..40 {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let word = words[(state % words.len() as u64) as usize];
                    if let Some(mv) = quick_san(&board, word.as_bytes()) {
                        let read = san::parse_bytes(&board, word.as_bytes());
                        assert_eq!(read, Ok(mv), "{} {word}", fen::xfen(&board));
                    }
                }
                board.play(list[(state % list.len() as u64) as usize]);
            }
        }
    }
}
