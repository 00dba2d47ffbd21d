//! What stands on the table: a board's position, or one that no board holds.

use tabiya_rules::{Board, Color, Move, MoveList, Piece, Square, Variant, fen::Setup};

use super::{Replay, Written, setup_moves, setup_written, unruly::Unruly, written};

/// A position with its moves by the rules of movement.
pub(super) struct Table {
    pub(super) setup: Setup,
    pub(super) legal: Vec<Move>,
}

impl Table {
    pub(super) fn of_board(board: &Board) -> Self {
        let mut legal = MoveList::new();
        board.legal_moves(&mut legal);
        Self {
            setup: Setup::from(board),
            legal: legal.to_vec(),
        }
    }

    pub(super) fn of_setup(setup: Setup) -> Self {
        let legal = setup_moves::moves(&setup)
            .iter()
            .map(|mv| mv.as_move(&setup))
            .collect();
        Self { setup, legal }
    }

    /// Whose move it is.
    pub(super) fn us(&self) -> Color {
        self.setup.side_to_move
    }

    pub(super) fn color_on(&self, square: Square) -> Option<Color> {
        self.setup.placement.piece_on(square).map(|(color, _)| color)
    }

    pub(super) fn piece_on(&self, square: Square) -> Option<Piece> {
        self.setup.placement.piece_on(square).map(|(_, piece)| piece)
    }

    /// The square that a move takes on.
    pub(super) fn captured(&self, mv: Move) -> Option<Square> {
        if mv.is_en_passant() {
            return Some(Square::at(mv.to().file(), mv.from().rank()));
        }
        (!mv.is_castle() && self.piece_on(mv.to()).is_some()).then(|| mv.to())
    }
}

/// Reads a move on what no board holds, or else on a board.
pub(super) fn read(unruly: Option<&Unruly>, board: &Board, text: &str, variant: Variant) -> Written {
    match unruly.map(|unruly| &unruly.setup) {
        None => written::read(board, text, None, variant),
        Some(Some(setup)) => setup_written::read(setup, text, None),
        Some(None) => Written::Unreadable,
    }
}

impl Replay<'_> {
    /// What stands on the board; `None` if that is not known.
    pub(super) fn table(&self) -> Option<Table> {
        match &self.unruly {
            Some(unruly) => unruly.setup.map(Table::of_setup),
            None => Some(Table::of_board(self.board())),
        }
    }

    /// The moves by the rules of movement; none where nobody knows what stands there.
    pub(super) fn legal_moves(&self) -> Vec<Move> {
        self.table().map_or_else(Vec::new, |table| table.legal)
    }

    /// Reads a move for the side on move.
    pub(super) fn read(&self, text: &str) -> Written {
        read(self.unruly.as_ref(), self.board(), text, self.variant)
    }
}
