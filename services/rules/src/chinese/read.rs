//! From words to a legal move.

use super::lexer::words;
use super::words::Word;
use crate::san::SanErrorKind;
use crate::san::resolve::castling;
use crate::{Board, Move, MoveList, Piece, Square};

/// What a text says of a move other than castling.
#[derive(Default, Debug)]
struct Described {
    piece: Option<Piece>,
    file: Option<u8>,
    rank: Option<u8>,
    capture: bool,
    promotion: Option<Piece>,
    en_passant: bool,
}

pub(super) fn parse(board: &Board, text: &str) -> Result<Move, SanErrorKind> {
    let words = words(text)?;
    if let [Word::Castle(side), marks @ ..] = &words[..] {
        if marks.iter().any(|word| *word != Word::Mark) {
            return Err(SanErrorKind::Syntax);
        }
        return castle(board, *side);
    }
    let (described, to) = describe(&words).ok_or(SanErrorKind::Syntax)?;
    resolve(board, &described, to)
}

fn castle(board: &Board, side: Option<bool>) -> Result<Move, SanErrorKind> {
    let sides = side.map_or(vec![true, false], |side| vec![side]);
    let legal: Vec<Move> = sides
        .into_iter()
        .filter_map(|side| castling(board, side))
        .collect();
    match legal[..] {
        [mv] => Ok(mv),
        [] => Err(SanErrorKind::Illegal),
        _ => Err(SanErrorKind::Ambiguous),
    }
}

/// Splits the words at the target, the last file followed by its rank.
fn describe(words: &[Word]) -> Option<(Described, Square)> {
    let mut described = Described::default();
    let target = words
        .windows(2)
        .rposition(|pair| matches!(pair, [Word::File(_), Word::Rank(_)]))?;
    let [Word::File(file), Word::Rank(rank)] = words[target..target + 2] else {
        return None;
    };
    described.read_head(&words[..target])?;
    described.read_tail(&words[target + 2..])?;
    Some((described, Square::at(file, rank)))
}

impl Described {
    /// `[origin] [piece] [origin] [capture | to]`, with at most one of the two origins.
    fn read_head(&mut self, words: &[Word]) -> Option<()> {
        let mut rest = self.read_origin(words);
        let before_piece = rest.len() < words.len();
        if let [Word::Piece(piece), tail @ ..] = rest {
            self.piece = Some(*piece);
            rest = if before_piece {
                tail
            } else {
                self.read_origin(tail)
            };
        }
        match rest {
            [] | [Word::To] => {}
            [Word::Capture] => self.capture = true,
            _ => return None,
        }
        Some(())
    }

    fn read_origin<'a>(&mut self, words: &'a [Word]) -> &'a [Word] {
        let mut rest = words;
        if let [Word::File(file), tail @ ..] = rest {
            self.file = Some(*file);
            rest = tail;
        }
        if let [Word::Rank(rank), tail @ ..] = rest {
            self.rank = Some(*rank);
            rest = tail;
        }
        rest
    }

    /// `[capture]`, then promotion, en passant and marks in any order, each of the first two once.
    fn read_tail(&mut self, words: &[Word]) -> Option<()> {
        let mut rest = words;
        if let [Word::Capture, tail @ ..] = rest {
            if self.capture {
                return None;
            }
            self.capture = true;
            rest = tail;
        }
        while !rest.is_empty() {
            rest = match rest {
                [Word::Mark, tail @ ..] => tail,
                [Word::Open, Word::EnPassant, Word::Close, tail @ ..] | [Word::EnPassant, tail @ ..]
                    if !self.en_passant =>
                {
                    self.en_passant = true;
                    tail
                }
                [
                    Word::Open,
                    Word::Promotes,
                    Word::Piece(piece),
                    Word::Close,
                    tail @ ..,
                ]
                | [Word::Open, Word::Piece(piece), Word::Close, tail @ ..]
                | [Word::Promotes, Word::Piece(piece), tail @ ..]
                | [Word::Piece(piece), tail @ ..]
                    if self.promotion.is_none() =>
                {
                    self.promotion = Some(*piece);
                    tail
                }
                _ => return None,
            };
        }
        Some(())
    }

    fn fits(&self, board: &Board, mv: Move, to: Square) -> bool {
        let from = mv.from();
        let piece = board.piece_on(from);
        let named = match self.piece {
            Some(named) => piece == Some(named),
            // Without a name it is a pawn, unless two squares leave no doubt.
            None => piece == Some(Piece::Pawn) || self.file.is_some() && self.rank.is_some(),
        };
        let reaches = if mv.is_castle() {
            mv.landing() == to && to.file().abs_diff(from.file()) > 1
        } else {
            mv.to() == to
        };
        let captures = mv.is_en_passant() || !mv.is_castle() && board.occupied().has(to);
        named
            && reaches
            && self.file.is_none_or(|file| file == from.file())
            && self.rank.is_none_or(|rank| rank == from.rank())
            && (captures || !self.capture)
            && (mv.is_en_passant() || !self.en_passant)
    }
}

fn resolve(board: &Board, described: &Described, to: Square) -> Result<Move, SanErrorKind> {
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    list.retain(|mv| described.fits(board, *mv, to));
    let promotes = list.iter().any(|mv| mv.promotion().is_some());
    if promotes && described.promotion.is_none() {
        return Err(SanErrorKind::MissingPromotion);
    }
    list.retain(|mv| mv.promotion() == described.promotion);
    match list[..] {
        [mv] => Ok(mv),
        [] => Err(SanErrorKind::Illegal),
        _ => Err(SanErrorKind::Ambiguous),
    }
}
