//! Moves on set-ups that no board holds: a king that could be taken, or a pawn on its last rank.

use tabiya_rules::{
    Bitboard, Color, Move, MoveKind, Piece, Square,
    attacks::{
        between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
    },
    fen::Setup,
};

use crate::ruleset::Rule;

/// A move by the rules of movement, and what stands after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SetupMove {
    pub(super) from: Square,
    /// For castling the rook's square.
    pub(super) to: Square,
    pub(super) promotion: Option<Piece>,
    pub(super) castles: bool,
    pub(super) after: Setup,
}

impl SetupMove {
    /// The same as a move of the set-up that it was found on.
    pub(super) fn as_move(&self, on: &Setup) -> Move {
        let is_pawn = matches!(on.placement.piece_on(self.from), Some((_, Piece::Pawn)));
        let aside = self.from.file() != self.to.file();
        let kind = match self.promotion {
            Some(piece) => MoveKind::Promotion(piece),
            None if self.castles => MoveKind::Castle,
            None if is_pawn && aside && on.placement.piece_on(self.to).is_none() => MoveKind::EnPassant,
            None => MoveKind::Normal,
        };
        Move::new(self.from, self.to, kind)
    }
}

/// What stands after one of a set-up's moves; `None` if it is none.
pub(super) fn after(setup: &Setup, mv: Move) -> Option<Setup> {
    let found = moves(setup).into_iter().find(|found| found.as_move(setup) == mv);
    found.map(|found| found.after)
}

/// What stands once a piece was moved, by the rules or against them. Rights to castle that still can be there stay.
pub(super) fn moved(setup: &Setup, from: Square, to: Square, promotion: Option<Piece>) -> Option<Setup> {
    let us = setup.side_to_move;
    let (color, piece) = setup.placement.piece_on(from)?;
    let mut after = passed(setup);
    let taken = setup.placement.piece_on(to);
    if let Some((king, rook)) = castled(setup, from, to) {
        let places = landings(king, rook);
        after.placement.clear(king);
        after.placement.clear(rook);
        after.placement.put(places.0, us, Piece::King);
        after.placement.put(places.1, us, Piece::Rook);
    } else {
        let stands = promotion.filter(|_| piece == Piece::Pawn && to.relative_rank(color) == 7);
        after.placement.clear(from);
        after.placement.put(to, color, stands.unwrap_or(piece));
        // The move stands, so it counts as a quiet one if it was.
        if piece == Piece::Pawn || taken.is_some() {
            after.halfmove_clock = 0;
        }
    }
    if piece == Piece::Pawn && taken.is_none() && from.file() != to.file() {
        // Meant as a capture in passing, the pawn beside is gone.
        let beside = Square::at(to.file(), from.rank());
        let passed = to.relative_rank(color) == 5 && from.relative_rank(color) == 4;
        if passed && setup.placement.piece_on(beside) == Some((!color, Piece::Pawn)) {
            after.placement.clear(beside);
        }
    }
    if piece == Piece::Pawn && from.relative_rank(color) == 1 && to.relative_rank(color) == 3 {
        let behind = Square::at(from.file(), (from.rank() + to.rank()) / 2);
        let straight = from.file() == to.file() && setup.placement.piece_on(behind).is_none();
        after.en_passant = Some(behind).filter(|_| straight);
    }
    let mut rooks = setup.castling_rooks & !from.bitboard() & !to.bitboard();
    if piece == Piece::King {
        rooks &= !setup.placement.color(color);
    }
    after.castling_rooks = rooks;
    Some(after)
}

/// What stands if a side lets its move pass.
pub(super) fn passed(setup: &Setup) -> Setup {
    let black = u16::from(setup.side_to_move == Color::Black);
    Setup {
        side_to_move: !setup.side_to_move,
        en_passant: None,
        halfmove_clock: setup.halfmove_clock.saturating_add(1),
        fullmove_number: setup.fullmove_number.saturating_add(black),
        ..*setup
    }
}

