//! Moves as the Universal Chess Interface writes them: `e2e4`, `e7e8q`.
//!
//! Castling goes out as `e1g1` in standard chess and as king takes rook, `e1h1`, in Chess960. Both forms come in
//! where they can mean nothing else; the Chess960 form always wins over the other, and a king's step of one square
//! is always a step.

use std::fmt;

use arrayvec::ArrayString;

use crate::fen::excerpt;
use crate::{Board, Move, MoveList, Piece, Square, Variant};

/// A move's text, at most five bytes; it derefs to `str`.
pub type UciText = ArrayString<5>;

/// Why a text is no legal move here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UciError {
    /// Not two squares and perhaps one of the letters q, r, b, n.
    Syntax(String),
    /// The null move `0000`, which no game can contain.
    NullMove,
    /// Nothing stands on the first square.
    NoPiece(Square),
    /// The piece on the first square is the opponent's.
    NotOwnPiece(Square),
    /// A pawn reaches the last rank and the text does not say what it becomes.
    MissingPromotion(String),
    /// The text promotes what does not promote.
    UnexpectedPromotion(String),
    /// No legal move of this position.
    Illegal(String),
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => write!(f, "move {text:?}: not of the form e2e4 or e7e8q"),
            Self::NullMove => f.write_str("move \"0000\": a null move is no legal move"),
            Self::NoPiece(square) => write!(f, "move from {square}: no piece there"),
            Self::NotOwnPiece(square) => write!(f, "move from {square}: the piece there is the opponent's"),
            Self::MissingPromotion(text) => write!(f, "move {text:?}: q, r, b or n is missing"),
            Self::UnexpectedPromotion(text) => write!(f, "move {text:?}: not a promotion"),
            Self::Illegal(text) => write!(f, "move {text:?}: not legal here"),
        }
    }
}

impl std::error::Error for UciError {}

/// The text of a move.
///
/// ```
/// use tabiya_rules::{Board, Variant, uci};
///
/// let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
/// let castling = uci::parse(&board, "e1g1", Variant::Standard).unwrap();
/// assert_eq!(&*uci::write(castling, Variant::Standard), "e1g1");
/// assert_eq!(&*uci::write(castling, Variant::Chess960), "e1h1");
/// ```
pub fn write(mv: Move, variant: Variant) -> UciText {
    let to = match variant {
        Variant::Standard => mv.landing(),
        Variant::Chess960 => mv.to(),
    };
    let mut text = UciText::new();
    for square in [mv.from(), to] {
        // Five bytes are room for all that is pushed here.
        let _ = text.try_push(char::from(b'a' + square.file()));
        let _ = text.try_push(char::from(b'1' + square.rank()));
    }
    if let Some(piece) = mv.promotion() {
        let _ = text.try_push(piece.letter());
    }
    text
}

/// The legal move of a position that a text means.
///
/// # Errors
///
/// What is wrong with the text, or why the move is not legal.
pub fn parse(board: &Board, text: &str, variant: Variant) -> Result<Move, UciError> {
    if text == "0000" {
        return Err(UciError::NullMove);
    }
    let syntax = || UciError::Syntax(excerpt(text));
    let (from, to, promotion) = match *text.as_bytes() {
        [a, b, c, d] => (square(a, b), square(c, d), None),
        [a, b, c, d, letter @ (b'q' | b'r' | b'b' | b'n')] => {
            (square(a, b), square(c, d), Piece::from_letter(char::from(letter)))
        }
        _ => return Err(syntax()),
    };
    let (Some(from), Some(to)) = (from, to) else {
        return Err(syntax());
    };

    match board.color_on(from) {
        None => return Err(UciError::NoPiece(from)),
        Some(color) if color != board.side_to_move() => return Err(UciError::NotOwnPiece(from)),
        Some(_) => {}
    }
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    list.retain(|mv| mv.from() == from);
    if let Some(&mv) = list
        .iter()
        .find(|mv| mv.to() == to && mv.promotion() == promotion)
    {
        return Ok(mv);
    }
    let other_form = |mv: &&Move| {
        mv.is_castle()
            && mv.landing() == to
            && (variant == Variant::Standard || from.file().abs_diff(to.file()) > 1)
    };
    match list.iter().find(other_form) {
        Some(&mv) if promotion.is_none() => return Ok(mv),
        _ => {}
    }
    Err(match list.iter().any(|mv| mv.to() == to) {
        true if promotion.is_none() => UciError::MissingPromotion(excerpt(text)),
        true => UciError::UnexpectedPromotion(excerpt(text)),
        false => UciError::Illegal(excerpt(text)),
    })
}

