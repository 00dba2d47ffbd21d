//! A match game as PGN.

use std::time::Duration;

use tabiya_rules::{Board, Move, MoveList, Piece};

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
        words.push(san(&board, mv));
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

/// The move in standard algebraic notation.
fn san(board: &Board, mv: Move) -> String {
    let Some(piece) = board.piece_on(mv.from()) else {
        return mv.to_string();
    };
    let mut text = String::new();
    if mv.is_castle() {
        text += if mv.to().file() > mv.from().file() {
            "O-O"
        } else {
            "O-O-O"
        };
    } else {
        let captures = mv.is_en_passant() || board.piece_on(mv.to()).is_some();
        if piece == Piece::Pawn {
            if captures {
                text.push(char::from(b'a' + mv.from().file()));
            }
        } else {
            text.push(piece.letter().to_ascii_uppercase());
            text += &origin(board, mv, piece);
        }
        if captures {
            text.push('x');
        }
        text += &mv.to().to_string();
        if let Some(promotion) = mv.promotion() {
            text.push('=');
            text.push(promotion.letter().to_ascii_uppercase());
        }
    }
    let after = board.after(mv);
    if after.is_checkmate() {
        text.push('#');
    } else if after.in_check() {
        text.push('+');
    }
    text
}

/// The file, rank or square that tells the moving piece from others of its kind.
fn origin(board: &Board, mv: Move, piece: Piece) -> String {
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    let others: Vec<_> = moves
        .iter()
        .filter(|m| m.to() == mv.to() && m.from() != mv.from() && !m.is_castle())
        .map(|m| m.from())
        .filter(|&from| board.piece_on(from) == Some(piece))
        .collect();
    let from = mv.from();
    if others.is_empty() {
        String::new()
    } else if others.iter().all(|o| o.file() != from.file()) {
        char::from(b'a' + from.file()).to_string()
    } else if others.iter().all(|o| o.rank() != from.rank()) {
        char::from(b'1' + from.rank()).to_string()
    } else {
        from.to_string()
    }
}
