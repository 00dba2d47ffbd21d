//! Moves as players and arbiters write them.

use tabiya_rules::{
    Board, Move, Piece, Square, Variant, chinese,
    san::{self, SanError, SanErrorKind, SanMode},
    uci::{self, UciError},
};

use super::{Notation, letters, movement};
use crate::ruleset::Rule;

/// What a text means on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// A legal move.
    Legal(Move),
    /// A pawn's way to its last rank, and not what it becomes.
    PawnLeft(Square, Square),
    /// A move that breaks a rule, with its way if that is known.
    Illegal(Rule, Option<(Square, Square)>),
    /// Several legal moves.
    Ambiguous,
    /// No move.
    Unreadable,
}

impl Written {
    /// The legal move, if it is one.
    pub(super) fn legal(self) -> Option<Move> {
        match self {
            Self::Legal(mv) => Some(mv),
            _ => None,
        }
    }
}

/// How an offer of a draw is marked behind its move (FIDE C.12), as typed and in Chinese type.
const OFFER_MARKS: [&str; 3] = ["(=)", "（=）", "（＝）"];

/// Reads a move for the side on move. Without a notation, a text from square to square is UCI, and any other is read
/// as SAN, figurines included, then as Chinese; with a letter that English has not, also by the languages that have it. A
/// mark of an offer behind it says nothing of the move.
pub(super) fn read(board: &Board, text: &str, notation: Option<Notation>, variant: Variant) -> Written {
    let text = bare(text);
    let plain = read_bare(board, text, notation, variant);
    let english = letters::in_english(text);
    if notation.is_some() || english.is_empty() {
        return plain;
    }
    let others = english.iter().map(|text| read_bare(board, text, None, variant));
    letters::agreed(others.chain([plain]))
}

fn read_bare(board: &Board, text: &str, notation: Option<Notation>, variant: Variant) -> Written {
    let text = if notation.is_none() { unsigned(text) } else { text };
    let long = long_promotion(text);
    let text = long.as_deref().unwrap_or(text);
    let from_to = way(text).is_some();
    match notation {
        Some(Notation::Uci) => from_uci(board, text, variant),
        Some(Notation::San) => from_words(board, san::parse(board, text, SanMode::Lenient), text),
        Some(Notation::Chinese) => from_words(board, chinese::parse(board, text), text),
        None if from_to && text.len() <= 5 => from_uci(board, text, variant),
        None => match from_words(board, san::parse(board, text, SanMode::Lenient), text) {
            Written::Unreadable => from_words(board, chinese::parse(board, text), text),
            other => other,
        },
    }
}

/// The move alone: without a mark of an offer behind it, and without the number that score sheets have in front of it.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let marked = OFFER_MARKS.iter().find_map(|mark| text.strip_suffix(mark));
    let text = marked.unwrap_or(text).trim_end();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let dots = text[digits..].bytes().take_while(|&byte| byte == b'.').count();
    match (digits, dots) {
        (0, _) | (_, 0) => text,
        _ => text[digits + dots..].trim_start(),
    }
}

/// From square to square with the letter of the new piece as SAN has it (`d7d8Q`, FIDE C.11), as UCI writes it.
fn long_promotion(text: &str) -> Option<String> {
    let letter = text.get(4..5).filter(|_| text.len() == 5)?;
    let is_long = way(text).is_some() && ["Q", "R", "B", "N"].contains(&letter);
    is_long.then(|| text.to_ascii_lowercase())
}

/// From square to square without the signs behind it of check, mate (FIDE C.13) and comment: they are optional, and say
/// nothing of what the move is.
pub(super) fn unsigned(text: &str) -> &str {
    match way(text) {
        Some(_) => text.trim_end_matches(['+', '#', '!', '?']).trim_end(),
        None => text,
    }
}

/// The squares of a text from square to square.
pub(super) fn way(text: &str) -> Option<(Square, Square)> {
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    Some((from, to))
}

