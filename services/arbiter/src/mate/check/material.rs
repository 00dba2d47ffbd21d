use tabiya_rules::{Bitboard, Board, Color, Piece};

use super::CheckError;
use crate::mate::MaterialClass;

/// Whether the material is of a class with which `side` can never mate.
///
/// Every class is closed: captures lead to the same or a smaller class, and there are no pawns to promote.
pub(in crate::mate) fn material(board: &Board, side: Color, class: MaterialClass) -> Result<(), CheckError> {
    let (own, other) = (board.colors(side), board.colors(!side));
    let kind = |piece| board.pieces(piece);
    let bare = own == kind(Piece::King) & own;
    let holds = bare
        || match class {
            MaterialClass::BareKing => false,
            MaterialClass::BishopsOfOneColor => {
                let bishops = own & kind(Piece::Bishop);
                let on_light = (bishops & Bitboard::LIGHT_SQUARES).any();
                let on_dark = (bishops & !Bitboard::LIGHT_SQUARES).any();
                let opposite = if on_light {
                    !Bitboard::LIGHT_SQUARES
                } else {
                    Bitboard::LIGHT_SQUARES
                };
                own == bishops | kind(Piece::King) & own
                    && !(on_light && on_dark)
                    && (other & (kind(Piece::Pawn) | kind(Piece::Knight))).is_empty()
                    && (other & kind(Piece::Bishop) & opposite).is_empty()
            }
            MaterialClass::KnightAgainstQueens => {
                let knights = own & kind(Piece::Knight);
                knights.count() == 1
                    && own == knights | kind(Piece::King) & own
                    && other == other & (kind(Piece::Queen) | kind(Piece::King))
            }
        };
    holds.then_some(()).ok_or(CheckError::Material)
}