/// King and rook, if a king's move is meant as castling: two squares along its first rank, or onto an own rook.
fn castled(setup: &Setup, from: Square, to: Square) -> Option<(Square, Square)> {
    let us = setup.side_to_move;
    let is = |square, piece| setup.placement.piece_on(square) == Some((us, piece));
    let home = from.relative_rank(us) == 0 && from.rank() == to.rank();
    if !home || !is(from, Piece::King) {
        return None;
    }
    let rook = if is(to, Piece::Rook) {
        to
    } else if from.file().abs_diff(to.file()) == 2 {
        let corner = if to.file() > from.file() { 7 } else { 0 };
        let corner = Square::at(corner, from.rank());
        let mut rooks = setup.placement.pieces(us, Piece::Rook) & (between(from, corner) | corner.bitboard());
        rooks &= !to.bitboard();
        rooks
            .into_iter()
            .min_by_key(|rook| rook.file().abs_diff(from.file()))?
    } else {
        return None;
    };
    let (king_to, rook_to) = landings(from, rook);
    let free =
        |square: Square| square == from || square == rook || setup.placement.piece_on(square).is_none();
    (free(king_to) && free(rook_to)).then_some((from, rook))
}

/// Where king and rook stand after castling.
fn landings(king: Square, rook: Square) -> (Square, Square) {
    let (king_to, rook_to) = if rook.file() > king.file() { (6, 5) } else { (2, 3) };
    (Square::at(king_to, king.rank()), Square::at(rook_to, king.rank()))
}

/// The moves by the rules of movement that leave the own king safe and take no king.
pub(super) fn moves(setup: &Setup) -> Vec<SetupMove> {
    let us = setup.side_to_move;
    let mut moves = Vec::new();
    for from in setup.placement.color(us) {
        let Some((_, piece)) = setup.placement.piece_on(from) else {
            continue;
        };
        let kings = setup.placement.pieces(!us, Piece::King);
        for to in targets(setup, from, piece) & !setup.placement.color(us) & !kings {
            let promotes = piece == Piece::Pawn && to.relative_rank(us) == 7;
            let pieces: &[Option<Piece>] = match promotes {
                true => &[
                    Some(Piece::Queen),
                    Some(Piece::Rook),
                    Some(Piece::Bishop),
                    Some(Piece::Knight),
                ],
                false => &[None],
            };
            moves.extend(pieces.iter().filter_map(|&promotion| {
                let after = moved(setup, from, to, promotion)?;
                Some(SetupMove {
                    from,
                    to,
                    promotion,
                    castles: false,
                    after,
                })
            }));
        }
    }
    moves.extend(castlings(setup));
    moves.retain(|mv| is_safe(&mv.after, us));
    moves
}

/// The rule that a move from square to square breaks; it is known to be none of the moves. Of the rules of movement only
/// those on kings are told apart: they are what such a position is about.
pub(super) fn broken_rule(setup: &Setup, from: Square, to: Square) -> Rule {
    let us = setup.side_to_move;
    let piece = match setup.placement.piece_on(from) {
        Some((color, piece)) if color == us => piece,
        _ => return Rule::IllegalMove,
    };
    let reached = targets(setup, from, piece) & !setup.placement.color(us);
    if !reached.has(to) {
        return Rule::IllegalMove;
    }
    if setup.placement.pieces(!us, Piece::King).has(to) {
        return Rule::TakeKing;
    }
    match moved(setup, from, to, None) {
        Some(after) if !is_safe(&after, us) => Rule::MoveIntoCheck,
        _ => Rule::IllegalMove,
    }
}

/// Whether a side's king is not attacked.
pub(super) fn is_safe(setup: &Setup, side: Color) -> bool {
    let king = setup.placement.king(side);
    king.is_none_or(|king| setup.placement.attackers(king, !side).is_empty())
}

fn targets(setup: &Setup, from: Square, piece: Piece) -> Bitboard {
    let us = setup.side_to_move;
    let occupied = setup.placement.occupied();
    match piece {
        Piece::Knight => knight_attacks(from),
        Piece::Bishop => bishop_attacks(from, occupied),
        Piece::Rook => rook_attacks(from, occupied),
        Piece::Queen => queen_attacks(from, occupied),
        // Two squares along the first rank are castling.
        Piece::King => king_attacks(from),
        Piece::Pawn => {
            let passed = setup.en_passant.map_or(Bitboard::EMPTY, Square::bitboard);
            let takes = pawn_attacks(us, from) & (setup.placement.color(!us) | passed);
            takes | steps(from, us, occupied)
        }
    }
}

