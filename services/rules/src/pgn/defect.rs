//! What can be wrong with a game's text.

use std::fmt;

use super::{Location, Outcome};
use crate::san::SanErrorKind;

/// Something that departs from the PGN export format, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Where it was found.
    pub location: Location,
    /// What it is.
    pub kind: DefectKind,
}

/// How much harm a defect does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The meaning is plain; lenient reading goes on and loses nothing.
    Forgiven,
    /// Some of the text could not be used: a line of moves was cut short, a word was skipped.
    Error,
}

/// The kinds of defect. Texts inside are cut to 64 bytes, what is wrong with a start position to 512.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefectKind {
    /// A byte-order mark before the text.
    ByteOrderMark,
    /// Lines end in a bare carriage return.
    BareCarriageReturn,
    /// Not exactly one empty line between tags and moves, or between games; or one inside a section.
    BlankLines,
    /// A tag of the seven-tag roster is missing.
    MissingTag(&'static str),
    /// The same tag twice; the last value holds.
    DuplicateTag(String),
    /// A tag pair that shares its line, or has a bare quote in its value.
    TagSpelling(String),
    /// A `FEN` tag without `SetUp "1"`, or the other way round.
    SetUpMismatch,
    /// The position in the `FEN` tag was repaired in the one way possible.
    StartPositionRepaired(String),
    /// The `Result` tag has none of the four values of the standard.
    ResultTag(String),
    /// The game ends without a termination marker.
    MissingResult,
    /// The termination marker is not spelled as in the standard.
    ResultSpelling(String),
    /// A termination marker inside a variation, ignored.
    ResultInVariation,
    /// Two sources of the result contradict each other.
    ResultConflict(ResultConflict),
    /// An annotation sign or number without a meaning here, ignored.
    UnknownGlyph(String),
    /// An annotation glyph before any move of its line, ignored.
    MisplacedGlyph,
    /// A remark that belongs to a move but is no part of it: `e.p.`, `(=)`.
    MoveRemark(String),
    /// A null move (`--`, `Z0`) in the main line: kept, though no game of chess can contain it.
    NullMove,
    /// A variation without moves, ignored.
    EmptyVariation,
    /// Text in angle brackets, reserved by the standard, ignored.
    ReservedText,

    /// A tag pair that cannot be read, ignored.
    BadTag(String),
    /// The position in the `FEN` tag cannot be played from.
    BadStartPosition(String),
    /// The `Variant` tag names rules that this library does not know.
    UnsupportedVariant(String),
    /// A word that is no legal move here; its line ends before it.
    BadMove {
        /// The word.
        text: String,
        /// Why it is none.
        reason: SanErrorKind,
    },
    /// A move after mate or stalemate; its line ends before it.
    MoveAfterEnd(String),
    /// A word that means nothing in a move text; its line ends before it.
    UnexpectedText(String),
    /// A character that has no place here, skipped.
    UnexpectedCharacter(char),
    /// A closing bracket without an opening one.
    StrayBracket,
    /// A comment that never closes; it ends at the next game or at the end of the text.
    UnclosedComment,
    /// A variation that never closes.
    UnclosedVariation,
    /// A variation before the first move of its line, skipped.
    VariationBeforeMove,
    /// Variations nested more deeply than the limit, skipped.
    NestedTooDeep,
    /// A comment, tag or word longer than the limit, cut there; or more comments before a game than are kept.
    TooLong,
    /// More text, tags or moves in one game than the limit; the rest of the game is skipped.
    GameTooLarge,
}

impl DefectKind {
    /// Whether a line of moves ends at such a defect although its text goes on.
    #[must_use]
    pub const fn ends_line(&self) -> bool {
        matches!(
            self,
            Self::BadMove { .. } | Self::MoveAfterEnd(_) | Self::UnexpectedText(_) | Self::GameTooLarge
        )
    }

