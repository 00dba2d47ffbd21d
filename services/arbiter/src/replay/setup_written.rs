//! Moves as players and arbiters write them, where no board holds the position.

use tabiya_rules::{Square, fen::Setup};

use super::{
    Notation, Written, letters,
    setup_moves::{self, SetupMove},
    written,
};
use crate::ruleset::Rule;

/// Reads a move; see [`written::read`].
pub(super) fn read(setup: &Setup, text: &str, notation: Option<Notation>) -> Written {
    let text = written::bare(text);
    let english = letters::in_english(text);
    if notation.is_none() && !english.is_empty() {
        return letters::agreed(english.iter().map(|text| read_bare(setup, text, None)));
    }
    read_bare(setup, text, notation)
}

fn read_bare(setup: &Setup, text: &str, notation: Option<Notation>) -> Written {
    let text = if notation.is_none() {
        written::unsigned(text)
    } else {
        text
    };
    let moves = setup_moves::moves(setup);
    let coordinates = written::way(text).filter(|_| text.len() <= 5);
    match (notation, coordinates) {
        (None | Some(Notation::Uci), Some((from, to))) => from_squares(setup, &moves, from, to, text),
        (Some(Notation::Uci), None) => Written::Unreadable,
        _ => from_words(setup, &moves, text),
    }
}

/// Whether a text is a move by the rules of movement.
pub(super) fn is_move(setup: &Setup, text: &str, notation: Option<Notation>) -> bool {
    read(setup, text, notation).legal().is_some()
}

fn played(setup: &Setup, mv: &SetupMove) -> Written {
    Written::Legal(mv.as_move(setup))
}

/// An illegal move, with the rule that it breaks as far as its way is known.
fn illegal(setup: &Setup, way: Option<(Square, Square)>) -> Written {
    let rule = way.map_or(Rule::IllegalMove, |(from, to)| {
        setup_moves::broken_rule(setup, from, to)
    });
    Written::Illegal(rule, way)
}

fn from_squares(setup: &Setup, moves: &[SetupMove], from: Square, to: Square, text: &str) -> Written {
    let promotion = written::promotion(text);
    let found: Vec<_> = moves.iter().filter(|mv| mv.from == from && mv.to == to).collect();
    if let Some(mv) = found.iter().find(|mv| mv.promotion == promotion) {
        return played(setup, mv);
    }
    if !found.is_empty() {
        return match promotion {
            None => Written::PawnLeft(from, to),
            Some(_) => Written::Illegal(Rule::MovePromotion, Some((from, to))),
        };
    }
    // Castling written with the king's target.
    let aside = to.file().abs_diff(from.file()) == 2 && to.rank() == from.rank();
    let king = |mv: &&SetupMove| {
        mv.castles && mv.from == from && aside && (mv.to.file() > from.file()) == (to.file() > from.file())
    };
    match moves.iter().find(king) {
        Some(mv) => played(setup, mv),
        None => {
            let way = setup.placement.piece_on(from).map(|_| (from, to));
            illegal(setup, way)
        }
    }
}

