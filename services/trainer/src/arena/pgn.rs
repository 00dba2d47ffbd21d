//! A match game as PGN.

use std::time::Duration;

use tabiya_rules::{
    Board, Variant,
    pgn::{self, GameTree, NodeId},
};

use crate::{arena::game::Played, record::Outcome};

/// The PGN text of a game, with each engine's score, depth and time as comments.
pub(crate) fn text(
    played: &Played,
    names: [&String; 2],
    round: usize,
    clock: (Duration, Duration),
) -> String {
    let result = match played.outcome {
        Outcome::White => pgn::Outcome::WhiteWins,
        Outcome::Black => pgn::Outcome::BlackWins,
        Outcome::Draw => pgn::Outcome::Draw,
        Outcome::Unknown => pgn::Outcome::Unknown,
    };
    let mut tree = GameTree::new(Board::startpos(), Variant::Standard);
    tree.set_marker(result);
    let clock = format!("{}+{}", clock.0.as_secs_f64(), clock.1.as_secs_f64());
    for (tag, value) in [
        ("Event", "engine match"),
        ("Round", &round.to_string()),
        ("White", names[0]),
        ("Black", names[1]),
        ("TimeControl", &clock),
        ("Termination", &played.reason),
    ] {
        tree.tags_mut().set(tag, value);
    }
    let mut node = NodeId::ROOT;
    for (ply, &mv) in played.moves.iter().enumerate() {
        // Every move was found legal when it was played.
        let Some(next) = tree.add_move(node, mv) else {
            break;
        };
        if let Some(comment) = played.comments.get(&ply) {
            tree.add_comment(next, comment);
        } else if ply < played.opening {
            tree.add_comment(next, "book");
        }
        node = next;
    }
    tree.to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::arena::game::find_move;

    fn played(moves: &[&str], outcome: Outcome, reason: &str) -> Played {
        let mut board = Board::startpos();
        let moves = moves.iter().map(|text| {
            let mv = find_move(&board, text).expect("a legal move");
            board.play(mv);
            mv
        });
        Played {
            moves: moves.collect(),
            opening: 2,
            outcome,
            reason: reason.into(),
            fault: None,
            comments: BTreeMap::new(),
            overshoot: [Duration::ZERO; 2],
        }
    }

    #[test]
    fn a_game_is_written_with_tags_and_comments() {
        let moves = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];
        let mut played = played(&moves, Outcome::White, "checkmate");
        played.comments = BTreeMap::from([(6, "+M1/3 0.010s".to_string())]);
        let names = ["a \"quoted\" name".to_string(), "b".to_string()];
        let clock = (Duration::from_secs(1), Duration::from_millis(10));
        let text = text(&played, [&names[0], &names[1]], 3, clock);
        for tag in [
            "[White \"a \\\"quoted\\\" name\"]\n",
            "[TimeControl \"1+0.01\"]\n",
            "[Round \"3\"]\n",
            "[Result \"1-0\"]\n",
            "[Termination \"checkmate\"]\n",
        ] {
            assert!(text.contains(tag), "{text}");
        }
        let movetext = text.split("\n\n").nth(1).expect("moves").replace('\n', " ");
        let expected = "1. e4 {book} 1... e5 {book} 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# {+M1/3 0.010s} 1-0";
        assert_eq!(movetext, expected);
    }

    #[test]
    fn lines_of_a_long_game_are_below_eighty_columns() {
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(60);
        let mut played = played(&moves, Outcome::Draw, "repetition");
        played.comments = (2..240)
            .map(|ply| (ply, format!("{:+.2}/{} {ply}.5s", ply as f64 / 7.0, ply % 30)))
            .collect();
        let names = ["a".to_string(), "b".to_string()];
        let text = text(&played, [&names[0], &names[1]], 1, Default::default());
        assert!(text.lines().all(|line| line.len() < 80), "{text}");
        let read = pgn::Games::new(text.as_bytes(), pgn::Mode::Strict).next();
        let tree = read.expect("a game").expect("in export form");
        assert_eq!(tree.main_line().count(), 240);
        assert_eq!(tree.marker(), Some(pgn::Outcome::Draw));
    }
}
