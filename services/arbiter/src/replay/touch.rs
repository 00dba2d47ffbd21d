//! Touch-move: which moves remain.

use tabiya_rules::{Color, Move, Piece, Square};

use super::{Reason, table::Table};
use crate::ruleset::Rule;

/// What touched pieces leave: the moves, `None` for any.
#[derive(PartialEq, Eq)]
pub(super) struct Obligation {
    pub(super) moves: Option<Vec<Move>>,
    pub(super) reason: Reason,
    pub(super) rule: Rule,
}

/// Whether a king and a rook of the side on move may be touched with the intention to castle: they have the right to, or
/// stand where a game begins.
fn may_mean_castling(table: &Table, king: Square, rook: Square) -> bool {
    let us = table.us();
    let held = table.setup.castling_rooks.has(rook);
    let home = |square: Square, files: &[u8]| square.relative_rank(us) == 0 && files.contains(&square.file());
    held || (home(king, &[4]) && home(rook, &[0, 7]))
}

/// The obligation of the player on move after touching these squares in order, whether at once or one by one. Where
/// `castling_due` is false, touching king and rook binds to any move of the king.
pub(super) fn obligation(table: &Table, squares: &[Square], castling_due: bool) -> Obligation {
    let (legal, us) = (&table.legal, table.us());
    let of = |color: Color| {
        let on = move |square: &&Square| table.color_on(**square) == Some(color);
        squares.iter().filter(on).copied()
    };
    let all = |square: Square| legal.iter().copied().filter(move |mv| mv.from() == square);
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

    // What cannot move binds nobody; a king and a rook may bind each other all the same.
    let royal = |square| matches!(table.piece_on(square), Some(Piece::King | Piece::Rook));
    let mut binding = of(us).filter(|&square| royal(square) || all(square).next().is_some());
    let pair = binding.next().zip(binding.next());
    let is = |square, piece| table.piece_on(square) == Some(piece);
    let castles = pair.filter(|&(first, second)| {
        is(first, Piece::King) && is(second, Piece::Rook) && may_mean_castling(table, first, second)
    });
    let barred = pair.filter(|&(first, second)| {
        is(first, Piece::Rook) && is(second, Piece::King) && may_mean_castling(table, second, first)
    });
    let barred = barred.map(|(rook, _)| rook);
    let moving = |square: Square| -> Vec<Move> {
        all(square)
            .filter(|mv| !mv.is_castle() || barred != Some(mv.to()))
            .collect()
    };
    let taking = |square: Square| -> Vec<Move> {
        let takes = |mv: &&Move| table.captured(**mv) == Some(square);
        legal.iter().filter(takes).copied().collect()
    };

    let castling: Vec<Move> = castles.map_or_else(Vec::new, |(king, rook)| {
        all(king).filter(|mv| mv.is_castle() && mv.to() == rook).collect()
    });
    let (castles, castling) = match castling_due || castling.is_empty() {
        true => (castles, castling),
        false => (None, Vec::new()),
    };
    let castling_due = || bound(castling.clone(), Reason::TouchedCastle, Rule::TouchCastle);
    let place = |square: Square| squares.iter().position(|&other| other == square);
    let theirs = of(!us).next();
    let before_theirs = |rook| theirs.is_none_or(|theirs| place(rook) < place(theirs));
    if !castling.is_empty() && castles.is_some_and(|(_, rook)| before_theirs(rook)) {
        return castling_due();
    }
    let mine = of(us).next();
    let both = mine.is_some() && theirs.is_some();
    if let Some((mine, theirs)) = mine.zip(theirs) {
        let mut exact = taking(theirs);
        exact.retain(|mv| mv.from() == mine);
        if !exact.is_empty() {
            return bound(exact, Reason::TouchedBoth, Rule::TouchBoth);
        }
    }
    if !castling.is_empty() {
        return castling_due();
    }
    if let Some((king, _)) = castles {
        let others = moving(king);
        if !others.is_empty() {
            return bound(others, Reason::TouchedCastleIllegal, Rule::TouchCastleIllegal);
        }
        // The rook that castling was meant with does not bind.
        if !both {
            return Obligation {
                rule: Rule::TouchCastleIllegal,
                ..free
            };
        }
    }
    for &square in squares {
        let ours = table.color_on(square) == Some(us);
        if ours && castles.is_some_and(|(_, rook)| rook == square) {
            continue;
        }
        let moves = if ours { moving(square) } else { taking(square) };
        if moves.is_empty() {
            continue;
        }
        let (reason, rule) = match (both, ours) {
            (_, true) if barred.is_some() => (Reason::TouchedRookFirst, Rule::TouchRookFirst),
            (true, _) => (Reason::TouchedBoth, Rule::TouchBoth),
            (false, true) => (Reason::TouchedOwn, Rule::TouchOwn),
            (false, false) => (Reason::TouchedEnemy, Rule::TouchEnemy),
        };
        return bound(moves, reason, rule);
    }
    free
}

/// The moves left where a touched piece was let go: an empty square among those touched is where the one named before it
/// was released, and a new piece stands where its pawn went. `None` if nothing was let go, or nothing legal.
pub(super) fn released(
    table: &Table,
    squares: &[Square],
    promotion: Option<Piece>,
    touched: &Obligation,
) -> Option<Vec<Move>> {
    let own = |square| table.color_on(square) == Some(table.us());
    let stood = |square| table.piece_on(square).is_none() || (promotion.is_some() && !own(square));
    let pair = squares.windows(2).find(|pair| own(pair[0]) && stood(pair[1]))?;
    let fits = |mv: &&Move| {
        mv.from() == pair[0]
            && mv.landing() == pair[1]
            && (promotion.is_none() || mv.promotion() == promotion)
            && touched.moves.as_ref().is_none_or(|moves| moves.contains(mv))
    };
    let moves: Vec<Move> = table.legal.iter().filter(fits).copied().collect();
    (!moves.is_empty()).then_some(moves)
}

/// Whether touching a square is part of playing each of these moves.
pub(super) fn belongs(table: &Table, square: Square, moves: &[Move]) -> bool {
    let part = |mv: &Move| mv.from() == square || mv.to() == square || table.captured(*mv) == Some(square);
    moves.iter().all(part)
}
