//! Results as text, in each format.

use std::io;

use tabiya_client::v1::AnalyzeResponse;
use tabiya_rules::pgn::{GameTree, NodeId, command::Eval};

use super::{Format, annotate::eval, epd_line::epd_line, row::Row};
use crate::{
    failure::Failure,
    input::{InputGame, Source},
};

/// Writes results in the order of game and ply.
#[derive(Debug)]
pub(crate) struct Writer {
    format: Format,
    with_file: bool,
    multipv: u32,
    /// Evaluations of the game at hand, each with the ply of its position; for PGN only.
    evals: Vec<(usize, Eval)>,
}

impl Writer {
    /// A writer; `with_file` for rows that name the file.
    pub(crate) fn new(format: Format, with_file: bool, multipv: u32) -> Self {
        Self {
            format,
            with_file,
            multipv,
            evals: Vec::new(),
        }
    }

    /// Whether a run can be continued after any position, and not only after a game's last.
    pub(crate) fn is_whole_after_each_position(&self) -> bool {
        self.format != Format::Pgn
    }

    /// Writes the result of a position.
    ///
    /// # Errors
    /// If it cannot be put into the format.
    pub(crate) fn position(
        &mut self,
        game: &InputGame,
        ply: usize,
        answer: &AnalyzeResponse,
        text: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Jsonl => {
                let row = Row::new(game, ply, answer, self.with_file, self.multipv);
                serde_json::to_writer(&mut *text, &row)
                    .map_err(|error| Failure::stdout(io::Error::from(error)))?;
                text.push(b'\n');
            }
            Format::Epd => text.extend_from_slice(epd_line(game, ply, answer).as_bytes()),
            Format::Pgn => {
                let to_move = game.board(ply).side_to_move();
                self.evals.extend(eval(answer, to_move).map(|eval| (ply, eval)));
            }
        }
        Ok(())
    }

    /// Writes what belongs to a game as a whole.
    pub(crate) fn end_game(&mut self, game: &InputGame, text: &mut Vec<u8>) {
        let evals = std::mem::take(&mut self.evals);
        if self.format != Format::Pgn {
            return;
        }
        let mut tree = match &game.source {
            Source::Pgn(tree) => GameTree::clone(tree),
            Source::Line(epd) => GameTree::new(epd.board, game.variant),
        };
        let nodes: Vec<NodeId> = tree.main_line().collect();
        for (ply, eval) in evals {
            // The position after a move is judged in that move's comment. Before the first move there is a place only
            // in a game that is nothing but a position.
            let node = match ply.checked_sub(1) {
                Some(last) => nodes.get(last).copied(),
                None => nodes.is_empty().then_some(NodeId::ROOT),
            };
            if let Some(node) = node {
                tree.set_eval(node, eval);
            }
        }
        text.extend_from_slice(tree.to_string().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{Line, Score, score::Kind};

    use super::*;
    use crate::input::tests::two_moves;

    fn answer(centipawns: i32) -> AnalyzeResponse {
        let score = Some(Score {
            kind: Some(Kind::Centipawns(centipawns)),
            ..Score::default()
        });
        AnalyzeResponse {
            lines: vec![Line {
                score,
                depth: 4,
                ..Line::default()
            }],
            ..AnalyzeResponse::default()
        }
    }

    #[test]
    fn a_game_is_annotated_as_a_whole() -> Result<(), Failure> {
        let game = two_moves();
        let mut writer = Writer::new(Format::Pgn, false, 1);
        let mut text = Vec::new();
        for (ply, centipawns) in [20, -25, 30].into_iter().enumerate() {
            writer.position(&game, ply, &answer(centipawns), &mut text)?;
        }
        assert!(text.is_empty());
        assert!(!writer.is_whole_after_each_position());
        writer.end_game(&game, &mut text);
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains("1. e4 {[%eval 0.25,4]} {best}"), "{text}");
        assert!(text.contains("e5 {[%eval 0.30,4]}"), "{text}");
        assert!(text.ends_with("*\n\n"), "{text}");
        Ok(())
    }
}
