//! What the search asks of a move before playing it.

use tabiya_rules::attacks::{
    between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, line, pawn_attacks, rook_attacks,
    rook_rays,
};
use tabiya_rules::{Bitboard, Board, Color, Move, MoveKind, Piece, Square};

/// The kind of piece taken, if the move captures.
#[inline]
pub(crate) fn captured(board: &Board, mv: Move) -> Option<Piece> {
    if mv.is_normal() || mv.promotion().is_some() {
        board.piece_on(mv.to())
    } else if mv.is_en_passant() {
        Some(Piece::Pawn)
    } else {
        None
    }
}

/// Whether the move captures or promotes.
#[inline]
pub(crate) fn is_tactical(board: &Board, mv: Move) -> bool {
    mv.promotion().is_some() || captured(board, mv).is_some()
}

/// Whether a move from the table or a killer slot is legal here: as [`Board::is_legal`], without listing all moves.
pub(crate) fn is_legal(board: &Board, mv: Move) -> bool {
    let us = board.side_to_move();
    let (from, to) = (mv.from(), mv.to());
    let Some(piece) = board.piece_on(from).filter(|_| board.colors(us).has(from)) else {
        return false;
    };
    let promotes = match mv.kind() {
        MoveKind::Normal => false,
        // Bits that stand for no kind read as a promotion; the move made of the kind then differs.
        MoveKind::Promotion(_) if piece == Piece::Pawn && Move::new(from, to, mv.kind()) == mv => true,
        MoveKind::Castle | MoveKind::EnPassant => return board.is_legal(mv),
        MoveKind::Promotion(_) => return false,
    };
    if board.colors(us).has(to) {
        return false;
    }
    let occupied = board.occupied();
    let king = board.king(us);
    let reachable = match piece {
        Piece::Pawn => {
            if promotes != Bitboard::BACK_RANKS.has(to) {
                return false;
            }
            pawn_targets(board, us, from)
        }
        Piece::Knight => knight_attacks(from),
        Piece::Bishop => bishop_attacks(from, occupied),
        Piece::Rook => rook_attacks(from, occupied),
        Piece::Queen => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
        Piece::King => {
            return king_attacks(from).has(to) && !board.attacked_by(!us, to, occupied ^ from.bitboard());
        }
    };
    let checkers = board.checkers();
    let blocks = match checkers.first() {
        None => true,
        Some(_) if checkers.more_than_one() => false,
        Some(checker) => (between(king, checker) | checkers).has(to),
    };
    reachable.has(to) && blocks && (!board.pinned().has(from) || line(king, from).has(to))
}

/// Where a pawn may go, en passant left out.
fn pawn_targets(board: &Board, us: Color, from: Square) -> Bitboard {
    let free = !board.occupied();
    let forward = |set: Bitboard| if us == Color::White { set << 8 } else { set >> 8 };
    let single = forward(from.bitboard()) & free;
    let double = if from.relative_rank(us) == 1 {
        forward(single) & free
    } else {
        Bitboard::EMPTY
    };
    pawn_attacks(us, from) & board.colors(!us) | single | double
}

/// Number of values of [`piece_to`].
pub(crate) const PIECE_TOS: usize = 12 * 64;

/// Colour, kind and destination of a move as one index below [`PIECE_TOS`].
#[inline]
pub(crate) fn piece_to(board: &Board, mv: Move) -> usize {
    let piece = board.piece_on(mv.from()).unwrap_or(Piece::Pawn);
    (board.side_to_move().index() * 6 + piece.index()) * 64 + mv.to().index()
}

/// Which moves of one position give check.
pub(crate) struct CheckInfo {
    king: Square,
    /// For each kind of piece, squares from which it would check.
    squares: [Bitboard; 6],
    /// Own pieces that alone stand between an own slider and the other king.
    discoverers: Bitboard,
}

impl CheckInfo {
    pub(crate) fn new(board: &Board) -> Self {
        let us = board.side_to_move();
        let king = board.king(!us);
        let occupied = board.occupied();
        let bishop = bishop_attacks(king, occupied);
        let rook = rook_attacks(king, occupied);
        let queens = board.pieces(Piece::Queen);
        let snipers = (bishop_rays(king) & (board.pieces(Piece::Bishop) | queens)
            | rook_rays(king) & (board.pieces(Piece::Rook) | queens))
            & board.colors(us);
        let mut discoverers = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = between(king, sniper) & occupied;
            if !blockers.more_than_one() {
                discoverers |= blockers & board.colors(us);
            }
        }
        Self {
            king,
            squares: [
                pawn_attacks(!us, king),
                knight_attacks(king),
                bishop,
                rook,
                bishop | rook,
                Bitboard::EMPTY,
            ],
            discoverers,
        }
    }

    /// Whether the move gives check. Castling and en passant are judged as plain moves: good enough for
    /// ordering and pruning, which is all this is for.
    #[inline]
    pub(crate) fn gives_check(&self, board: &Board, mv: Move) -> bool {
        let piece = mv
            .promotion()
            .or_else(|| board.piece_on(mv.from()))
            .unwrap_or(Piece::Pawn);
        self.squares[piece.index()].has(mv.to())
            || self.discoverers.has(mv.from()) && !line(self.king, mv.from()).has(mv.to())
    }
}

#[cfg(test)]
mod tests {
    use tabiya_rules::MoveList;

    use super::*;

    /// Plays random games and hands every position to `check`.
    fn random_positions(mut check: impl FnMut(&Board)) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20 {
            let mut board = Board::startpos();
            for _ in 0..120 {
                let mut list = MoveList::new();
                board.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                check(&board);
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                board.play(list[(state % list.len() as u64) as usize]);
            }
        }
    }

    #[test]
    fn quick_legality_equals_the_generator_for_all_bits() {
        let mut seen = 0;
        random_positions(|board| {
            seen += 1;
            if seen % 12 == 0 {
                let mut list = MoveList::new();
                board.legal_moves(&mut list);
                for bits in 0..=u16::MAX {
                    let mv = Move::from_bits(bits);
                    assert_eq!(
                        is_legal(board, mv),
                        list.contains(&mv),
                        "{mv} ({bits:#x}) in {board:?}"
                    );
                }
            }
        });
        assert!(seen > 1_000);
    }

    #[test]
    fn foreseen_checks_are_checks() {
        let mut checks = 0;
        random_positions(|board| {
            let info = CheckInfo::new(board);
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            for &mv in &list {
                if !mv.is_castle() && !mv.is_en_passant() && mv.promotion().is_none() {
                    checks += usize::from(board.after(mv).in_check());
                    assert_eq!(
                        info.gives_check(board, mv),
                        board.after(mv).in_check(),
                        "{mv} in {board:?}"
                    );
                }
            }
        });
        assert!(checks > 500);
    }
}
