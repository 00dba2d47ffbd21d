//! Lists of first-layer rows.

use tabiya_eval_shaders::PackedPosition;
use tabiya_rules::{Board, Color, Piece};

use crate::network::Architecture;
use crate::network::features::View;

/// The rows of one side: one for each piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    rows: [u32; 64],
    count: usize,
}

impl Rows {
    pub(super) const EMPTY: Self = Self {
        rows: [0; 64],
        count: 0,
    };

    #[inline]
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.rows[..self.count]
    }

    /// Adds a row. There are at most 64 squares, so the list has room; a further row would be dropped.
    #[inline]
    pub(super) fn push(&mut self, row: u32) {
        if let Some(slot) = self.rows.get_mut(self.count) {
            *slot = row;
            self.count += 1;
        }
    }

    /// The rows of a board as one side sees it.
    pub(super) fn of_board(board: &Board, view: View) -> Self {
        let mut rows = Self::EMPTY;
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in board.of(color, piece) {
                    rows.push(view.row(color.index() as u8, piece.index() as u8, square.index() as u8));
                }
            }
        }
        rows
    }

    /// The rows of a record as White and as Black see it.
    pub(super) fn of_record(position: &PackedPosition, architecture: &Architecture) -> [Self; 2] {
        let [white, black] = position.kings();
        let views = [
            View::new(architecture, 0, white),
            View::new(architecture, 1, black),
        ];
        let mut rows = [Self::EMPTY; 2];
        for piece in position.pieces() {
            for (rows, view) in rows.iter_mut().zip(views) {
                rows.push(view.row(piece.color, piece.kind, piece.square));
            }
        }
        rows
    }
}
