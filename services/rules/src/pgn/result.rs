//! Who won: the board, the termination marker and the `Result` tag.

use super::tree::play;
use super::{GameTree, Outcome, ResultConflict};
use crate::{Board, Color};

impl GameTree {
    /// What the last position of the main line says: mate or stalemate.
    #[must_use]
    pub fn board_outcome(&self) -> Option<Outcome> {
        let mut board = *self.start();
        self.main_line().for_each(|node| play(&mut board, self.mv(node)));
        outcome_on(&board)
    }

    /// Contradictions between termination marker, `Result` tag and the board.
    #[must_use]
    pub fn conflicts(&self) -> Vec<ResultConflict> {
        let tag = self.tags.get("Result").and_then(Outcome::from_informal);
        let board = self.board_outcome();
        let marker = self.marker();
        let marker_tag = marker.zip(tag).filter(|(marker, tag)| marker != tag);
        let marker_board = marker.zip(board).filter(|(marker, board)| marker != board);
        let tag_board = tag.zip(board).filter(|(tag, board)| tag != board);
        [
            marker_tag.map(|(marker, tag)| ResultConflict::MarkerTag { marker, tag }),
            marker_board.map(|(marker, board)| ResultConflict::MarkerBoard { marker, board }),
            tag_board.map(|(tag, board)| ResultConflict::TagBoard { tag, board }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The result: mate or stalemate on the board if there is one, else the marker, else the `Result` tag.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let tag = || self.tags.get("Result").and_then(Outcome::from_informal);
        self.board_outcome()
            .or(self.marker())
            .or_else(tag)
            .unwrap_or(Outcome::Unknown)
    }
}

fn outcome_on(board: &Board) -> Option<Outcome> {
    if board.has_legal_move() {
        return None;
    }
    Some(match (board.in_check(), board.side_to_move()) {
        (false, _) => Outcome::Draw,
        (true, Color::White) => Outcome::BlackWins,
        (true, Color::Black) => Outcome::WhiteWins,
    })
}
