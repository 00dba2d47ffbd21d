//! Why a text is no position: every reason, typed.

use std::fmt;

use super::castling::CastlingLetter;
use crate::{Color, Square};

/// The field of the text that a reason is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Field {
    Text,
    Board,
    SideToMove,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Board => "board",
            Self::SideToMove => "side to move",
            Self::Castling => "castling",
            Self::EnPassant => "en passant",
            Self::HalfmoveClock => "half-move clock",
            Self::FullmoveNumber => "move number",
        })
    }
}

/// The step of the ladder on which a reason was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// The text is not well-formed.
    Syntax,
    /// The position cannot be played.
    Playable,
    /// No legal game leads to the position, or the text is not clean X-FEN; only strict reading minds.
    Plausible,
}

/// What is wrong with an en-passant square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EnPassantFlaw {
    /// It is not on the third or sixth rank.
    Rank,
    /// It is behind the own pawns instead of the opponent's.
    Side,
    /// Something stands on it.
    Occupied,
    /// No pawn of the opponent stands before it.
    NoPawn,
    /// Something stands on the square that the pawn must have come from.
    OriginOccupied,
    /// No pawn can legally take there; not wrong, but nothing to keep either.
    Unused,
}

impl fmt::Display for EnPassantFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rank => "it is not on the third or sixth rank",
            Self::Side => "it is on the rank of the side to move",
            Self::Occupied => "it is not empty",
            Self::NoPawn => "no pawn has just passed it",
            Self::OriginOccupied => "the square that the pawn came from is not empty",
            Self::Unused => "no pawn can legally take there",
        })
    }
}

/// One reason against a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing but blanks.
    Empty,
    /// A byte-order mark in front.
    ByteOrderMark,
    /// Fields are not separated by single blanks, or there are blanks around them.
    Spacing,
    /// Underscores instead of blanks.
    Underscores,
    /// Not six fields; seven stands for any greater number.
    FieldCount(usize),
    /// Not eight ranks.
    RankCount(usize),
    /// Not eight squares on a rank (1 to 8).
    RankLength {
        /// The rank.
        rank: u8,
        /// The squares on it.
        squares: usize,
    },
    /// A letter that is no piece.
    PieceLetter {
        /// The rank, 1 to 8.
        rank: u8,
        /// The letter.
        letter: char,
    },
    /// 0 or 9 as a number of empty squares.
    EmptySquares {
        /// The rank, 1 to 8.
        rank: u8,
        /// The digit.
        digit: char,
    },
    /// Two digits in a row.
    AdjacentDigits {
        /// The rank, 1 to 8.
        rank: u8,
    },
    /// The side to move is not `w` or `b`.
    SideToMove(String),
    /// Something other than castling letters or a dash.
    CastlingField(String),
    /// A castling right more than once.
    CastlingRepeated(String),
    /// Castling letters out of order.
    CastlingOrder(String),
    /// Files of rooks in a standard game.
    CastlingFiles(String),
    /// Neither a square nor a dash.
    EnPassantField(String),
    /// The square in upper case.
    EnPassantCase(String),
    /// A square that is not on the third or sixth rank.
    EnPassantRank(Square),
    /// The half-move clock is not a plain number.
    HalfmoveClock(String),
    /// The move number is not a plain number from 1 to 65535.
    FullmoveNumber(String),

    /// A colour has no king.
    KingMissing(Color),
    /// A colour has several kings.
    KingCount(Color, u32),
    /// A pawn on the first or eighth rank.
    PawnOnBackRank(Square),
    /// The side that has just moved is in check.
    OppositeCheck(Color),
    /// More men than the pawns could have become, by more than one: moves might not fit a [`crate::MoveList`].
    Overcrowded(Color, u32),
    /// The king or rook of a castling right is not in place.
    CastlingRight(CastlingLetter),
    /// A square of a castling right without a rook there or its king on the same back rank.
    CastlingRook(Square),
    /// Rights for two rooks on the same side of the king.
    CastlingTwice(Color),
    /// An en-passant square with a flaw.
    EnPassant(Square, EnPassantFlaw),

    /// More than sixteen men of a colour.
    PieceCount(Color, u32),
    /// More than eight pawns of a colour.
    PawnCount(Color, u32),
    /// More promoted pieces than pawns gone.
    Promotions(Color, u32),
    /// The pawns need more captures than the opponent has lost men.
    PawnCaptures {
        /// Whose pawns.
        color: Color,
        /// The least number of captures; `None` if no captures lead there.
        needed: Option<u32>,
        /// The men that the opponent has lost.
        available: u32,
    },
    /// More than two men give check.
    Checkers(u32),
    /// Two men give check that no single move can have brought about.
    DoubleCheck,
    /// A pawn gives check from its first square, so it gave check before the last move too.
    UnmovedPawnCheck(Square),
    /// The double step of the en-passant square leaves a check that was there before it.
    EnPassantCheck(Square),
    /// A double step has just been made, yet the half-move clock is not zero.
    EnPassantClock(u32),
    /// More half-moves without a pawn move or capture than have been played.
    HalfmoveAhead(u32, u32),
    /// A bishop that cannot have left its first square, because both its pawns have not moved.
    BishopBehindPawns(Square),
    /// A king with castling rights on the a- or h-file: in Chess960 it starts between its rooks.
    CastlingKingFile(Square),
    /// Kings or rooks with castling rights on different files: in Chess960 both sides start alike.
    CastlingFilesDiffer,
    /// A file letter where X-FEN wants K or Q.
    CastlingNotXfen(CastlingLetter),
    /// An en-passant square beside which no pawn stands to take: X-FEN wants a dash.
    EnPassantNotXfen(Square),
}

