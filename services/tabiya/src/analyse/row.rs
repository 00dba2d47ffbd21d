//! JSON Lines: one object for each position.

use serde::Serialize;
use tabiya_client::v1::{AnalyzeResponse, Line, score::Kind};

use crate::input::InputGame;

/// One position's result, as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct Row<'a> {
    /// The file, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The game, counted from 1 over all files.
    game: u64,
    /// Plies played before the position.
    ply: usize,
    fen: String,
    /// The move played in the game; null in its final position.
    played: Option<&'a str>,
    #[serde(flatten)]
    answer: AnswerRow<'a>,
}

/// What a search found, as every command writes it.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerRow<'a> {
    /// Null if there is no legal move.
    best_move: Option<&'a str>,
    score: Option<ScoreRow>,
    pv: &'a [String],
    depth: u32,
    seldepth: u32,
    nodes: u64,
    /// Positions found in the endgame tables.
    tb_hits: u64,
    /// All lines, where more than one was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<LineRow<'a>>,
}

#[derive(Debug, Serialize)]
struct LineRow<'a> {
    score: Option<ScoreRow>,
    pv: &'a [String],
    depth: u32,
}

/// A score from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScoreRow {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate; negative when the side to move is mated, 0 when it is mated now.
    Mate(i32),
}

impl ScoreRow {
    /// The score of a line, if it carries one.
    pub(crate) fn of_line(line: &Line) -> Option<Self> {
        Some(match line.score.as_ref()?.kind? {
            Kind::Centipawns(centipawns) => Self::Cp(centipawns),
            Kind::MateIn(moves) => Self::Mate(moves),
        })
    }
}

impl<'a> Row<'a> {
    /// The row of a game's position.
    pub(crate) fn new(
        game: &'a InputGame,
        ply: usize,
        answer: &'a AnalyzeResponse,
        with_file: bool,
        multipv: u32,
    ) -> Self {
        Self {
            file: with_file.then_some(&*game.file),
            game: game.number,
            ply,
            fen: game.fen(ply),
            played: game.moves.get(ply).map(String::as_str),
            answer: AnswerRow::new(answer, multipv > 1),
        }
    }
}

impl<'a> AnswerRow<'a> {
    /// The best line, and all of them if `with_lines` says so.
    pub(crate) fn new(answer: &'a AnalyzeResponse, with_lines: bool) -> Self {
        let best = answer.lines.first();
        Self {
            best_move: Some(answer.best_move.as_str()).filter(|text| !text.is_empty()),
            score: best.and_then(ScoreRow::of_line),
            pv: best.map(|line| line.moves.as_slice()).unwrap_or_default(),
            depth: best.map_or(answer.depth, |line| line.depth),
            seldepth: best.map_or(0, |line| line.seldepth),
            nodes: answer.stats.as_ref().map_or(0, |stats| stats.nodes),
            tb_hits: answer.stats.as_ref().map_or(0, |stats| stats.tb_hits),
            lines: if with_lines {
                answer.lines.iter().map(LineRow::new).collect()
            } else {
                Vec::new()
            },
        }
    }
}

impl<'a> LineRow<'a> {
    fn new(line: &'a Line) -> Self {
        Self {
            score: ScoreRow::of_line(line),
            pv: &line.moves,
            depth: line.depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{Score, SearchStats};

    use super::*;
    use crate::input::tests::two_moves;

    fn answer(kind: Kind) -> AnalyzeResponse {
        AnalyzeResponse {
            best_move: "g1f3".to_owned(),
            lines: vec![Line {
                moves: vec!["g1f3".to_owned(), "b8c6".to_owned()],
                score: Some(Score {
                    kind: Some(kind),
                    ..Score::default()
                }),
                depth: 7,
                seldepth: 12,
                ..Line::default()
            }],
            stats: Some(SearchStats {
                nodes: 1_000,
                tb_hits: 5,
                ..SearchStats::default()
            }),
            depth: 7,
            ..AnalyzeResponse::default()
        }
    }

    #[test]
    fn a_row_has_the_fields_of_the_contract() {
        let game = two_moves();
        let answer = answer(Kind::Centipawns(-31));
        let row = serde_json::to_string(&Row::new(&game, 1, &answer, false, 1)).unwrap();
        assert_eq!(
            row,
            r#"{"game":3,"ply":1,"fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1","#
                .to_owned()
                + r#""played":"e7e5","best_move":"g1f3","score":{"cp":-31},"pv":["g1f3","b8c6"],"#
                + r#""depth":7,"seldepth":12,"nodes":1000,"tb_hits":5}"#
        );
    }

    #[test]
    fn the_final_position_has_no_move_played() {
        let game = two_moves();
        let mated = AnalyzeResponse {
            best_move: String::new(),
            lines: vec![Line {
                score: Some(Score {
                    kind: Some(Kind::MateIn(0)),
                    ..Score::default()
                }),
                ..Line::default()
            }],
            ..AnalyzeResponse::default()
        };
        let row = serde_json::to_value(Row::new(&game, 2, &mated, true, 2)).unwrap();
        assert_eq!(row["played"], serde_json::Value::Null);
        assert_eq!(row["best_move"], serde_json::Value::Null);
        assert_eq!(row["score"], serde_json::json!({"mate": 0}));
        assert_eq!(row["file"], "games.pgn");
        assert_eq!(row["lines"].as_array().map(Vec::len), Some(1));
    }
}
