use tabiya_rules::{Bitboard, Board, Piece, Square};

use super::check::confined::Ground;
use super::{PieceReach, Reach};

/// The smallest reach that is closed under every move that might be possible, or `None` while castling is.
///
/// It grows from the squares that the pieces stand on: whatever gets loose unfixes others, until nothing changes.
pub(super) fn reach(board: &Board) -> Option<Reach> {
    if board.castling_rooks().any() {
        return None;
    }
    let mut reach = Reach {
        pieces: board
            .occupied()
            .into_iter()
            .map(|from| PieceReach {
                from,
                squares: start(board, from),
                promotes: false,
                capturable: false,
            })
            .collect(),
    };
    while grow(board, &mut reach) {}
    Some(reach)
}

/// The square of a piece, and the one it passed if it may be taken there.
fn start(board: &Board, from: Square) -> Bitboard {
    let passed = board.en_passant().filter(|target| {
        target.file() == from.file() && from.rank() == if target.rank() == 2 { 3 } else { 4 }
    });
    from.bitboard() | passed.map_or(Bitboard::EMPTY, Square::bitboard)
}

/// Adds what the moves from all squares so far add; whether that was anything.
fn grow(board: &Board, reach: &mut Reach) -> bool {
    let ground = Ground::new(board, reach);
    let mut taken_on = [Bitboard::EMPTY; 2];
    let mut grown = false;
    for piece in &mut reach.pieces {
        let (Some(kind), Some(color)) = (board.piece_on(piece.from), board.color_on(piece.from)) else {
            continue;
        };
        // A piece runs on alone until it is stuck: fewer rounds over the whole board.
        let mut fresh = piece.squares;
        let before = *piece;
        while fresh.any() {
            let mut entered = Bitboard::EMPTY;
            for at in fresh {
                let (all, takes) = ground.moves(board, piece, at);
                entered |= all;
                taken_on[color.index()] |= takes;
            }
            let promoted_now =
                kind == Piece::Pawn && !piece.promotes && (entered & Bitboard::BACK_RANKS).any();
            fresh = entered & !piece.squares;
            piece.squares |= entered;
            if promoted_now {
                piece.promotes = true;
                fresh = piece.squares;
            }
        }
        grown |= *piece != before;
    }
    for piece in &mut reach.pieces {
        let Some(color) = board.color_on(piece.from) else {
            continue;
        };
        let king = board.piece_on(piece.from) == Some(Piece::King);
        if !king && !piece.capturable && (piece.squares & taken_on[(!color).index()]).any() {
            piece.capturable = true;
            grown = true;
        }
    }
    grown
}
