//! Evaluations for PGN comments.

use tabiya_client::v1::AnalyzeResponse;
use tabiya_rules::{
    Color,
    pgn::command::{Eval, EvalScore},
};

use super::row::ScoreRow;

/// The `[%eval]` of a position, from White's view as the convention is; none where no score is known, and none for
/// a mate on the board, for which the notation has no sign.
pub(crate) fn eval(answer: &AnalyzeResponse, to_move: Color) -> Option<Eval> {
    let line = answer.lines.first()?;
    let sign = if to_move == Color::Black { -1 } else { 1 };
    let score = match ScoreRow::of_line(line)? {
        ScoreRow::Cp(centipawns) => EvalScore::Centipawns(sign * centipawns),
        ScoreRow::Mate(0) => return None,
        ScoreRow::Mate(moves) => EvalScore::MateIn(sign * moves),
    };
    Some(Eval {
        score,
        depth: Some(line.depth).filter(|&depth| depth > 0),
    })
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{Line, Score, score::Kind};

    use super::*;

    fn answer(kind: Kind) -> AnalyzeResponse {
        let score = Some(Score {
            kind: Some(kind),
            ..Score::default()
        });
        AnalyzeResponse {
            lines: vec![Line {
                score,
                depth: 9,
                ..Line::default()
            }],
            ..AnalyzeResponse::default()
        }
    }

    #[test]
    fn scores_are_turned_to_white_s_view() {
        let text = |kind, to_move| eval(&answer(kind), to_move).map(|eval| eval.to_string());
        assert_eq!(
            text(Kind::Centipawns(31), Color::White).as_deref(),
            Some("0.31,9")
        );
        assert_eq!(
            text(Kind::Centipawns(31), Color::Black).as_deref(),
            Some("-0.31,9")
        );
        assert_eq!(text(Kind::MateIn(3), Color::Black).as_deref(), Some("#-3,9"));
        assert_eq!(text(Kind::MateIn(-2), Color::Black).as_deref(), Some("#2,9"));
        assert_eq!(text(Kind::MateIn(0), Color::Black), None);
    }
}
