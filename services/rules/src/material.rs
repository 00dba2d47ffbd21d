//! What the material alone decides.

use crate::{Bitboard, Board, Piece};

impl Board {
    /// Whether neither king can be mated by any series of legal moves, because of the material alone: bare kings, one
    /// minor piece against a bare king, or any number of bishops that all stand on one colour of square.
    ///
    /// ```
    /// use tabiya_rules::Board;
    ///
    /// assert!(Board::from_fen("8/8/4k3/8/8/3NK3/8/8 w - - 0 1").unwrap().is_dead_by_material());
    /// assert!(!Board::from_fen("8/8/4k3/8/8/2NNK3/8/8 w - - 0 1").unwrap().is_dead_by_material());
    /// ```
    pub fn is_dead_by_material(&self) -> bool {
        if (self.pieces(Piece::Pawn) | self.pieces(Piece::Rook) | self.pieces(Piece::Queen)).any() {
            return false;
        }
        let (knights, bishops) = (self.pieces(Piece::Knight), self.pieces(Piece::Bishop));
        if knights.any() {
            return (knights | bishops).count() == 1;
        }
        (bishops & Bitboard::LIGHT_SQUARES).is_empty() || (bishops & !Bitboard::LIGHT_SQUARES).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::Board;

    #[test]
    fn material_that_cannot_mate_is_told_from_material_that_can() {
        let dead = [
            "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
            "8/8/4k3/8/8/4KB2/8/8 b - - 0 1",
            "8/8/4kn2/8/8/4K3/8/8 w - - 0 1",
            // c1 and f8 are dark, and so are e3 and g5.
            "5b2/8/4k3/6B1/8/4BK2/8/2B5 w - - 0 1",
        ];
        let alive = [
            "8/8/4k3/8/8/3PK3/8/8 w - - 0 1",
            "8/8/4kn2/8/8/3NK3/8/8 w - - 0 1",
            "8/8/4kn2/8/8/3BK3/8/8 w - - 0 1",
            "8/8/4k3/8/8/2BBK3/8/8 w - - 0 1",
            // f8 is dark, f1 is light: each side can help the other to mate.
            "5b2/8/4k3/8/8/4K3/8/5B2 w - - 0 1",
        ];
        for fen in dead {
            assert!(Board::from_fen(fen).unwrap().is_dead_by_material(), "{fen}");
        }
        for fen in alive {
            assert!(!Board::from_fen(fen).unwrap().is_dead_by_material(), "{fen}");
        }
    }
}