    /// How much harm it does.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::ByteOrderMark
            | Self::BareCarriageReturn
            | Self::BlankLines
            | Self::MissingTag(_)
            | Self::DuplicateTag(_)
            | Self::TagSpelling(_)
            | Self::SetUpMismatch
            | Self::StartPositionRepaired(_)
            | Self::ResultTag(_)
            | Self::MissingResult
            | Self::ResultSpelling(_)
            | Self::ResultInVariation
            | Self::ResultConflict(_)
            | Self::UnknownGlyph(_)
            | Self::MisplacedGlyph
            | Self::MoveRemark(_)
            | Self::NullMove
            | Self::EmptyVariation
            | Self::ReservedText => Severity::Forgiven,
            Self::BadTag(_)
            | Self::BadStartPosition(_)
            | Self::UnsupportedVariant(_)
            | Self::BadMove { .. }
            | Self::MoveAfterEnd(_)
            | Self::UnexpectedText(_)
            | Self::UnexpectedCharacter(_)
            | Self::StrayBracket
            | Self::UnclosedComment
            | Self::UnclosedVariation
            | Self::VariationBeforeMove
            | Self::NestedTooDeep
            | Self::TooLong
            | Self::GameTooLarge => Severity::Error,
        }
    }
}

/// Two sources of a game's result that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultConflict {
    /// The termination marker and the `Result` tag.
    MarkerTag {
        /// What the marker says.
        marker: Outcome,
        /// What the tag says.
        tag: Outcome,
    },
    /// The termination marker and the final position.
    MarkerBoard {
        /// What the marker says.
        marker: Outcome,
        /// Mate or stalemate on the board.
        board: Outcome,
    },
    /// The `Result` tag and the final position.
    TagBoard {
        /// What the tag says.
        tag: Outcome,
        /// Mate or stalemate on the board.
        board: Outcome,
    },
}

impl fmt::Display for ResultConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MarkerTag { marker, tag } => write!(f, "termination marker {marker} v tag {tag}"),
            Self::MarkerBoard { marker, board } => write!(f, "termination marker {marker} v board {board}"),
            Self::TagBoard { tag, board } => write!(f, "tag {tag} v board {board}"),
        }
    }
}

impl fmt::Display for DefectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("byte-order mark before the text"),
            Self::BareCarriageReturn => f.write_str("line ends in a bare carriage return"),
            Self::BlankLines => f.write_str("sections not separated by exactly one empty line"),
            Self::MissingTag(name) => write!(f, "tag {name} missing"),
            Self::DuplicateTag(name) => write!(f, "tag {name:?} given twice"),
            Self::TagSpelling(text) => write!(f, "tag pair {text:?} not in export form"),
            Self::SetUpMismatch => f.write_str("tags FEN and SetUp do not go together"),
            Self::StartPositionRepaired(repair) => write!(f, "start position repaired: {repair}"),
            Self::ResultTag(value) => write!(f, "tag Result has the unknown value {value:?}"),
            Self::MissingResult => f.write_str("termination marker missing"),
            Self::ResultSpelling(text) => write!(f, "termination marker spelled {text:?}"),
            Self::ResultInVariation => f.write_str("termination marker inside a variation"),
            Self::ResultConflict(conflict) => write!(f, "result conflict: {conflict}"),
            Self::UnknownGlyph(text) => write!(f, "unknown annotation glyph {text:?}"),
            Self::MisplacedGlyph => f.write_str("annotation glyph before any move"),
            Self::MoveRemark(text) => write!(f, "remark {text:?} after a move"),
            Self::EmptyVariation => f.write_str("variation without moves"),
            Self::ReservedText => f.write_str("reserved text in angle brackets"),
            Self::BadTag(text) => write!(f, "tag pair {text:?} cannot be read"),
            Self::BadStartPosition(reason) => write!(f, "start position: {reason}"),
            Self::UnsupportedVariant(name) => write!(f, "variant {name:?} not supported"),
            Self::BadMove { text, reason } => write!(f, "move {text:?}: {reason}"),
            Self::MoveAfterEnd(text) => write!(f, "move {text:?} after the game has ended on the board"),
            Self::NullMove => f.write_str("null move"),
            Self::UnexpectedText(text) => write!(f, "unexpected text {text:?}"),
            Self::UnexpectedCharacter(character) => write!(f, "unexpected character {character:?}"),
            Self::StrayBracket => f.write_str("closing bracket without an opening one"),
            Self::UnclosedComment => f.write_str("comment not closed"),
            Self::UnclosedVariation => f.write_str("variation not closed"),
            Self::VariationBeforeMove => f.write_str("variation before the first move"),
            Self::NestedTooDeep => f.write_str("variations nested too deeply"),
            Self::TooLong => f.write_str("comment, tag or word too long"),
            Self::GameTooLarge => f.write_str("game too large"),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.kind)
    }
}

/// The head of `text`, at most 64 bytes, for use in a message.
pub(super) fn cut(text: &str) -> String {
    cut_to(text, 64)
}

/// The head of `text`, at most `bytes` long.
pub(super) fn cut_to(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}
