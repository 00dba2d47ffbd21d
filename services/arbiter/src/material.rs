use tabiya_rules::{Bitboard, Board, Piece};

/// The light squares.
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;

/// Whether neither king can be mated by any series of legal moves, because of the material alone: bare kings, one
/// minor piece against a bare king, or any number of bishops that all stand on one colour of square.
///
/// ```
/// use tabiya_arbiter::is_dead_by_material;
/// use tabiya_rules::Board;
///
/// assert!(is_dead_by_material(&Board::from_fen("8/8/4k3/8/8/3NK3/8/8 w - - 0 1").unwrap()));
/// assert!(!is_dead_by_material(&Board::from_fen("8/8/4k3/8/8/2NNK3/8/8 w - - 0 1").unwrap()));
/// ```
pub fn is_dead_by_material(board: &Board) -> bool {
    let of = |piece| board.pieces(piece).0;
    if of(Piece::Pawn) | of(Piece::Rook) | of(Piece::Queen) != 0 {
        return false;
    }
    let (knights, bishops) = (of(Piece::Knight), of(Piece::Bishop));
    if knights == 0 {
        return bishops & LIGHT == 0 || bishops & !LIGHT == 0;
    }
    Bitboard(knights | bishops).0.count_ones() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(is_dead_by_material(&Board::from_fen(fen).unwrap()), "{fen}");
        }
        for fen in alive {
            assert!(!is_dead_by_material(&Board::from_fen(fen).unwrap()), "{fen}");
        }
    }
}
