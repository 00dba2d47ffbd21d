//! A game, or a single position, as it goes through the program.

use std::sync::Arc;

use tabiya_rules::{Board, Move, Variant, epd::Epd, fen, pgn::GameTree, uci};

/// A game to analyse: the moves played and the positions between them.
#[derive(Clone, Debug)]
pub(crate) struct InputGame {
    /// The file it is from.
    pub(crate) file: Arc<str>,
    /// Its number, counted from 1 over all files; games that cannot be read count too.
    pub(crate) number: u64,
    /// How castling is set up and written.
    pub(crate) variant: Variant,
    /// The moves played, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// What it was read from.
    pub(crate) source: Source,
    /// The positions: before each move, and after the last.
    boards: Vec<Board>,
}

/// What a game was read from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A PGN game.
    Pgn(Box<GameTree>),
    /// A line with one position.
    Line(Box<Epd>),
}

impl InputGame {
    /// Plays the moves from a start.
    pub(crate) fn new(
        file: &Arc<str>,
        number: u64,
        variant: Variant,
        start: Board,
        moves: impl Iterator<Item = Move>,
        source: Source,
    ) -> Self {
        let mut board = start;
        let mut texts = Vec::new();
        let mut boards = vec![board];
        for mv in moves {
            texts.push(uci::write(mv, variant).to_string());
            board.play(mv);
            boards.push(board);
        }
        Self {
            file: Arc::clone(file),
            number,
            variant,
            moves: texts,
            source,
            boards,
        }
    }

    /// Number of positions: one more than moves.
    pub(crate) fn positions(&self) -> usize {
        self.boards.len()
    }

    /// The position after so many plies; after the last, the last one.
    pub(crate) fn board(&self, ply: usize) -> &Board {
        &self.boards[ply.min(self.boards.len() - 1)]
    }

    /// The text of the position after so many plies.
    pub(crate) fn fen(&self, ply: usize) -> String {
        fen::xfen(self.board(ply))
    }
}
