//! How a game ends by the rules, as self-play and matches need it.

use tabiya_rules::{Bitboard, Board, Color, Game, Piece};

use crate::record::Outcome;

/// Dark squares; a1 is one.
const DARK: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);

/// The result and a word for its reason, if the game is over by rule. Repetition and the fifty-move rule count at
/// once, as programs play them, without a claim.
pub(crate) fn ending(game: &Game) -> Option<(Outcome, &'static str)> {
    let board = game.board();
    if !board.has_legal_move() {
        return Some(match (board.in_check(), board.side_to_move()) {
            (false, _) => (Outcome::Draw, "stalemate"),
            (true, Color::White) => (Outcome::Black, "checkmate"),
            (true, Color::Black) => (Outcome::White, "checkmate"),
        });
    }
    if insufficient_material(board) {
        Some((Outcome::Draw, "insufficient material"))
    } else if board.halfmove_clock() >= 100 {
        Some((Outcome::Draw, "fifty moves"))
    } else if game.repetition_count() >= 3 {
        Some((Outcome::Draw, "repetition"))
    } else {
        None
    }
}

/// Whether mate is impossible by the pieces alone: bare kings with at most one minor piece, or bishops of one colour.
pub(crate) fn insufficient_material(board: &Board) -> bool {
    let major = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if major.any() {
        return false;
    }
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    if knights.any() {
        return knights.count() == 1 && bishops.is_empty();
    }
    (bishops & DARK).is_empty() || (bishops & !DARK).is_empty()
}