fn from_words(setup: &Setup, moves: &[SetupMove], text: &str) -> Written {
    let us = setup.side_to_move;
    if let Some(long) = written::castles(text) {
        let side = |mv: &&SetupMove| mv.castles && (mv.to.file() < mv.from.file()) == long;
        let way = setup.placement.king(us).map(|king| {
            let file = if long { 2 } else { 6 };
            (king, Square::at(file, king.rank()))
        });
        return match moves.iter().find(side) {
            Some(mv) => played(setup, mv),
            None => Written::Illegal(Rule::IllegalMove, way),
        };
    }
    // A letter that names no piece is no pawn's either.
    let strange = |letter: char| letter.is_ascii_uppercase() && !"KQRBNPX".contains(letter);
    let words = written::words(text).filter(|words| words.ends(text) && !text.contains(strange));
    let Some(words) = words else {
        return Written::Unreadable;
    };
    let meant = |from: Square| {
        setup.placement.piece_on(from) == Some((us, words.piece))
            && words.file.is_none_or(|file| from.file() == file)
            && words.rank.is_none_or(|rank| from.rank() == rank)
    };
    let found: Vec<_> = moves
        .iter()
        .filter(|mv| !mv.castles && mv.to == words.to && meant(mv.from))
        .collect();
    let promotion = written::promotion(text);
    let exact: Vec<_> = found.iter().filter(|mv| mv.promotion == promotion).collect();
    match (exact.as_slice(), found.as_slice()) {
        (&[only], _) => played(setup, only),
        (&[], &[first, ..]) => {
            let one = found.iter().all(|mv| mv.from == first.from);
            match (one, promotion) {
                (true, None) => Written::PawnLeft(first.from, first.to),
                (true, Some(_)) => Written::Illegal(Rule::MovePromotion, Some((first.from, first.to))),
                (false, _) => Written::Ambiguous,
            }
        }
        (&[], &[]) => {
            let from: Vec<Square> = setup
                .placement
                .color(us)
                .into_iter()
                .filter(|&from| from != words.to && meant(from))
                .collect();
            let way = match from.as_slice() {
                &[only] => Some((only, words.to)),
                _ => None,
            };
            illegal(setup, way)
        }
        _ => Written::Ambiguous,
    }
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, Color, Piece};

    use super::*;

    #[test]
    fn moves_are_read_where_no_board_is() {
        // White has left a pawn on a8; Black is to move, and may castle on either side or promote.
        let mut setup = Setup::from(&Board::from_fen("r3k2r/8/8/8/8/8/1p6/6K1 b kq - 0 1").unwrap());
        setup.placement.clear("a8".parse().unwrap());
        setup
            .placement
            .put("c8".parse().unwrap(), Color::White, Piece::Pawn);
        setup.castling_rooks = "h8".parse::<Square>().unwrap().bitboard();
        let played = |text| match read(&setup, text, None) {
            Written::Legal(mv) => mv.to_string(),
            Written::PawnLeft(from, to) => format!("left {from}{to}"),
            Written::Illegal(Rule::MovePromotion, way) => format!("promotion {}", way.is_some()),
            Written::Illegal(_, way) => format!("illegal {}", way.is_some()),
            Written::Ambiguous => "ambiguous".into(),
            Written::Unreadable => "unreadable".into(),
        };
        for (text, expected) in [
            ("e8g8", "e8h8"),
            ("e8h8", "e8h8"),
            ("O-O", "e8h8"),
            ("12...O-O", "e8h8"),
            ("12. e8g8", "e8h8"),
            ("O-O-O", "illegal true"),
            ("b2b1q", "b2b1q"),
            ("b1=Q+", "b2b1q"),
            ("b1N", "b2b1n"),
            ("兵b1升变后", "b2b1q"),
            ("b2b1q+", "b2b1q"),
            ("b2b1=Q", "b2b1q"),
            ("b2b1(N)+", "b2b1n"),
            ("b2b1", "left b2b1"),
            ("b2b1+", "left b2b1"),
            ("h8h2#", "h8h2"),
            ("b1", "left b2b1"),
            ("Rh2", "h8h2"),
            ("Rh2 (=)", "h8h2"),
            ("e8g8(=)", "e8h8"),
            ("b1=Q(=)", "b2b1q"),
            ("车h2", "h8h2"),
            // Another language's letters (FIDE C.3).
            ("Th2", "h8h2"),
            ("Лh2", "h8h2"),
            ("b1D", "b2b1q"),
            ("Tc8", "illegal true"),
            ("Rc8", "illegal true"),
            ("Kd8", "e8d8"),
            ("Nf6", "illegal false"),
            ("b1=K", "promotion true"),
            ("b2b1k", "promotion true"),
            ("Zb1", "unreadable"),
            ("h8h9", "unreadable"),
            ("?", "unreadable"),
        ] {
            assert_eq!(played(text), expected, "{text}");
        }
    }
}