fn square(file: u8, rank: u8) -> Option<Square> {
    matches!((file, rank), (b'a'..=b'h', b'1'..=b'8')).then(|| Square::at(file - b'a', rank - b'1'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen::{self, FenMode};

    fn board(text: &str, variant: Variant) -> Board {
        fen::parse(text, FenMode::Analysis, variant).unwrap().board
    }

    fn read(fen: &str, text: &str, variant: Variant) -> Result<String, UciError> {
        parse(&board(fen, variant), text, variant).map(|mv| write(mv, variant).to_string())
    }

    #[test]
    fn every_move_comes_back() {
        for (fen, variant) in [
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                Variant::Standard,
            ),
            ("4k3/8/8/8/8/8/8/1R1K2R1 w KQ - 0 1", Variant::Chess960),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", Variant::Standard),
        ] {
            let board = board(fen, variant);
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            for &mv in &list {
                assert_eq!(parse(&board, &write(mv, variant), variant), Ok(mv));
            }
        }
    }

    #[test]
    fn castling_in_both_forms() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for variant in [Variant::Standard, Variant::Chess960] {
            for (a, b) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
                assert_eq!(read(fen, a, variant), read(fen, b, variant));
            }
        }
        assert_eq!(read(fen, "e1h1", Variant::Standard).unwrap(), "e1g1");
        assert_eq!(read(fen, "e1g1", Variant::Chess960).unwrap(), "e1h1");
    }

    #[test]
    fn a_step_of_the_king_is_never_castling() {
        let fen = "4k3/8/8/8/8/8/8/5K1R w K - 0 1";
        assert_eq!(read(fen, "f1g1", Variant::Chess960).unwrap(), "f1g1");
        assert_eq!(read(fen, "f1h1", Variant::Chess960).unwrap(), "f1h1");
        // Here the king already stands where castling would take it.
        let fen = "4k3/8/8/8/8/8/8/6KR w K - 0 1";
        assert_eq!(read(fen, "g1h1", Variant::Chess960).unwrap(), "g1h1");
        assert_eq!(
            read(fen, "g1g1", Variant::Chess960),
            Err(UciError::Illegal("g1g1".into()))
        );
    }

    #[test]
    fn typed_errors() {
        let fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        let error = |text: &str| read(fen, text, Variant::Standard).unwrap_err();
        assert_eq!(error("0000"), UciError::NullMove);
        assert_eq!(error("a7a8"), UciError::MissingPromotion("a7a8".into()));
        assert_eq!(error("a7a8Q"), UciError::Syntax("a7a8Q".into()));
        assert_eq!(error("e1d1q"), UciError::UnexpectedPromotion("e1d1q".into()));
        assert_eq!(error("e8e7"), UciError::NotOwnPiece("e8".parse().unwrap()));
        assert_eq!(error("c3c4"), UciError::NoPiece("c3".parse().unwrap()));
        assert_eq!(error("e1e3"), UciError::Illegal("e1e3".into()));
        assert_eq!(error("e1e9"), UciError::Syntax("e1e9".into()));
        assert_eq!(error("将军"), UciError::Syntax("将军".into()));
    }
}
