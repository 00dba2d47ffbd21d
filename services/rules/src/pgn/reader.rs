//! From a byte stream to events, one game at a time.

use std::io::{self, Read};

use super::encoding::TextEncoding;
use super::source::Source;
use super::visitor::{Flow, Visitor};
use super::{Defect, DefectKind, Location};

/// Longest comment, tag or word, in bytes. What is longer is cut.
pub const MAX_TOKEN_BYTES: usize = 1 << 20;
/// Deepest nesting of variations. What is deeper is skipped.
pub const MAX_NESTING: usize = 256;
/// Comments kept before the first tag of a game; more are dropped.
const MAX_LEADING_COMMENTS: usize = 16;
/// Enough bytes to see a whole token of any kind but comments and tag values, in nearly every game.
pub(super) const LOOKAHEAD: usize = 256;

/// Reads a PGN stream and hands its parts to a [`Visitor`], in memory bounded by the longest comment.
///
/// The reader knows the syntax of PGN, not chess: it finds tags, words, comments and brackets, and reports
/// [`Defect`]s of these. It never gives up on a stream: after an error it finds its way at the latest at the next game.
///
/// ```
/// use tabiya_rules::pgn::{DefectKind, Reader, Visitor};
///
/// #[derive(Default)]
/// struct Words(Vec<String>);
///
/// impl Visitor for Words {
///     fn san(&mut self, text: &str) -> Result<(), DefectKind> {
///         self.0.push(text.to_owned());
///         Ok(())
///     }
/// }
///
/// let mut reader = Reader::new("1. e4 {best by test} e5 (1... c5) 2. Nf3 *".as_bytes());
/// let mut words = Words::default();
/// assert!(reader.read_game(&mut words)?);
/// assert_eq!(words.0, ["e4", "e5", "Nf3"]);
/// assert!(!reader.read_game(&mut words)?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    pub(super) source: Source<R>,
    pub(super) game: u64,
    /// Line ends passed since the last token.
    pub(super) line_ends: u32,
    /// Comments before the first tag, held until it is clear that a game follows.
    leading: Vec<String>,
    /// The first thing wrong with them.
    leading_defect: Option<DefectKind>,
    pub(super) bare_return_seen: bool,
    pub(super) mark_seen: bool,
}

impl<R: Read> Reader<R> {
    /// Reads from `input`, which is buffered here.
    pub fn new(input: R) -> Self {
        Self {
            source: Source::new(input),
            game: 0,
            line_ends: 0,
            leading: Vec::new(),
            leading_defect: None,
            bare_return_seen: false,
            mark_seen: false,
        }
    }

    /// The encoding in which the text so far was read.
    pub fn encoding(&self) -> TextEncoding {
        self.source.encoding()
    }

    /// Where the reader stands.
    pub fn location(&mut self) -> Location {
        let (offset, line) = self.source.place();
        Location {
            game: self.game,
            offset,
            line,
        }
    }

    /// Reads one game; false if there is none left.
    ///
    /// # Errors
    /// If the stream cannot be read. The game is broken off there.
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<bool> {
        if !self.find_game()? {
            return Ok(false);
        }
        let between = if self.game == 0 { 0 } else { 2 };
        self.game += 1;
        let location = self.location();
        visitor.begin_game(location);
        if self.line_ends != between {
            self.report(visitor, DefectKind::BlankLines);
        }
        if std::mem::take(&mut self.mark_seen) {
            self.report(visitor, DefectKind::ByteOrderMark);
        }
        for comment in std::mem::take(&mut self.leading) {
            visitor.comment(&comment);
        }
        if let Some(kind) = self.leading_defect.take() {
            self.report(visitor, kind);
        }
        let moves_follow = self.read_tags(visitor)?;
        let flow = visitor.begin_moves().unwrap_or_else(|kind| {
            self.report(visitor, kind);
            Flow::Skip
        });
        if moves_follow {
            self.read_moves(visitor, flow == Flow::Skip)?;
        } else {
            self.report(visitor, DefectKind::MissingResult);
        }
        if std::mem::take(&mut self.bare_return_seen) {
            self.report(visitor, DefectKind::BareCarriageReturn);
        }
        let location = self.location();
        visitor.end_game(location);
        Ok(true)
    }

    pub(super) fn report<V: Visitor>(&mut self, visitor: &mut V, kind: DefectKind) {
        let location = self.location();
        visitor.defect(Defect { location, kind });
    }

    /// Goes to the first tag or word of a game; false if the stream ends before one.
    fn find_game(&mut self) -> io::Result<bool> {
        loop {
            self.skip_space()?;
            match self.source.rest().first() {
                None if self.leading_defect.is_some() => {
                    // A comment that is never closed may have swallowed games: there is one to report that with.
                    return Ok(true);
                }
                None => {
                    self.leading.clear();
                    return Ok(false);
                }
                Some(b'{' | b';') => {
                    let extent = self.find_comment_end()?;
                    if self.leading.len() < MAX_LEADING_COMMENTS {
                        self.leading
                            .push(self.source.slice(1, extent.text_end).to_owned());
                    } else {
                        self.leading_defect.get_or_insert(DefectKind::TooLong);
                    }
                    self.pass_comment(&extent)?;
                    if let Some(kind) = extent.defect {
                        self.leading_defect.get_or_insert(kind);
                    }
                }
                Some(_) => return Ok(true),
            }
        }
    }

    /// Skips spaces, line ends, byte-order marks and escape lines, and counts line ends. Escape lines, which begin
    /// with `%`, are passed together with the line end before them.
    pub(super) fn skip_space(&mut self) -> io::Result<()> {
        loop {
            self.source.want(LOOKAHEAD)?;
            let rest = self.source.rest();
            match rest.first() {
                Some(b' ' | b'\t' | 0x0b | 0x0c) => self.source.pos += 1,
                Some(b'\n' | b'\r') => self.pass_line_end()?,
                Some(b'%') if self.source.offset() == 0 => self.skip_line()?,
                Some(0xef) if rest.starts_with("\u{feff}".as_bytes()) => {
                    self.mark_seen = true;
                    self.source.pos += 3;
                }
                Some(0xc2) if rest.starts_with("\u{a0}".as_bytes()) => self.source.pos += 2,
                _ => return Ok(()),
            }
        }
    }

    /// Passes one line end, and the escape lines that follow it.
    pub(super) fn pass_line_end(&mut self) -> io::Result<()> {
        self.source.want(LOOKAHEAD)?;
        match self.source.rest() {
            [b'\r', b'\n', ..] => self.source.pos += 2,
            [b'\r', ..] => {
                self.bare_return_seen = true;
                self.source.pos += 1;
            }
            _ => self.source.pos += 1,
        }
        self.line_ends += 1;
        while self.source.rest().first() == Some(&b'%') {
            self.skip_line()?;
            self.source.want(LOOKAHEAD)?;
            match self.source.rest() {
                [b'\r', b'\n', ..] => self.source.pos += 2,
                [_, ..] => self.source.pos += 1,
                [] => {}
            }
        }
        Ok(())
    }

    /// Skips to the end of the line, which is left.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let rest = self.source.rest();
            match rest.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
                Some(length) => {
                    self.source.pos += length;
                    return Ok(());
                }
                None => {
                    self.source.pos += rest.len();
                    if !self.source.refill()? {
                        return Ok(());
                    }
                }
            }
        }
    }
}