fn from_uci(board: &Board, text: &str, variant: Variant) -> Written {
    let Some((from, to)) = way(text) else {
        return Written::Unreadable;
    };
    match uci::parse(board, text, variant) {
        Ok(mv) => Written::Legal(mv),
        Err(UciError::MissingPromotion(_)) => Written::PawnLeft(from, to),
        // A pawn becomes neither a king nor a pawn.
        Err(UciError::Syntax(_)) if text.len() == 5 && text.ends_with(['k', 'K', 'p', 'P']) => {
            let rule = match pawn_moves(board).any(|mv| (mv.from(), mv.to()) == (from, to)) {
                true => Rule::MovePromotion,
                false => movement::broken_rule(board, from, to),
            };
            Written::Illegal(rule, Some((from, to)))
        }
        Err(UciError::Syntax(_) | UciError::NullMove) => Written::Unreadable,
        Err(UciError::UnexpectedPromotion(_)) => Written::Illegal(Rule::MovePromotion, Some((from, to))),
        Err(UciError::NoPiece(_) | UciError::NotOwnPiece(_) | UciError::Illegal(_)) => {
            Written::Illegal(movement::broken_rule(board, from, to), Some((from, to)))
        }
    }
}

fn from_words(board: &Board, parsed: Result<Move, SanError>, text: &str) -> Written {
    let kind = match parsed {
        Ok(mv) => return Written::Legal(mv),
        Err(error) => error.kind,
    };
    match kind {
        SanErrorKind::Ambiguous => Written::Ambiguous,
        SanErrorKind::MissingPromotion => {
            let way = last_square(text).and_then(|(_, to)| pawn_to(board, to).map(|from| (from, to)));
            way.map_or(Written::Ambiguous, |(from, to)| Written::PawnLeft(from, to))
        }
        SanErrorKind::Illegal => {
            if let Some(way) = promotes_wrongly(board, text) {
                return Written::Illegal(Rule::MovePromotion, Some(way));
            }
            let way = meant(board, text);
            let rule = way.map_or(Rule::IllegalMove, |(from, to)| {
                movement::broken_rule(board, from, to)
            });
            Written::Illegal(rule, way)
        }
        _ => Written::Unreadable,
    }
}

/// The last square that a text names, and where it stands in it.
fn last_square(text: &str) -> Option<(usize, Square)> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(1))
        .rev()
        .find_map(|start| Some((start, text.get(start..start + 2)?.parse().ok()?)))
}

/// The legal moves of pawns.
fn pawn_moves(board: &Board) -> impl Iterator<Item = Move> {
    let pawns = board.of(board.side_to_move(), Piece::Pawn);
    let mut legal = tabiya_rules::MoveList::new();
    board.legal_moves(&mut legal);
    legal.into_iter().filter(move |mv| pawns.has(mv.from()))
}

/// The pawn on move that stands a step before a square, if there is just one.
fn pawn_to(board: &Board, to: Square) -> Option<Square> {
    let mut from = pawn_moves(board).filter(|mv| mv.to() == to).map(|mv| mv.from());
    let first = from.next()?;
    from.all(|other| other == first).then_some(first)
}

/// The way of a pawn's move that is legal but for what it is said to become.
fn promotes_wrongly(board: &Board, text: &str) -> Option<(Square, Square)> {
    let Words { piece, file, to, .. } = words(text)?;
    let (at, _) = last_square(text)?;
    let tail = text[at + 2..].trim_start_matches(['=', '(', '/']);
    if piece != Piece::Pawn || (promotion(text).is_none() && !tail.starts_with('P')) {
        return None;
    }
    let file = file.unwrap_or(to.file());
    let fits = |mv: &Move| mv.to() == to && mv.from().file() == file;
    let from = pawn_moves(board).find(fits)?.from();
    Some((from, to))
}

/// What a move in SAN or Chinese says of itself.
pub(super) struct Words {
    pub(super) piece: Piece,
    /// The file and the rank of departure, from 0.
    pub(super) file: Option<u8>,
    pub(super) rank: Option<u8>,
    pub(super) to: Square,
}

impl Words {
    /// Whether nothing like a square follows the last one.
    pub(super) fn ends(&self, text: &str) -> bool {
        last_square(text).is_some_and(|(at, _)| !text[at + 2..].contains(|letter: char| letter.is_numeric()))
    }
}

