//! A match game as PGN.

use std::time::Duration;

use tabiya_rules::{Board, san};

use crate::{arena::game::Played, record::Outcome};

/// The PGN text of a game, with each engine's score, depth and time as comments.
pub(crate) fn text(
    played: &Played,
    names: [&String; 2],
    round: usize,
    clock: (Duration, Duration),
) -> String {
    let result = match played.outcome {
        Outcome::White => "1-0",
        Outcome::Black => "0-1",
        Outcome::Draw => "1/2-1/2",
        Outcome::Unknown => "*",
    };
    let mut text = String::new();
    let clock = format!("{}+{}", clock.0.as_secs_f64(), clock.1.as_secs_f64());
    let round = round.to_string();
    let tags = [
        ("Event", "engine match"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", &round),
        ("White", names[0]),
        ("Black", names[1]),
        ("Result", result),
        ("TimeControl", &clock),
        ("Termination", &played.reason),
    ];
    for (tag, value) in tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{tag} \"{value}\"]\n");
    }
    let mut words = Vec::new();
    let mut board = Board::startpos();
    for (ply, &mv) in played.moves.iter().enumerate() {
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        }
        words.push(san::write(&board, mv).to_string());
        if let Some(comment) = played.comments.get(&ply) {
            words.push(format!("{{{comment}}}"));
        } else if ply < played.opening {
            words.push("{book}".into());
        }
        board.play(mv);
    }
    words.push(result.into());
    text.push('\n');
    let mut width = 0;
    for word in words.iter().flat_map(|w| w.split(' ')) {
        if width + word.len() > 79 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += word.len();
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::arena::game::find_move;

    #[test]
    fn a_game_is_written_with_tags_and_comments() {
        let mut board = Board::startpos();
        let mut moves = Vec::new();
        for text in ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"] {
            let mv = find_move(&board, text).expect("a legal move");
            moves.push(mv);
            board.play(mv);
        }
        let played = Played {
            moves,
            opening: 2,
            outcome: Outcome::White,
            reason: "checkmate".into(),
            fault: None,
            comments: BTreeMap::from([(6, "+M1/3 0.010s".to_string())]),
            overshoot: [Duration::ZERO; 2],
        };
        let names = ["a \"quoted\" name".to_string(), "b".to_string()];
        let clock = (Duration::from_secs(1), Duration::from_millis(10));
        let text = text(&played, [&names[0], &names[1]], 3, clock);
        assert!(text.contains("[White \"a \\\"quoted\\\" name\"]\n"), "{text}");
        assert!(text.contains("[TimeControl \"1+0.01\"]\n"), "{text}");
        let movetext = text.split("\n\n").nth(1).expect("moves").replace('\n', " ");
        let expected = "1. e4 {book} e5 {book} 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# {+M1/3 0.010s} 1-0";
        assert_eq!(movetext, expected);
        assert!(text.lines().all(|line| line.len() < 80));
    }
}
