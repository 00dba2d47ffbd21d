//! What a position must have so that it can be played on.

use super::error::{EnPassantFlaw, Reason};
use super::placement::Placement;
use super::repair::{Log, Repair};
use crate::attacks::pawn_attacks;
use crate::{Bitboard, Color, Piece, Square};

/// One king each, no pawn on a back rank, and no more men than a move list can serve.
pub(super) fn pieces(placement: &Placement, log: &mut Log) {
    for color in Color::ALL {
        match placement.pieces(color, Piece::King).count() {
            0 => log.refuse(Reason::KingMissing(color)),
            1 => {}
            count => log.refuse(Reason::KingCount(color, count)),
        }
    }
    for color in Color::ALL {
        for pawn in placement.pieces(color, Piece::Pawn) & Bitboard::BACK_RANKS {
            log.refuse(Reason::PawnOnBackRank(pawn));
        }
        let surplus = surplus(placement, color);
        let men = Piece::ALL
            .into_iter()
            .map(|piece| placement.pieces(color, piece).count())
            .sum::<u32>();
        if surplus > if men > FULL_SIDE { 1 } else { SPARE } {
            log.refuse(Reason::Overcrowded(color, surplus));
        }
    }
}

/// Men of a side at the start.
const FULL_SIDE: u32 = 16;

/// Men beyond what promotions allow that a side may have, if it has not more men than at the start.
const SPARE: u32 = 5;

/// How many men a colour has beyond what eight pawns and their promotions allow.
///
/// A side with one, or with more and no more than 16 men, has at most 17 men, of which all but the king have at most 27
/// moves: too few to fill a [`crate::MoveList`], which has the sum. Play adds none.
fn surplus(placement: &Placement, color: Color) -> u32 {
    (placement.pieces(color, Piece::Pawn).count() + promoted(placement, color)).saturating_sub(8)
}

/// The least number of promoted pieces: queens beyond one, rooks and knights beyond two, and bishops beyond one
/// on each colour of square.
pub(super) fn promoted(placement: &Placement, color: Color) -> u32 {
    let beyond = |set: Bitboard, start: u32| set.count().saturating_sub(start);
    let bishops = placement.pieces(color, Piece::Bishop);
    beyond(placement.pieces(color, Piece::Queen), 1)
        + beyond(placement.pieces(color, Piece::Rook), 2)
        + beyond(placement.pieces(color, Piece::Knight), 2)
        + beyond(bishops & Bitboard::LIGHT_SQUARES, 1)
        + beyond(bishops & !Bitboard::LIGHT_SQUARES, 1)
}

/// The side that has just moved must not be in check.
pub(super) fn opposite_check(placement: &Placement, side_to_move: Color, log: &mut Log) {
    let Some(king) = placement.king(!side_to_move) else {
        return;
    };
    if placement.attackers(king, side_to_move).any() {
        log.refuse(Reason::OppositeCheck(!side_to_move));
    }
}

/// The en-passant square as it may stay.
pub(super) fn en_passant(
    placement: &Placement,
    side_to_move: Color,
    square: Option<Square>,
    log: &mut Log,
) -> Option<Square> {
    let square = square?;
    if let Some(flaw) = flaw(placement, side_to_move, square) {
        log.flaw(
            Reason::EnPassant(square, flaw),
            Repair::EnPassantDropped(square, flaw),
        );
        return None;
    }
    Some(square)
}

fn flaw(placement: &Placement, side_to_move: Color, square: Square) -> Option<EnPassantFlaw> {
    if square.relative_rank(side_to_move) != 5 {
        return Some(EnPassantFlaw::Side);
    }
    if placement.occupied().has(square) {
        return Some(EnPassantFlaw::Occupied);
    }
    let (origin, pawn) = double_step(square, side_to_move);
    if !placement.pieces(!side_to_move, Piece::Pawn).has(pawn) {
        return Some(EnPassantFlaw::NoPawn);
    }
    placement
        .occupied()
        .has(origin)
        .then_some(EnPassantFlaw::OriginOccupied)
}

/// From where to where the pawn went that passed `square`, with `side_to_move` to answer.
pub(super) fn double_step(square: Square, side_to_move: Color) -> (Square, Square) {
    let (origin, pawn) = match side_to_move {
        Color::White => (6, 4),
        Color::Black => (1, 3),
    };
    (Square::at(square.file(), origin), Square::at(square.file(), pawn))
}

/// Whether a pawn stands beside the one that has just passed `square`, pinned or not.
pub(super) fn has_taker(placement: &Placement, side_to_move: Color, square: Square) -> bool {
    (pawn_attacks(!side_to_move, square) & placement.pieces(side_to_move, Piece::Pawn)).any()
}