pub(super) fn words(text: &str) -> Option<Words> {
    let (at, to) = last_square(text)?;
    let head = &text[..at];
    let last = |range: std::ops::RangeInclusive<u8>| {
        let byte = head.bytes().rev().find(|byte| range.contains(byte));
        byte.map(|byte| byte - range.start())
    };
    Some(Words {
        piece: head.chars().find_map(piece_of).unwrap_or(Piece::Pawn),
        file: last(b'a'..=b'h'),
        rank: last(b'1'..=b'8'),
        to,
    })
}

/// The piece that a text names after its last square, as a promotion does.
pub(super) fn promotion(text: &str) -> Option<Piece> {
    let (at, _) = last_square(text)?;
    let tail = &text[at + 2..];
    let letter = if way(text).is_some() {
        let letter = tail.trim_start_matches(['=', '(', '/']).chars().next();
        letter?.to_ascii_uppercase()
    } else {
        return tail.chars().find_map(piece_of);
    };
    piece_of(letter)
}

/// The way that an illegal move in SAN or Chinese means, if only one piece can be meant.
fn meant(board: &Board, text: &str) -> Option<(Square, Square)> {
    let us = board.side_to_move();
    if let Some(long) = castles(text) {
        let king = board.king(us);
        let file = if long { 2 } else { 6 };
        return Some((king, Square::at(file, king.rank())));
    }
    let Words {
        piece,
        file,
        rank,
        to,
    } = words(text)?;
    let mut legal = tabiya_rules::MoveList::new();
    board.legal_moves(&mut legal);
    // What may go there breaks no rule.
    let own = |square: &Square| {
        board.color_on(*square) == Some(us)
            && board.piece_on(*square) == Some(piece)
            && *square != to
            && file.is_none_or(|file| square.file() == file)
            && rank.is_none_or(|rank| square.rank() == rank)
            && !legal.iter().any(|mv| mv.from() == *square && mv.landing() == to)
    };
    let from: Vec<Square> = Square::all().filter(own).collect();
    // Of several, the one that goes there by its own rule of movement, and is barred by something else.
    let barred = |from: &Square| {
        let rule = movement::broken_rule(board, *from, to);
        matches!(rule, Rule::MoveJump | Rule::MoveIntoCheck | Rule::MoveOwnSquare)
    };
    let nearly: Vec<Square> = from.iter().copied().filter(barred).collect();
    match (from.as_slice(), nearly.as_slice()) {
        (&[only], _) | (_, &[only]) => Some((only, to)),
        _ => None,
    }
}

/// Whether a text means castling, and on the long side.
pub(super) fn castles(text: &str) -> Option<bool> {
    let upper = text.to_ascii_uppercase().replace('0', "O");
    let long = upper.starts_with("O-O-O") || text.contains('长');
    (long || upper.starts_with("O-O") || text.contains('短')).then_some(long)
}