fn steps(from: Square, us: Color, occupied: Bitboard) -> Bitboard {
    let start = from.relative_rank(us);
    let ahead = |steps: u8| match us {
        Color::White => Square::at(from.file(), from.rank() + steps),
        Color::Black => Square::at(from.file(), from.rank() - steps),
    };
    if start == 7 || occupied.has(ahead(1)) {
        return Bitboard::EMPTY;
    }
    match start == 1 && !occupied.has(ahead(2)) {
        true => ahead(1).bitboard() | ahead(2).bitboard(),
        false => ahead(1).bitboard(),
    }
}

fn castlings(setup: &Setup) -> Vec<SetupMove> {
    let us = setup.side_to_move;
    let Some(king) = setup.placement.king(us) else {
        return Vec::new();
    };
    let can = |rook: &Square| {
        let mut others = setup.placement;
        others.clear(king);
        others.clear(*rook);
        let (king_to, rook_to) = landings(king, *rook);
        let walk = |from, to: Square| between(from, to) | to.bitboard();
        let free = ((walk(king, king_to) | walk(*rook, rook_to)) & others.occupied()).is_empty();
        let crossed = walk(king, king_to) | king.bitboard();
        free && crossed
            .into_iter()
            .all(|square| others.attackers(square, !us).is_empty())
    };
    let rooks = setup.castling_rooks & setup.placement.color(us);
    rooks
        .into_iter()
        .filter(can)
        .filter_map(|rook| {
            Some(SetupMove {
                from: king,
                to: rook,
                promotion: None,
                castles: true,
                after: moved(setup, king, rook, None)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, MoveList, Variant, uci};

    use super::*;

    /// On boards, these are the legal moves.
    #[test]
    fn where_a_board_holds_the_set_up_its_legal_moves_are_found() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mut legal = MoveList::new();
            board.legal_moves(&mut legal);
            let mut expected: Vec<_> = legal
                .iter()
                .map(|&mv| (uci::write(mv, Variant::Chess960).to_string(), board.after(mv)))
                .collect();
            let mut found: Vec<_> = moves(&Setup::from(&board))
                .iter()
                .map(|mv| {
                    let promotion = mv.promotion.map_or("", |piece| match piece {
                        Piece::Queen => "q",
                        Piece::Rook => "r",
                        Piece::Bishop => "b",
                        _ => "n",
                    });
                    let text = format!("{}{}{promotion}", mv.from, mv.to);
                    (text, mv.after.to_board().unwrap())
                })
                .collect();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            found.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(found, expected, "{fen}");
            for ((_, found), (_, expected)) in found.iter().zip(&expected) {
                assert_eq!(found.halfmove_clock(), expected.halfmove_clock(), "{fen}");
            }
        }
    }

    #[test]
    fn an_illegal_castling_moves_the_rook_too_and_a_pawn_left_stays_a_pawn() {
        let square = |text: &str| -> Square { text.parse().unwrap() };
        let castle = Board::from_fen("4kr2/8/8/8/8/8/8/R3K2R w KQ - 3 9").unwrap();
        let setup = Setup::from(&castle);
        let after = moved(&setup, square("e1"), square("g1"), None).unwrap();
        let place = |after: &Setup, text| after.placement.piece_on(square(text));
        assert_eq!(place(&after, "f1"), Some((Color::White, Piece::Rook)));
        assert_eq!(place(&after, "g1"), Some((Color::White, Piece::King)));
        assert_eq!((place(&after, "h1"), place(&after, "e1")), (None, None));
        assert_eq!((after.halfmove_clock, after.castling_rooks), (4, Bitboard::EMPTY));

        let pawn = Setup::from(&Board::from_fen("7k/P7/8/8/8/8/8/K7 w - - 9 1").unwrap());
        let left = moved(&pawn, square("a7"), square("a8"), None).unwrap();
        assert_eq!(place(&left, "a8"), Some((Color::White, Piece::Pawn)));
        assert_eq!((left.halfmove_clock, left.to_board().is_err()), (0, true));
        // Black's king may go anywhere: the pawn attacks nothing.
        assert_eq!(moves(&left).len(), 3);
    }
}
