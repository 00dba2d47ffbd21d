//! Touch-move: which moves remain.

use tabiya_rules::{Board, Color, Move, MoveList, Piece, Square};

use super::Reason;
use crate::ruleset::Rule;

/// What touched pieces leave: the moves, `None` for any.
pub(super) struct Obligation {
    pub(super) moves: Option<Vec<Move>>,
    pub(super) reason: Reason,
    pub(super) rule: Rule,
}

fn captured(board: &Board, mv: Move) -> Option<Square> {
    if mv.is_en_passant() {
        return Some(Square::at(mv.to().file(), mv.from().rank()));
    }
    (!mv.is_castle() && board.piece_on(mv.to()).is_some()).then(|| mv.to())
}

/// The obligation of the player on move after touching these squares in order.
pub(super) fn obligation(board: &Board, squares: &[Square], order_unclear: bool) -> Obligation {
    let mut legal = MoveList::new();
    board.legal_moves(&mut legal);
    let us = board.side_to_move();
    let of = |color: Color| move |square: &&Square| board.color_on(**square) == Some(color);
    let own: Vec<Square> = squares.iter().filter(of(us)).copied().collect();
    let enemy: Vec<Square> = squares.iter().filter(of(!us)).copied().collect();
    let moving =
        |square: Square| -> Vec<Move> { legal.iter().filter(|mv| mv.from() == square).copied().collect() };
    let taking = |square: Square| -> Vec<Move> {
        let takes = |mv: &&Move| captured(board, **mv) == Some(square);
        legal.iter().filter(takes).copied().collect()
    };
    let free = Obligation {
        moves: None,
        reason: Reason::TouchedFree,
        rule: Rule::TouchFree,
    };
    let bound = |moves: Vec<Move>, reason, rule| Obligation {
        moves: Some(moves),
        reason,
        rule,
    };

    if let (&[first, second, ..], []) = (own.as_slice(), enemy.as_slice()) {
        let kinds = (board.piece_on(first), board.piece_on(second));
        if kinds == (Some(Piece::King), Some(Piece::Rook)) {
            let castling: Vec<Move> = moving(first)
                .into_iter()
                .filter(|mv| mv.is_castle() && mv.to() == second)
                .collect();
            if !castling.is_empty() {
                return bound(castling, Reason::TouchedCastle, Rule::TouchCastle);
            }
            let others = moving(first);
            if others.is_empty() {
                return free;
            }
            return bound(others, Reason::TouchedCastleIllegal, Rule::TouchCastleIllegal);
        }
        if kinds == (Some(Piece::Rook), Some(Piece::King)) {
            let rook = moving(first);
            let king = moving(second)
                .into_iter()
                .filter(|mv| !(mv.is_castle() && mv.to() == first));
            let moves = if rook.is_empty() { king.collect() } else { rook };
            let reason = Reason::TouchedRookFirst;
            if moves.is_empty() {
                return free;
            }
            return bound(moves, reason, Rule::TouchRookFirst);
        }
    }

    let both = !own.is_empty() && !enemy.is_empty();
    if let (true, Some(&mine), Some(&theirs)) = (both, own.first(), enemy.first()) {
        let exact: Vec<Move> = taking(theirs)
            .into_iter()
            .filter(|mv| mv.from() == mine)
            .collect();
        if !exact.is_empty() {
            return bound(exact, Reason::TouchedBoth, Rule::TouchBoth);
        }
    }
    let order: Vec<Square> = if order_unclear {
        own.iter().chain(&enemy).copied().collect()
    } else {
        squares.to_vec()
    };
    for square in order {
        let ours = board.color_on(square) == Some(us);
        let moves = if ours { moving(square) } else { taking(square) };
        if moves.is_empty() {
            continue;
        }
        let (reason, rule) = match (both, ours) {
            (true, _) => (Reason::TouchedBoth, Rule::TouchBoth),
            (false, true) => (Reason::TouchedOwn, Rule::TouchOwn),
            (false, false) => (Reason::TouchedEnemy, Rule::TouchEnemy),
        };
        return bound(moves, reason, rule);
    }
    free
}