fn piece_of(letter: char) -> Option<Piece> {
    Some(match letter {
        'K' | '王' | '♔' | '♚' => Piece::King,
        'Q' | '后' | '♕' | '♛' => Piece::Queen,
        'R' | '车' | '♖' | '♜' => Piece::Rook,
        'B' | '象' | '♗' | '♝' => Piece::Bishop,
        'N' | '马' | '♘' | '♞' => Piece::Knight,
        '兵' | '♙' | '♟' => Piece::Pawn,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read_and_illegal_moves_name_their_rule() {
        let board = Board::startpos();
        let legal = |text: &str| uci::parse(&board, text, Variant::Standard).unwrap();
        let illegal = |rule, way: &str| {
            Written::Illegal(rule, Some((way[..2].parse().unwrap(), way[2..].parse().unwrap())))
        };
        for (text, expected) in [
            ("e2e4", Written::Legal(legal("e2e4"))),
            ("Nf3", Written::Legal(legal("g1f3"))),
            ("马f3", Written::Legal(legal("g1f3"))),
            ("e5", Written::Illegal(Rule::IllegalMove, None)),
            ("e2e5", illegal(Rule::MovePawn, "e2e5")),
            ("Qd3", illegal(Rule::MoveJump, "d1d3")),
            ("后d3", illegal(Rule::MoveJump, "d1d3")),
            ("O-O", illegal(Rule::CastleBarred, "e1g1")),
            // The file or rank of departure says which piece is meant, and none is meant that may go there.
            ("exd3", illegal(Rule::MovePawnCapture, "e2d3")),
            ("e2xd3", illegal(Rule::MovePawnCapture, "e2d3")),
            ("Nbf3", illegal(Rule::MoveKnight, "b1f3")),
            ("N1f3", Written::Legal(legal("g1f3"))),
            ("e2e4q", illegal(Rule::MovePromotion, "e2e4")),
            // Signs of check, mate and comment, behind long moves too (C.13).
            ("e2e4+", Written::Legal(legal("e2e4"))),
            ("e2e4#", Written::Legal(legal("e2e4"))),
            ("e2e4++", Written::Legal(legal("e2e4"))),
            ("e2e4!?", Written::Legal(legal("e2e4"))),
            ("e2e4+ (=)", Written::Legal(legal("e2e4"))),
            ("1. e2e4!", Written::Legal(legal("e2e4"))),
            ("g1f3+", Written::Legal(legal("g1f3"))),
            ("e2e5+", illegal(Rule::MovePawn, "e2e5")),
            ("e2e4+x", Written::Unreadable),
            // Figurines (C.3), and offers of a draw as they stand on a score sheet (8.1.5, C.12).
            ("♘f3", Written::Legal(legal("g1f3"))),
            ("♞f3", Written::Legal(legal("g1f3"))),
            ("♘\u{fe0e}f3", Written::Legal(legal("g1f3"))),
            ("♙e4", Written::Legal(legal("e2e4"))),
            ("♕d3", illegal(Rule::MoveJump, "d1d3")),
            ("♝b5", illegal(Rule::MoveJump, "f1b5")),
            ("Nf3(=)", Written::Legal(legal("g1f3"))),
            ("Nf3 (=)", Written::Legal(legal("g1f3"))),
            ("♘f3 (=)", Written::Legal(legal("g1f3"))),
            ("e2e4(=)", Written::Legal(legal("e2e4"))),
            ("马f3（=）", Written::Legal(legal("g1f3"))),
            ("Qd3(=)", illegal(Rule::MoveJump, "d1d3")),
            ("(=)", Written::Unreadable),
            ("Nf3(=", Written::Unreadable),
            ("0000", Written::Unreadable),
            ("hello", Written::Unreadable),
            ("", Written::Unreadable),
        ] {
            assert_eq!(read(&board, text, None, Variant::Standard), expected, "{text}");
        }
        let pawn = Board::from_fen("7k/P7/8/8/8/8/8/K7 w - - 0 1").unwrap();
        let left = Written::PawnLeft("a7".parse().unwrap(), "a8".parse().unwrap());
        for text in ["a7a8", "a8", "兵a8", "a7a8+"] {
            assert_eq!(read(&pawn, text, None, Variant::Standard), left, "{text}");
        }
        let queen = Written::Legal(uci::parse(&pawn, "a7a8q", Variant::Standard).unwrap());
        for text in ["a7a8q+", "a7a8Q+", "a7a8Q#", "a7a8=Q+"] {
            assert_eq!(read(&pawn, text, None, Variant::Standard), queen, "{text}");
        }
        // A pawn becomes neither a king nor a pawn, and none before its last rank.
        let way = Some(("a7".parse().unwrap(), "a8".parse().unwrap()));
        let wrong = Written::Illegal(Rule::MovePromotion, way);
        for text in ["a8=K", "a8K", "a8=P", "a7a8k", "a7a8K", "a7a8p", "兵a8升变王"] {
            assert_eq!(read(&pawn, text, None, Variant::Standard), wrong, "{text}");
        }
        let early = read(&board, "e4=Q", None, Variant::Standard);
        let way = Some(("e2".parse().unwrap(), "e4".parse().unwrap()));
        assert_eq!(early, Written::Illegal(Rule::MovePromotion, way));
        let knights = Board::from_fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1").unwrap();
        assert_eq!(read(&knights, "Nd2", None, Variant::Standard), Written::Ambiguous);
        assert_eq!(
            read(&board, "Nf3", Some(Notation::Uci), Variant::Standard),
            Written::Unreadable
        );
    }
}
