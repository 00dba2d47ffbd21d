//! Which rule of movement an illegal move breaks.

use tabiya_rules::{Board, Color, Piece, Square, attacks};

use crate::ruleset::Rule;

/// The rule that a move from square to square breaks; it is known to be illegal.
pub(super) fn broken_rule(board: &Board, from: Square, to: Square) -> Rule {
    let us = board.side_to_move();
    let (Some(piece), true) = (board.piece_on(from), board.color_on(from) == Some(us)) else {
        return Rule::IllegalMove;
    };
    let castles = piece == Piece::King && is_castling(board, from, to);
    if board.color_on(to) == Some(us) && !castles {
        return Rule::MoveOwnSquare;
    }
    let occupied = board.occupied();
    let slides = |rays: tabiya_rules::Bitboard, rule| {
        if rays.0 & to.bitboard().0 == 0 {
            Some(rule)
        } else if attacks::between(from, to).0 & occupied.0 != 0 {
            Some(Rule::MoveJump)
        } else {
            None
        }
    };
    let broken = match piece {
        Piece::Knight => (attacks::knight_attacks(from).0 & to.bitboard().0 == 0).then_some(Rule::MoveKnight),
        Piece::Bishop => slides(attacks::bishop_rays(from), Rule::MoveBishop),
        Piece::Rook => slides(attacks::rook_rays(from), Rule::MoveRook),
        Piece::Queen => {
            let rays = attacks::bishop_rays(from).0 | attacks::rook_rays(from).0;
            slides(tabiya_rules::Bitboard(rays), Rule::MoveQueen)
        }
        Piece::Pawn => pawn(board, us, from, to),
        Piece::King if castles => Some(castling(board, us, from, to)),
        Piece::King => (attacks::king_attacks(from).0 & to.bitboard().0 == 0).then_some(Rule::MoveKing),
    };
    // What moves as its piece may, and is illegal all the same, leaves its king in check.
    broken.unwrap_or(Rule::MoveIntoCheck)
}

/// Whether a king's move is meant as castling: two squares along its first rank, or onto an own rook.
fn is_castling(board: &Board, from: Square, to: Square) -> bool {
    let us = board.side_to_move();
    let home = from.relative_rank(us) == 0 && from.rank() == to.rank();
    let onto_rook = board.color_on(to) == Some(us) && board.piece_on(to) == Some(Piece::Rook);
    home && (from.file().abs_diff(to.file()) == 2 || onto_rook)
}

fn castling(board: &Board, us: Color, from: Square, to: Square) -> Rule {
    let king_side = to.file() > from.file();
    if board.castling_rook(us, king_side).is_some() {
        Rule::CastleBarred
    } else {
        Rule::CastleLost
    }
}

fn pawn(board: &Board, us: Color, from: Square, to: Square) -> Option<Rule> {
    let steps = i32::from(to.relative_rank(us)) - i32::from(from.relative_rank(us));
    let aside = from.file().abs_diff(to.file());
    let empty = board.piece_on(to).is_none();
    match (aside, steps) {
        (0, 1) => (!empty).then_some(Rule::MovePawn),
        (0, 2) => {
            let blocked = attacks::between(from, to).0 & board.occupied().0 != 0;
            (from.relative_rank(us) != 1 || blocked || !empty).then_some(Rule::MovePawnDouble)
        }
        (1, 1) if empty && board.en_passant() != Some(to) => {
            let beside = Square::at(to.file(), from.rank());
            let passed = board.color_on(beside) == Some(!us)
                && board.piece_on(beside) == Some(Piece::Pawn)
                && to.relative_rank(us) == 5;
            Some(if passed {
                Rule::MoveEnPassant
            } else {
                Rule::MovePawnCapture
            })
        }
        (1, 1) => None,
        _ => Some(Rule::MovePawn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_movement_can_be_broken() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let lone = "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1";
        for (fen, mv, rule) in [
            (start, "a1a2", Rule::MoveOwnSquare),
            (start, "f1c5", Rule::MoveBishop),
            (start, "f1b5", Rule::MoveJump),
            (start, "a1a3", Rule::MoveJump),
            (start, "a1b3", Rule::MoveRook),
            (start, "d1e3", Rule::MoveQueen),
            (start, "d1d4", Rule::MoveJump),
            (start, "g1g3", Rule::MoveKnight),
            (start, "e2e5", Rule::MovePawn),
            (start, "e2d3", Rule::MovePawnCapture),
            (start, "e7e5", Rule::IllegalMove),
            (start, "e4e5", Rule::IllegalMove),
            ("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4", Rule::MovePawnDouble),
            ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", Rule::MovePawnDouble),
            ("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e3", Rule::MovePawn),
            // The double step was made a move earlier.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", Rule::MoveEnPassant),
            (start, "e1e3", Rule::MoveKing),
            (start, "e1g1", Rule::CastleBarred),
            ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", Rule::CastleBarred),
            (castle, "e1e8", Rule::MoveKing),
            (lone, "e1g1", Rule::CastleLost),
            (lone, "e1h1", Rule::CastleLost),
            ("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2", Rule::MoveIntoCheck),
            ("4kr2/8/8/8/8/8/8/4K3 w - - 0 1", "e1f1", Rule::MoveIntoCheck),
            ("4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2", Rule::MoveIntoCheck),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let (from, to) = (mv[..2].parse().unwrap(), mv[2..].parse().unwrap());
            assert_eq!(broken_rule(&board, from, to), rule, "{fen} {mv}");
        }
    }
}
