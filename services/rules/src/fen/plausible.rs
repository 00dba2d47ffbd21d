//! Cheap necessary tests of whether some game leads to a position. Passing them proves nothing.

use super::error::Reason;
use super::placement::Placement;
use super::playable::{double_step, has_taker, promoted};
use super::repair::Log;
use super::setup::Setup;
use crate::attacks::line;
use crate::{Bitboard, Color, Piece, Square, Variant};

pub(super) fn examine(setup: &Setup, variant: Variant, log: &mut Log) {
    let placement = &setup.placement;
    for color in Color::ALL {
        men(placement, color, log);
        pawn_captures(placement, color, log);
        if variant == Variant::Standard {
            bishops(placement, color, log);
        }
    }
    checks(setup, variant, log);
    en_passant(setup, log);
    let plies = u32::from(setup.fullmove_number.saturating_sub(1)) * 2
        + u32::from(setup.side_to_move == Color::Black);
    if setup.halfmove_clock > plies {
        log.refuse(Reason::HalfmoveAhead(setup.halfmove_clock, plies));
    }
    if variant == Variant::Chess960 {
        chess960_start(setup, log);
    }
}

/// Numbers of men.
fn men(placement: &Placement, color: Color, log: &mut Log) {
    let count = placement.color(color).count();
    if count > 16 {
        log.refuse(Reason::PieceCount(color, count));
    }
    let pawns = placement.pieces(color, Piece::Pawn).count();
    if pawns > 8 {
        log.refuse(Reason::PawnCount(color, pawns));
    }
    let surplus = promoted(placement, color).saturating_sub(8_u32.saturating_sub(pawns));
    if surplus > 0 {
        log.refuse(Reason::Promotions(color, surplus));
    }
}

/// Each pawn came from a file of its own and changed it once a capture; so many men the opponent must have lost.
fn pawn_captures(placement: &Placement, color: Color, log: &mut Log) {
    let pawns = placement.pieces(color, Piece::Pawn) & !Bitboard::BACK_RANKS;
    if pawns.count() > 8 {
        return;
    }
    // The cheapest assignment of pawns to first files; the index is the set of files used.
    let mut cheapest = [None; 256];
    cheapest[0] = Some(0_u32);
    for pawn in pawns {
        let mut next = [None; 256];
        for (used, cost) in cheapest.iter().enumerate() {
            let Some(cost) = cost else { continue };
            for file in 0..8_u8 {
                let shift = file.abs_diff(pawn.file());
                if used >> file & 1 == 0 && shift < pawn.relative_rank(color) {
                    let slot: &mut Option<u32> = &mut next[used | 1 << file];
                    let total = cost + u32::from(shift);
                    *slot = Some(slot.map_or(total, |known| known.min(total)));
                }
            }
        }
        cheapest = next;
    }
    let needed = cheapest.iter().flatten().min().copied();
    let available = 16_u32.saturating_sub(placement.color(!color).count());
    if needed.is_none_or(|needed| needed > available) {
        log.refuse(Reason::PawnCaptures {
            color,
            needed,
            available,
        });
    }
}

/// While both its pawns stand unmoved, a bishop is at home or has been taken there; any other on squares of its
/// colour is promoted.
fn bishops(placement: &Placement, color: Color, log: &mut Log) {
    let spare = 8_u32.saturating_sub(placement.pieces(color, Piece::Pawn).count());
    let bishops = placement.pieces(color, Piece::Bishop);
    for file in [2, 5] {
        let home = Square::at(file, color.back_rank());
        let guard_rank = if color == Color::White { 1 } else { 6 };
        let guards =
            Square::at(file - 1, guard_rank).bitboard() | Square::at(file + 1, guard_rank).bitboard();
        let locked = placement.pieces(color, Piece::Pawn) & guards == guards;
        let shade = if Bitboard::LIGHT_SQUARES.has(home) {
            Bitboard::LIGHT_SQUARES
        } else {
            !Bitboard::LIGHT_SQUARES
        };
        let elsewhere = (bishops & shade & !home.bitboard()).count();
        if locked && elsewhere > spare {
            log.refuse(Reason::BishopBehindPawns(home));
        }
    }
}

/// One move gives at most two checks, and two only by uncovering one of them.
fn checks(setup: &Setup, variant: Variant, log: &mut Log) {
    let placement = &setup.placement;
    let Some(king) = placement.king(setup.side_to_move) else {
        return;
    };
    let opponent = !setup.side_to_move;
    let checkers = placement.attackers(king, opponent);
    let pawns = placement.pieces(opponent, Piece::Pawn);
    for pawn in checkers & pawns {
        if pawn.relative_rank(opponent) == 1 {
            log.refuse(Reason::UnmovedPawnCheck(pawn));
        }
    }
    if checkers.count() > 2 {
        log.refuse(Reason::Checkers(checkers.count()));
        return;
    }
    let mut pair = checkers.into_iter();
    if let (Some(a), Some(b)) = (pair.next(), pair.next()) {
        let steppers = checkers & (pawns | placement.pieces(opponent, Piece::Knight));
        // Through the king from both sides: whichever came last would have had to jump over him. In Chess960
        // castling can drop a rook on the far side.
        let through = line(a, king) == line(b, king) && line(a, king).any();
        if steppers.more_than_one() || through && variant == Variant::Standard {
            log.refuse(Reason::DoubleCheck);
        }
    }
}

/// The double step must have been possible, and must be the last thing that happened.
fn en_passant(setup: &Setup, log: &mut Log) {
    let Some(square) = setup.en_passant else { return };
    if setup.halfmove_clock != 0 {
        log.refuse(Reason::EnPassantClock(setup.halfmove_clock));
    }
    let us = setup.side_to_move;
    let (origin, pawn) = double_step(square, us);
    let mut before = setup.placement;
    before.clear(pawn);
    before.put(origin, !us, Piece::Pawn);
    if setup
        .placement
        .king(us)
        .is_some_and(|king| before.attackers(king, !us).any())
    {
        log.refuse(Reason::EnPassantCheck(square));
    }
    if !has_taker(&setup.placement, us, square) {
        log.refuse(Reason::EnPassantNotXfen(square));
    }
}

/// In Chess960 the king starts between its rooks, and both sides start alike.
fn chess960_start(setup: &Setup, log: &mut Log) {
    let mut sides = Vec::new();
    for color in Color::ALL {
        let rooks = setup.castling_rooks & setup.placement.color(color);
        let Some(king) = setup.placement.king(color).filter(|_| rooks.any()) else {
            continue;
        };
        if matches!(king.file(), 0 | 7) {
            log.refuse(Reason::CastlingKingFile(king));
        }
        let wing = |short: bool| {
            rooks
                .into_iter()
                .map(Square::file)
                .find(|&file| (file > king.file()) == short)
        };
        sides.push((king.file(), wing(true), wing(false)));
    }
    if let [(white, white_short, white_long), (black, black_short, black_long)] = sides[..] {
        let differ = |a: Option<u8>, b: Option<u8>| a.zip(b).is_some_and(|(a, b)| a != b);
        if white != black || differ(white_short, black_short) || differ(white_long, black_long) {
            log.refuse(Reason::CastlingFilesDiffer);
        }
    }
}
