//! Static exchange evaluation: what a series of captures on one square comes to.

use tabiya_rules::attacks::{bishop_attacks, rook_attacks};
use tabiya_rules::{Bitboard, Board, Move, Piece, Square};

use crate::moves::captured;

/// What a piece counts for in exchanges, in centipawns.
pub const fn piece_value(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight => 320,
        Piece::Bishop => 330,
        Piece::Rook => 500,
        Piece::Queen => 950,
        Piece::King => 20_000,
    }
}

/// Whether the exchanges that the move begins on its square gain at least `threshold` centipawns, both sides taking with
/// the least valuable piece and stopping when it pays. Pins are not looked at.
pub fn exchange_at_least(board: &Board, mv: Move, threshold: i32) -> bool {
    if mv.is_castle() {
        return threshold <= 0;
    }
    let Some(moved) = board.piece_on(mv.from()) else {
        return false;
    };
    let placed = mv.promotion().unwrap_or(moved);
    let taken = captured(board, mv).map_or(0, piece_value);
    let promoted = mv
        .promotion()
        .map_or(0, |piece| piece_value(piece) - piece_value(Piece::Pawn));
    // What the side to move is ahead by, less the threshold, if nobody takes back.
    let mut balance = taken + promoted - threshold;
    if balance < 0 {
        return false;
    }
    // And if the piece just placed is lost for nothing.
    balance -= piece_value(placed);
    if balance >= 0 {
        return true;
    }

    let to = mv.to();
    let mut occupied = (board.occupied() ^ mv.from().bitboard()) | to.bitboard();
    if mv.is_en_passant() {
        occupied ^= Square::at(to.file(), mv.from().rank()).bitboard();
    }
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut attackers = board.attackers(to, occupied);
    let mover = board.side_to_move();
    let mut side = !mover;
    loop {
        attackers &= occupied;
        let own = attackers & board.colors(side);
        let Some((piece, from)) = least_valuable(board, own) else {
            break;
        };
        if piece == Piece::King && (attackers & board.colors(!side)).any() {
            // The king may not take a guarded piece.
            break;
        }
        occupied ^= from.bitboard();
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            attackers |= bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            attackers |= rook_attacks(to, occupied) & straight;
        }
        side = !side;
        // Seen from the side that takes next, were the piece that just took lost for nothing.
        balance = -balance - 1 - piece_value(piece);
        if balance >= 0 {
            break;
        }
    }
    side != mover
}

fn least_valuable(board: &Board, own: Bitboard) -> Option<(Piece, Square)> {
    Piece::ALL
        .into_iter()
        .find_map(|piece| (board.pieces(piece) & own).first().map(|square| (piece, square)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gain of a move by trying every order of captures on its square, taking with each piece in turn.
    fn exhaustive(board: &Board, mv: Move) -> i32 {
        let gain = captured(board, mv).map_or(0, piece_value)
            + mv.promotion()
                .map_or(0, |piece| piece_value(piece) - piece_value(Piece::Pawn));
        let after = board.after(mv);
        let mut list = tabiya_rules::MoveList::new();
        after.captures(&mut list);
        let reply = list
            .iter()
            .filter(|reply| reply.to() == mv.to() && reply.promotion().is_none());
        gain - reply
            .map(|&reply| exhaustive(&after, reply))
            .max()
            .unwrap_or(0)
            .max(0)
    }

    #[test]
    fn equals_trying_every_capture() {
        // No pins, no promotions on the square: where both must agree.
        for (fen, uci) in [
            ("4k3/8/3p4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5"),
            ("4k3/8/5n2/3p4/4P3/2N5/8/4K3 w - - 0 1", "e4d5"),
            ("4k3/8/5n2/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5"),
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"),
            ("4k3/8/2b5/3p4/8/5B2/6Q1/4K3 w - - 0 1", "f3d5"),
            ("4k3/1q6/2b5/3p4/8/5B2/6Q1/4K3 w - - 0 1", "f3d5"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            // The king takes back, unless the bishop guards the square.
            ("8/8/3k4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5"),
            ("8/8/3k4/4p3/3P4/6B1/8/4K3 w - - 0 1", "d4e5"),
            ("4k3/8/8/8/2q5/8/3N4/4K3 w - - 0 1", "d2e4"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mut list = tabiya_rules::MoveList::new();
            board.legal_moves(&mut list);
            let mv = list.iter().copied().find(|mv| mv.to_string() == uci).unwrap();
            let exact = exhaustive(&board, mv);
            for threshold in -1_000..=1_000 {
                assert_eq!(
                    exchange_at_least(&board, mv, threshold),
                    exact >= threshold,
                    "{fen} {uci} {threshold} {exact}"
                );
            }
        }
    }
}
