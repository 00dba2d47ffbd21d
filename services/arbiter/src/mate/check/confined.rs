use tabiya_rules::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use tabiya_rules::{Bitboard, Board, Color, Piece, Square};

use super::{CheckError, mating_net};
use crate::mate::{PieceReach, Reach};

/// Whether the reach is closed under every move that might ever be possible, and no mate fits into it.
///
/// Why this suffices: suppose that in some position each piece stands on its squares and only capturable pieces have
/// been taken. A legal move then runs over squares without a fixed piece (one that never moves and is never taken),
/// so it is among the moves tried here, and the position after it has the same property.
pub(in crate::mate) fn confined(board: &Board, side: Color, reach: &Reach) -> Result<(), CheckError> {
    if board.castling_rooks().any() {
        return Err(CheckError::Castling);
    }
    let listed: Bitboard = reach.pieces.iter().map(|piece| piece.from).collect();
    let complete = listed == board.occupied() && reach.pieces.len() == listed.count() as usize;
    let standing = reach.pieces.iter().all(|piece| piece.squares.has(piece.from));
    if !complete || !standing {
        return Err(CheckError::Pieces);
    }
    let ground = Ground::new(board, reach);
    // A pawn that has just made a double step may be taken on the square it passed.
    let passed = board.en_passant().is_none_or(|target| {
        let pawn = Square::at(target.file(), if target.rank() == 2 { 3 } else { 4 });
        reach
            .pieces
            .iter()
            .any(|piece| piece.from == pawn && piece.squares.has(target))
    });
    let closed = reach.pieces.iter().all(|piece| ground.holds(board, reach, piece));
    if !passed || !closed {
        return Err(CheckError::NotConfined);
    }
    mating_net::absent(board, side, reach, &ground)
}

/// What the reach says about the board at any time.
pub(in crate::mate) struct Ground {
    /// Pieces that never move and are never taken.
    pub(in crate::mate) fixed: Bitboard,
    /// By colour: squares where that colour may ever have a piece other than the king.
    pub(in crate::mate) takeable: [Bitboard; 2],
    /// By colour: pawns that are never taken and never leave their file. While both stand there, no pawn that keeps
    /// to the same file gets past them.
    pub(in crate::mate) stoppers: [Bitboard; 2],
    /// By colour: squares that no king of that colour may ever enter.
    pub(in crate::mate) barred: [Bitboard; 2],
}

impl Ground {
    pub(in crate::mate) fn new(board: &Board, reach: &Reach) -> Self {
        let mut ground = Self {
            fixed: Bitboard::EMPTY,
            takeable: [Bitboard::EMPTY; 2],
            stoppers: [Bitboard::EMPTY; 2],
            barred: [Bitboard::EMPTY; 2],
        };
        for piece in &reach.pieces {
            let Some(color) = board.color_on(piece.from) else {
                continue;
            };
            if piece.squares == piece.from.bitboard() && !piece.capturable {
                ground.fixed |= piece.from.bitboard();
            }
            let kind = board.piece_on(piece.from);
            if kind != Some(Piece::King) {
                ground.takeable[color.index()] |= piece.squares;
            }
            if kind == Some(Piece::Pawn) && !piece.capturable && !piece.promotes && keeps_file(piece) {
                ground.stoppers[color.index()] |= piece.from.bitboard();
            }
        }
        for color in Color::ALL {
            // The king that is to be barred does not shield the squares behind it.
            let own_king = board.king(color).bitboard();
            let others = reach
                .pieces
                .iter()
                .filter(|piece| piece.from.bitboard() != own_king);
            let ever = others.fold(Bitboard::EMPTY, |ever, piece| ever | piece.squares);
            for from in ground.fixed & board.colors(!color) {
                let rays = attacks(board, from, false, from, Bitboard::EMPTY);
                let open = |to: &Square| (between(from, *to) & ever).is_empty();
                ground.barred[color.index()] |= rays.into_iter().filter(open).collect();
            }
        }
        ground
    }

    /// Squares that a piece may enter from one of its squares: all, and those where it may take.
    pub(in crate::mate) fn moves(
        &self,
        board: &Board,
        piece: &PieceReach,
        at: Square,
    ) -> (Bitboard, Bitboard) {
        let (Some(kind), Some(color)) = (board.piece_on(piece.from), board.color_on(piece.from)) else {
            return (Bitboard::EMPTY, Bitboard::EMPTY);
        };
        let own_fixed = self.fixed & board.colors(color);
        let their_king = self.fixed & board.king(!color).bitboard();
        let mut quiet = Bitboard::EMPTY;
        let mut takes = attacks(board, piece.from, piece.promotes, at, self.fixed) & !own_fixed & !their_king;
        match kind {
            Piece::Pawn => {
                if !piece.promotes {
                    takes &= self.takeable[(!color).index()];
                }
                let stoppers = if keeps_file(piece) {
                    self.stoppers[(!color).index()]
                } else {
                    Bitboard::EMPTY
                };
                quiet = pawn_steps(color, at, self.fixed | stoppers);
            }
            Piece::King => takes &= !self.barred[color.index()],
            _ => {}
        }
        (quiet | takes, takes)
    }

    fn holds(&self, board: &Board, reach: &Reach, piece: &PieceReach) -> bool {
        let color = board.color_on(piece.from);
        let mut all = Bitboard::EMPTY;
        let mut takes = Bitboard::EMPTY;
        for at in piece.squares {
            let (entered, taken_on) = self.moves(board, piece, at);
            all |= entered;
            takes |= taken_on;
        }
        let pawn = board.piece_on(piece.from) == Some(Piece::Pawn);
        let promotes = pawn && ((all | piece.squares) & Bitboard::BACK_RANKS).any();
        let inside = (all & !piece.squares).is_empty() && (!promotes || piece.promotes);
        let taken_are_listed = reach.pieces.iter().all(|victim| {
            victim.capturable
                || board.color_on(victim.from) == color
                || board.piece_on(victim.from) == Some(Piece::King)
                || (victim.squares & takes).is_empty()
        });
        inside && taken_are_listed
    }
}

/// Whether a pawn stays on its file.
fn keeps_file(pawn: &PieceReach) -> bool {
    (pawn.squares & !Bitboard::file(pawn.from.file())).is_empty()
}

/// Squares that a pawn steps to if it cannot enter `closed`.
fn pawn_steps(color: Color, at: Square, closed: Bitboard) -> Bitboard {
    let step = |set: Bitboard| match color {
        Color::White => set << 8 & !closed,
        Color::Black => set >> 8 & !closed,
    };
    let one = step(at.bitboard());
    let two = if at.relative_rank(color) == 1 {
        step(one)
    } else {
        Bitboard::EMPTY
    };
    one | two
}

/// Squares that the piece from `from` attacks from `at`; one that may have been promoted attacks as every kind.
pub(in crate::mate) fn attacks(
    board: &Board,
    from: Square,
    promotes: bool,
    at: Square,
    occupied: Bitboard,
) -> Bitboard {
    let (Some(kind), Some(color)) = (board.piece_on(from), board.color_on(from)) else {
        return Bitboard::EMPTY;
    };
    match kind {
        Piece::Pawn if promotes => queen_attacks(at, occupied) | knight_attacks(at) | pawn_attacks(color, at),
        Piece::Pawn => pawn_attacks(color, at),
        Piece::Knight => knight_attacks(at),
        Piece::Bishop => bishop_attacks(at, occupied),
        Piece::Rook => rook_attacks(at, occupied),
        Piece::Queen => queen_attacks(at, occupied),
        Piece::King => king_attacks(at),
    }
}