impl Reason {
    /// The field that it is about.
    pub fn field(&self) -> Field {
        match self {
            Self::Empty | Self::ByteOrderMark | Self::Spacing | Self::Underscores | Self::FieldCount(_) => {
                Field::Text
            }
            Self::SideToMove(_) => Field::SideToMove,
            Self::CastlingField(_)
            | Self::CastlingRepeated(_)
            | Self::CastlingOrder(_)
            | Self::CastlingFiles(_)
            | Self::CastlingRight(_)
            | Self::CastlingRook(_)
            | Self::CastlingTwice(_)
            | Self::CastlingKingFile(_)
            | Self::CastlingFilesDiffer
            | Self::CastlingNotXfen(_) => Field::Castling,
            Self::EnPassantField(_)
            | Self::EnPassantCase(_)
            | Self::EnPassantRank(_)
            | Self::EnPassant(..)
            | Self::EnPassantCheck(_)
            | Self::EnPassantNotXfen(_) => Field::EnPassant,
            Self::HalfmoveClock(_) | Self::EnPassantClock(_) | Self::HalfmoveAhead(..) => {
                Field::HalfmoveClock
            }
            Self::FullmoveNumber(_) => Field::FullmoveNumber,
            _ => Field::Board,
        }
    }

    /// The step of the ladder on which it was found.
    pub fn stage(&self) -> Stage {
        match self {
            Self::KingMissing(_)
            | Self::KingCount(..)
            | Self::PawnOnBackRank(_)
            | Self::OppositeCheck(_)
            | Self::Overcrowded(..)
            | Self::CastlingRight(_)
            | Self::CastlingRook(_)
            | Self::CastlingTwice(_)
            | Self::EnPassant(..) => Stage::Playable,
            Self::PieceCount(..)
            | Self::PawnCount(..)
            | Self::Promotions(..)
            | Self::PawnCaptures { .. }
            | Self::Checkers(_)
            | Self::DoubleCheck
            | Self::UnmovedPawnCheck(_)
            | Self::EnPassantCheck(_)
            | Self::EnPassantClock(_)
            | Self::HalfmoveAhead(..)
            | Self::BishopBehindPawns(_)
            | Self::CastlingKingFile(_)
            | Self::CastlingFilesDiffer
            | Self::CastlingNotXfen(_)
            | Self::EnPassantNotXfen(_) => Stage::Plausible,
            _ => Stage::Syntax,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.field())?;
        match self {
            Self::Empty => f.write_str("empty"),
            Self::ByteOrderMark => f.write_str("byte-order mark in front"),
            Self::Spacing => f.write_str("fields must be separated by single blanks"),
            Self::Underscores => f.write_str("underscores instead of blanks"),
            Self::FieldCount(count) if *count > 6 => f.write_str("more than six fields"),
            Self::FieldCount(count) => write!(f, "{count} of six fields"),
            Self::RankCount(count) => write!(f, "{count} ranks instead of 8"),
            Self::RankLength { rank, squares } => write!(f, "rank {rank} has {squares} squares instead of 8"),
            Self::PieceLetter { rank, letter } => write!(f, "{letter:?} on rank {rank} is no piece"),
            Self::EmptySquares { rank, digit } => {
                write!(f, "{digit} on rank {rank} is no number of empty squares")
            }
            Self::AdjacentDigits { rank } => write!(f, "two digits in a row on rank {rank}"),
            Self::SideToMove(text) => write!(f, "{text:?} is neither w nor b"),
            Self::CastlingField(text) => write!(f, "{text:?} is neither castling letters nor a dash"),
            Self::CastlingRepeated(text) => write!(f, "{text:?} repeats a right"),
            Self::CastlingOrder(text) => write!(f, "{text:?} is out of order, KQkq is the order"),
            Self::CastlingFiles(text) => write!(f, "{text:?} names files in a standard game"),
            Self::EnPassantField(text) => write!(f, "{text:?} is neither a square nor a dash"),
            Self::EnPassantCase(text) => write!(f, "{text:?} is in upper case"),
            Self::EnPassantRank(square) => write!(f, "{square} is not on the third or sixth rank"),
            Self::HalfmoveClock(text) => write!(f, "{text:?} is not a plain number"),
            Self::FullmoveNumber(text) => write!(f, "{text:?} is not a plain number from 1 to 65535"),
            Self::KingMissing(color) => write!(f, "{color} has no king"),
            Self::KingCount(color, count) => write!(f, "{color} has {count} kings"),
            Self::PawnOnBackRank(square) => write!(f, "pawn on {square}"),
            Self::OppositeCheck(color) => write!(f, "{color} is in check but not on the move"),
            Self::Overcrowded(color, surplus) => {
                write!(
                    f,
                    "{color} has {surplus} pieces more than pawns could have become"
                )
            }
            Self::CastlingRight(letter) => write!(f, "no king and rook in place for {letter}"),
            Self::CastlingRook(square) => write!(f, "no rook with a king in place on {square}"),
            Self::CastlingTwice(color) => write!(f, "two {color} rights on one side of the king"),
            Self::EnPassant(square, flaw) => write!(f, "{square}: {flaw}"),
            Self::PieceCount(color, count) => write!(f, "{color} has {count} pieces"),
            Self::PawnCount(color, count) => write!(f, "{color} has {count} pawns"),
            Self::Promotions(color, count) => write!(f, "{color} has {count} promoted pieces too many"),
            Self::PawnCaptures {
                color,
                needed: Some(needed),
                available,
            } => {
                write!(f, "{color} pawns need {needed} captures, {available} possible")
            }
            Self::PawnCaptures {
                color, needed: None, ..
            } => {
                write!(f, "{color} pawns stand where no captures lead")
            }
            Self::Checkers(count) => write!(f, "{count} pieces give check at once"),
            Self::DoubleCheck => f.write_str("no move can have brought about this double check"),
            Self::UnmovedPawnCheck(square) => {
                write!(f, "the pawn on {square} gives check without having moved")
            }
            Self::EnPassantCheck(square) => {
                write!(f, "the check was there before the double step past {square}")
            }
            Self::EnPassantClock(clock) => write!(f, "{clock} straight after a double pawn step"),
            Self::HalfmoveAhead(clock, plies) => write!(f, "{clock} after {plies} half-moves played"),
            Self::BishopBehindPawns(square) => {
                write!(f, "the bishop of {square} cannot have passed its unmoved pawns")
            }
            Self::CastlingKingFile(square) => write!(f, "a king on {square} did not start between its rooks"),
            Self::CastlingFilesDiffer => f.write_str("the two sides did not start on the same files"),
            Self::CastlingNotXfen(letter) => {
                write!(f, "{letter} names the outermost rook, X-FEN writes k or q")
            }
            Self::EnPassantNotXfen(square) => {
                write!(f, "{square} while no pawn can take there, X-FEN writes a dash")
            }
        }
    }
}

/// A refused text, with every reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError {
    reasons: Vec<Reason>,
}

impl FenError {
    pub(super) fn new(mut reasons: Vec<Reason>) -> Self {
        reasons.sort_by_key(|reason| (reason.stage(), reason.field()));
        Self { reasons }
    }

    /// The reasons: flaws of the text first, then of the position, then of its history. Never empty.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{reason}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FenError {}
