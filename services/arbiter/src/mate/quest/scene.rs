use tabiya_rules::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use tabiya_rules::{Bitboard, Board, Color, Piece, Square};

use super::sketch::Sketch;
use super::steps::{self, Steps};

/// What matters of a position for thinking up mates by `side`.
pub(super) struct Scene<'a> {
    pub(super) board: &'a Board,
    pub(super) side: Color,
    pub(super) pawns: Bitboard,
    /// All men but the king to be mated, which does not shield the squares behind it.
    pub(super) seen_through: Bitboard,
    /// Squares that pieces of `side`, the king left out, attack now.
    pub(super) covered: Bitboard,
    /// The same, by two pieces or more.
    pub(super) covered_twice: Bitboard,
    /// Squares that pawns of the other side attack.
    pub(super) pawn_guarded: Bitboard,
    /// Squares that pieces of the other side, king and pawns left out, attack now.
    pub(super) guarded: Bitboard,
    /// Squares that the other side's king will not enter.
    pub(super) closed_to_king: Bitboard,
    /// Squares that the king of `side` will not enter.
    pub(super) closed_to_hunter: Bitboard,
    /// Moves of the other side's king from where it stands.
    pub(super) king_steps: Steps,
    /// Moves of this side's king from where it stands.
    pub(super) hunter_steps: Steps,
}

impl<'a> Scene<'a> {
    pub(super) fn new(board: &'a Board, side: Color) -> Self {
        let pawns = board.pieces(Piece::Pawn);
        let occupied = board.occupied();
        let seen_through = occupied & !board.king(!side).bitboard();
        let (mut covered, mut covered_twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let mut own_pawns_cover = Bitboard::EMPTY;
        let kings = board.pieces(Piece::King);
        for at in board.colors(side) & !kings {
            let kind = board.piece_on(at).unwrap_or(Piece::Pawn);
            let attacks = attacks(kind, side, at, seen_through);
            covered_twice |= covered & attacks;
            covered |= attacks;
            if kind == Piece::Pawn {
                own_pawns_cover |= attacks;
            }
        }
        let (mut pawn_guarded, mut guarded) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for at in board.colors(!side) & !kings {
            let kind = board.piece_on(at).unwrap_or(Piece::Pawn);
            let attacks = attacks(kind, !side, at, occupied);
            if kind == Piece::Pawn {
                pawn_guarded |= attacks;
            } else {
                guarded |= attacks;
            }
        }
        let closed_to_king = board.colors(!side) & pawns | own_pawns_cover;
        let closed_to_hunter = board.colors(side) & pawns | pawn_guarded;
        Self {
            board,
            side,
            pawns,
            seen_through,
            covered,
            covered_twice,
            pawn_guarded,
            guarded,
            closed_to_king,
            closed_to_hunter,
            king_steps: steps::king(board.king(!side).bitboard(), closed_to_king),
            hunter_steps: steps::king(board.king(side).bitboard(), closed_to_hunter),
        }
    }

    /// Whether a man of the mated side, blocking a square, can neither take the checking piece nor step between.
    pub(super) fn harmless(&self, sketch: &Sketch, kind: Piece, at: Square) -> bool {
        let way = sketch
            .check_from
            .into_iter()
            .fold(sketch.check_from, |way, from| way | between(from, sketch.king));
        let reached = attacks(kind, !self.side, at, self.pawns | sketch.king.bitboard());
        (reached & way).is_empty()
    }

    /// Ranks that a pawn has to go.
    pub(super) fn ranks_to_go(color: Color, at: Square) -> u8 {
        7 - at.relative_rank(color)
    }

    /// Where a pawn that keeps to its file promotes.
    pub(super) fn promotion_square(color: Color, at: Square) -> Square {
        Square::at(at.file(), if color == Color::White { 7 } else { 0 })
    }
}

/// Squares that a piece attacks.
pub(super) fn attacks(kind: Piece, color: Color, at: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        Piece::Pawn => pawn_attacks(color, at),
        Piece::Knight => knight_attacks(at),
        Piece::Bishop => bishop_attacks(at, occupied),
        Piece::Rook => rook_attacks(at, occupied),
        Piece::Queen => queen_attacks(at, occupied),
        Piece::King => king_attacks(at),
    }
}
