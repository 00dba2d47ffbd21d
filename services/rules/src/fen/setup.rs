//! A set-up: everything that a position consists of, not yet known to be playable.

use super::FenMode;
use super::error::{EnPassantFlaw, FenError, Reason};
use super::placement::Placement;
use super::playable;
use super::repair::{Log, Repair};
use crate::board::BoardParts;
use crate::{Bitboard, Board, Color, Piece, Square};

/// What a position consists of. Any values make a set-up; [`Setup::to_board`] tells whether it can be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Where the pieces stand.
    pub placement: Placement,
    /// Who is to move.
    pub side_to_move: Color,
    /// The rooks with which castling is still allowed.
    pub castling_rooks: Bitboard,
    /// The square that a pawn has just passed.
    pub en_passant: Option<Square>,
    /// Half-moves since the last pawn move or capture.
    pub halfmove_clock: u32,
    /// The number of the move, from 1.
    pub fullmove_number: u16,
}

impl Setup {
    /// The board of a set-up that can be played.
    ///
    /// # Errors
    ///
    /// Every reason of the stage [`super::Stage::Playable`].
    pub fn to_board(&self) -> Result<Board, FenError> {
        let mut log = Log::new(FenMode::Analysis);
        playable::pieces(&self.placement, &mut log);
        playable::opposite_check(&self.placement, self.side_to_move, &mut log);
        playable::en_passant(&self.placement, self.side_to_move, self.en_passant, &mut log);
        self.check_castling(&mut log);
        if !log.reasons.is_empty() {
            return Err(FenError::new(log.reasons));
        }
        Ok(self.to_board_unchecked())
    }

    fn check_castling(&self, log: &mut Log) {
        for rook in self.castling_rooks {
            let Some((color, piece)) = self.placement.piece_on(rook) else {
                log.refuse(Reason::CastlingRook(rook));
                continue;
            };
            let king = self.placement.king(color);
            let home =
                rook.rank() == color.back_rank() && king.is_none_or(|king| king.rank() == color.back_rank());
            if piece != Piece::Rook || !home {
                log.refuse(Reason::CastlingRook(rook));
            }
        }
        for color in Color::ALL {
            let Some(king) = self.placement.king(color) else {
                continue;
            };
            let rooks = self.castling_rooks & self.placement.color(color);
            let short = rooks.into_iter().filter(|rook| rook.file() > king.file()).count();
            if short > 1 || rooks.into_iter().count() > short + 1 {
                log.refuse(Reason::CastlingTwice(color));
            }
        }
    }

    pub(super) fn to_board_unchecked(self) -> Board {
        let placement = &self.placement;
        Board::from_parts(BoardParts {
            pieces: Piece::ALL.map(|piece| placement.kind(piece)),
            colors: Color::ALL.map(|color| placement.color(color)),
            side_to_move: self.side_to_move,
            castling: self.castling_rooks,
            en_passant: self.en_passant,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
        })
    }

    /// Tells lenient reading of an en-passant square that the board did not keep.
    pub(super) fn note_unused_en_passant(&self, board: &Board, repairs: &mut Vec<Repair>) {
        if let (Some(square), None) = (self.en_passant, board.en_passant()) {
            repairs.push(Repair::EnPassantDropped(square, EnPassantFlaw::Unused));
        }
    }
}

impl From<&Board> for Setup {
    fn from(board: &Board) -> Self {
        let mut placement = Placement::default();
        for square in board.occupied() {
            if let (Some(color), Some(piece)) = (board.color_on(square), board.piece_on(square)) {
                placement.put(square, color, piece);
            }
        }
        Self {
            placement,
            side_to_move: board.side_to_move(),
            castling_rooks: board.castling_rooks(),
            en_passant: board.en_passant(),
            halfmove_clock: board.halfmove_clock(),
            fullmove_number: board.fullmove_number(),
        }
    }
}
