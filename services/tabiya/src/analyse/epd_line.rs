//! EPD: a line a position, with the operations of the input kept and the analysis added.

use tabiya_client::v1::AnalyzeResponse;
use tabiya_rules::epd::{Epd, Operation};

use super::row::ScoreRow;
use crate::input::{InputGame, Source};

/// Value that the PGN standard (16.2.5.5) gives to a mate on the board; a forced one is counted down from it by plies.
const MATE: i32 = 32_767;

/// Opcodes that only some answers set; what the input said under them is not true of every other answer.
const SOMETIMES: [&str; 2] = ["dm", "ce"];

/// The line of a position.
pub(crate) fn epd_line(game: &InputGame, ply: usize, answer: &AnalyzeResponse) -> String {
    let mut epd = match &game.source {
        Source::Line(epd) => Epd::clone(epd),
        Source::Pgn(_) => {
            let mut epd = Epd::new(*game.board(ply));
            epd.set(Operation::quoted("id", format!("game {} ply {ply}", game.number)));
            epd
        }
    };
    epd.operations
        .retain(|operation| !SOMETIMES.contains(&operation.opcode.as_str()));
    for operation in analysis(answer) {
        epd.set(operation);
    }
    format!("{epd}\n")
}

/// Depth and nodes of the analysis, value in centipawns, moves to mate, predicted move and variation.
fn analysis(answer: &AnalyzeResponse) -> Vec<Operation> {
    let Some(best) = answer.lines.first() else {
        return Vec::new();
    };
    let nodes = answer.stats.as_ref().map_or(0, |stats| stats.nodes);
    let mut operations = vec![
        Operation::bare("acd", [best.depth]),
        Operation::bare("acn", [nodes]),
    ];
    let (value, mate_in) = match ScoreRow::of_line(best) {
        Some(ScoreRow::Cp(centipawns)) => (Some(centipawns), None),
        Some(ScoreRow::Mate(moves)) if moves > 0 => (
            Some((MATE + 1).saturating_sub(moves.saturating_mul(2))),
            Some(moves),
        ),
        Some(ScoreRow::Mate(moves)) => (Some((-MATE).saturating_sub(moves.saturating_mul(2))), Some(moves)),
        None => (None, None),
    };
    operations.extend(value.map(|value| Operation::bare("ce", [value])));
    operations.extend(mate_in.map(|moves| Operation::bare("dm", [moves])));
    if let Some(first) = best.san.first() {
        operations.push(Operation::bare("pm", [first]));
        operations.push(Operation::bare("pv", &best.san));
    }
    operations
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{Line, Score, SearchStats, score::Kind};

    use super::*;
    use crate::input::tests::{one_position, two_moves};

    fn answer(kind: Kind) -> AnalyzeResponse {
        let line = Line {
            san: vec!["Rh8#".to_owned()],
            score: Some(Score {
                kind: Some(kind),
                ..Score::default()
            }),
            depth: 5,
            ..Line::default()
        };
        let stats = Some(SearchStats {
            nodes: 70,
            ..SearchStats::default()
        });
        AnalyzeResponse {
            lines: vec![line],
            stats,
            ..AnalyzeResponse::default()
        }
    }

    #[test]
    fn operations_are_kept_and_analysis_replaced() {
        let game = one_position("4k3/8/4K3/8/8/8/8/7R w - - bm Rh8#; dm 9; id \"a; b\"; acd 1; c0 \"x\";");
        assert_eq!(
            epd_line(&game, 0, &answer(Kind::MateIn(1))),
            "4k3/8/4K3/8/8/8/8/7R w - - bm Rh8#; id \"a; b\"; c0 \"x\"; acd 5; acn 70; ce 32766; dm 1; pm Rh8#; \
             pv Rh8#;\n"
        );
        let level = epd_line(&game, 0, &answer(Kind::Centipawns(-4)));
        assert!(level.contains("ce -4; pm") && !level.contains("dm"), "{level}");
    }

    #[test]
    fn positions_of_games_say_where_they_are_from() {
        let line = epd_line(&two_moves(), 1, &answer(Kind::MateIn(-1)));
        assert_eq!(
            line,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"game 3 ply 1\"; acd 5; acn 70; ce -32765; \
             dm -1; pm Rh8#; pv Rh8#;\n"
        );
    }
}
