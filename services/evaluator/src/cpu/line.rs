//! What changed along the line of play.

use tabiya_rules::{Board, Color, Move, MoveKind, Piece, Square};

use crate::network::Architecture;
use crate::network::features::View;

/// One piece that appeared or vanished.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    color: u8,
    kind: u8,
    square: u8,
}

/// Pieces that one move takes from the board and puts on it: at most two each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    removed: [Placed; 2],
    added: [Placed; 2],
    removed_count: u8,
    added_count: u8,
}

/// One ply of the line, without its sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ply {
    /// The difference to the ply before.
    pub(super) change: Change,
    /// How White and Black see the board here.
    pub(super) views: [View; 2],
    /// Whether a side's sums must be made anew because its view differs from that of the ply before.
    pub(super) new_view: [bool; 2],
    /// Whether a side's sums have been made.
    pub(super) ready: [bool; 2],
}

impl Placed {
    fn new(color: Color, piece: Piece, square: Square) -> Self {
        Self {
            color: color.index() as u8,
            kind: piece.index() as u8,
            square: square.index() as u8,
        }
    }
}

impl Change {
    const NOTHING: Self = {
        let nowhere = Placed {
            color: 0,
            kind: 0,
            square: 0,
        };
        Self {
            removed: [nowhere; 2],
            added: [nowhere; 2],
            removed_count: 0,
            added_count: 0,
        }
    };

    /// What a legal move changes. (For a move from an empty square: nothing.)
    #[inline]
    fn of_move(before: &Board, mv: Move) -> Self {
        let mut change = Self::NOTHING;
        let us = before.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let Some(moved) = before.piece_on(from) else {
            return change;
        };
        change.removed[0] = Placed::new(us, moved, from);
        change.removed_count = 1;
        change.added_count = 1;
        match mv.kind() {
            MoveKind::Castle => {
                let rook_file = if to.file() > from.file() { 5 } else { 3 };
                change.removed[1] = Placed::new(us, Piece::Rook, to);
                change.added[0] = Placed::new(us, Piece::King, mv.landing());
                change.added[1] = Placed::new(us, Piece::Rook, Square::at(rook_file, from.rank()));
                change.removed_count = 2;
                change.added_count = 2;
                return change;
            }
            MoveKind::EnPassant => {
                let victim = Square::at(to.file(), from.rank());
                change.removed[1] = Placed::new(!us, Piece::Pawn, victim);
                change.removed_count = 2;
            }
            MoveKind::Normal | MoveKind::Promotion(_) => {
                if let Some(captured) = before.piece_on(to) {
                    change.removed[1] = Placed::new(!us, captured, to);
                    change.removed_count = 2;
                }
            }
        }
        change.added[0] = Placed::new(us, mv.promotion().unwrap_or(moved), to);
        change
    }

    /// The rows to add, with their number.
    #[inline]
    pub(super) fn added_rows(&self, view: View) -> ([u32; 2], usize) {
        (
            self.added
                .map(|piece| view.row(piece.color, piece.kind, piece.square)),
            usize::from(self.added_count),
        )
    }

    /// The rows to remove, with their number.
    #[inline]
    pub(super) fn removed_rows(&self, view: View) -> ([u32; 2], usize) {
        (
            self.removed
                .map(|piece| view.row(piece.color, piece.kind, piece.square)),
            usize::from(self.removed_count),
        )
    }
}

impl Ply {
    /// The first ply of a line.
    pub(super) fn first(architecture: &Architecture, board: &Board) -> Self {
        Self {
            change: Change::NOTHING,
            views: Color::ALL.map(|color| view(architecture, board, color)),
            new_view: [true; 2],
            ready: [false; 2],
        }
    }

    /// The ply behind this one after a move.
    #[inline]
    pub(super) fn after_move(
        &self,
        architecture: &Architecture,
        before: &Board,
        mv: Move,
        after: &Board,
    ) -> Self {
        let us = before.side_to_move();
        let mut next = self.after_null();
        next.change = Change::of_move(before, mv);
        let view = view(architecture, after, us);
        let side = us.index();
        next.new_view[side] = view != self.views[side];
        next.views[side] = view;
        next
    }

    /// The ply behind this one after a passed turn.
    #[inline]
    pub(super) fn after_null(&self) -> Self {
        Self {
            change: Change::NOTHING,
            views: self.views,
            new_view: [false; 2],
            ready: [false; 2],
        }
    }
}

/// How `color` sees the board.
#[inline]
pub(super) fn view(architecture: &Architecture, board: &Board, color: Color) -> View {
    View::new(architecture, color.index() as u8, board.king(color).index() as u8)
}
