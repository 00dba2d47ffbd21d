//! From a byte stream to trees, one game at a time.

use std::fmt;
use std::io::{self, Read};

use super::build::TreeBuilder;
use super::{Defect, GameTree, Location, Reader, Severity, Tags, TextEncoding};

/// How much is forgiven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The import format and more: whatever can mean only one thing is read, and every defect is listed. After an
    /// error the line of moves up to it remains; only a game whose start cannot be known is rejected.
    #[default]
    Lenient,
    /// The export format: a game with any [`Defect`] is rejected, and moves must be in the standard's spelling.
    /// Free are the order of tags, the length of lines and the move numbers.
    Strict,
}

/// Why there is no tree.
#[derive(Debug)]
pub enum PgnError {
    /// The stream cannot be read on.
    Io(io::Error),
    /// A game is rejected; the next may be read.
    Rejected(Box<RejectedGame>),
    /// The stream holds no game at all; only in strict mode.
    NoGame,
}

/// What is known of a rejected game.
#[derive(Debug)]
pub struct RejectedGame {
    /// Where it begins.
    pub location: Location,
    /// Its tags, as far as they were read.
    pub tags: Tags,
    /// What is wrong with it, errors first; at most the first hundred, and the reason for the rejection.
    pub defects: Vec<Defect>,
    /// Number of defects beyond those listed.
    pub more_defects: usize,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "pgn stream: {error}"),
            Self::Rejected(game) => {
                let worst = game
                    .defects
                    .iter()
                    .rev()
                    .max_by_key(|defect| defect.kind.severity());
                match worst {
                    Some(defect) => write!(f, "game rejected: {defect}"),
                    None => write!(f, "game rejected: {}", game.location),
                }
            }
            Self::NoGame => f.write_str("pgn stream holds no game"),
        }
    }
}

impl std::error::Error for PgnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Rejected(_) | Self::NoGame => None,
        }
    }
}

/// An iterator over the games of a stream.
///
/// ```
/// use tabiya_rules::pgn::{Games, Mode};
///
/// let pgn = "1. f3 e5 2. g4 Qh4# {[%clk 0:01:02]} 0-1\n\n1. e4 e5 2. Ke3 *\n";
/// let games: Vec<_> = Games::new(pgn.as_bytes(), Mode::Lenient).collect::<Result<_, _>>()?;
/// let last = games[0].main_line().last().unwrap();
/// assert_eq!(games[0].clock(last).unwrap().as_secs(), 62);
/// assert_eq!(games[1].main_line().count(), 2);
/// assert!(games[1].errors().next().unwrap().to_string().starts_with("game 2, line 3, byte 54: move \"Ke3\""));
/// # Ok::<(), tabiya_rules::pgn::PgnError>(())
/// ```
#[derive(Debug)]
pub struct Games<R> {
    reader: Reader<R>,
    mode: Mode,
    ended: bool,
    any: bool,
}

impl<R: Read> Games<R> {
    /// Reads from `input`, which is buffered here.
    pub fn new(input: R, mode: Mode) -> Self {
        Self {
            reader: Reader::new(input),
            mode,
            ended: false,
            any: false,
        }
    }

    /// The encoding in which the text so far was read.
    pub fn encoding(&self) -> TextEncoding {
        self.reader.encoding()
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<GameTree, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut builder = TreeBuilder::new(self.mode);
        match self.reader.read_game(&mut builder) {
            Err(error) => {
                self.ended = true;
                Some(Err(PgnError::Io(error)))
            }
            Ok(false) => {
                self.ended = true;
                (self.mode == Mode::Strict && !self.any).then_some(Err(PgnError::NoGame))
            }
            Ok(true) => {
                self.any = true;
                let tree = builder.tree;
                let rejected = match self.mode {
                    Mode::Lenient => builder.rejected,
                    Mode::Strict => !tree.defects().is_empty(),
                };
                if !rejected {
                    return Some(Ok(tree));
                }
                let mut defects = tree.defects;
                // The reason for the rejection comes first, if it is an error.
                defects.sort_by_key(|defect| std::cmp::Reverse(defect.kind.severity()));
                debug_assert!(
                    defects
                        .first()
                        .is_some_and(|d| self.mode == Mode::Strict || d.kind.severity() == Severity::Error)
                );
                let game = RejectedGame {
                    location: tree.location,
                    tags: tree.tags,
                    defects,
                    more_defects: tree.more_defects,
                };
                Some(Err(PgnError::Rejected(Box::new(game))))
            }
        }
    }
}
