use tabiya_rules::attacks::king_attacks;
use tabiya_rules::{Bitboard, Board, Color, Piece, Square};

/// The four corners.
const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);

/// How far a position seems from a mate by `side`, in two opinions: that flights count most, and that kings do; lower
/// is nearer.
pub(super) fn to_mate(board: &Board, side: Color) -> (usize, usize) {
    let king = board.king(!side);
    let hunter = board.king(side);
    let unshielded = board.occupied() ^ king.bitboard();
    let flights = (king_attacks(king) & !board.colors(!side))
        .into_iter()
        .filter(|&flight| !board.attacked_by(side, flight, unshielded))
        .count();
    let pieces = board.colors(side);
    let heavy = pieces & (board.pieces(Piece::Rook) | board.pieces(Piece::Queen));
    let lack = if heavy.any() {
        0
    } else {
        let pawn = nearest_pawn(board, side);
        if pawn > 6 { 0 } else { 8 + 2 * pawn }
    };
    let (cornered, weight) = if heavy.any() || lack > 0 {
        (to_edge(king), 1)
    } else {
        let corner = to_corner(king, board.of(side, Piece::Bishop));
        (corner + helpers(board, !side), 2)
    };
    // The fewer heavy pieces, the more the king must help.
    let approach = 2usize.saturating_sub(heavy.count() as usize);
    let apart = distance(king, hunter);
    (
        4 * flights + weight * cornered + approach * apart + lack,
        3 * flights + 2 * cornered + 2 * apart + lack,
    )
}

/// Steps of a king to a corner; to one of the bishops' colour, if all bishops stand on one.
fn to_corner(king: Square, bishops: Bitboard) -> usize {
    let light = bishops & Bitboard::LIGHT_SQUARES;
    let dark = bishops & !Bitboard::LIGHT_SQUARES;
    let corners = match (light.any(), dark.any()) {
        (true, false) => CORNERS & Bitboard::LIGHT_SQUARES,
        (false, true) => CORNERS & !Bitboard::LIGHT_SQUARES,
        _ => CORNERS,
    };
    corners
        .into_iter()
        .map(|corner| distance(king, corner))
        .min()
        .unwrap_or(0)
}

/// How far the two nearest pieces stand that could take squares from their own king.
fn helpers(board: &Board, color: Color) -> usize {
    let king = board.king(color);
    let pieces = board.colors(color) & !board.pieces(Piece::Pawn) & !king.bitboard();
    let (mut first, mut second) = (7, 7);
    for piece in pieces {
        let away = distance(king, piece);
        if away < first {
            (first, second) = (away, first);
        } else if away < second {
            second = away;
        }
    }
    first + second
}

/// How far a position seems from being loosened: pawns to promote, pieces to be gone.
pub(super) fn to_open(board: &Board, side: Color) -> usize {
    let pawns = |color| board.of(color, Piece::Pawn).count() as usize;
    4 * nearest_pawn(board, side).min(7)
        + 2 * pawns(Color::White)
        + 2 * pawns(Color::Black)
        + board.colors(!side).count() as usize
}

/// Steps of a colour's most advanced pawn to promotion; 7 without pawns.
fn nearest_pawn(board: &Board, color: Color) -> usize {
    let pawns = board.of(color, Piece::Pawn).0;
    match color {
        Color::White => pawns.leading_zeros() as usize / 8,
        Color::Black => pawns.trailing_zeros() as usize / 8,
    }
    .min(7)
}

fn to_edge(square: Square) -> usize {
    let edge = |at: u8| usize::from(at.min(7 - at));
    edge(square.file()) + edge(square.rank())
}

fn distance(a: Square, b: Square) -> usize {
    usize::from(a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank())))
}
