//! Positions from lines of FEN or EPD.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::Arc,
};

use tabiya_rules::{Variant, epd::Epd};

use super::{Feed, InputGame, Source};
use crate::failure::Failure;

/// Longest line with a position that is read, in bytes; what is longer is reported and skipped.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// The lines of a text that hold something: neither empty nor a comment (`#`).
pub(crate) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    number: u64,
    limit: u64,
}

/// A line and its number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Counted from 1, empty lines and comments too.
    pub(crate) number: u64,
    /// The text without space around it, or why it cannot be used.
    pub(crate) text: Result<String, String>,
}

impl Lines {
    /// Reads from `text`, which is buffered here.
    pub(crate) fn new(text: Box<dyn Read + Send>) -> Self {
        Self::with_limit(text, MAX_LINE_BYTES)
    }

    /// Reads lines of at most so many bytes, their ends included.
    pub(crate) fn with_limit(text: Box<dyn Read + Send>, limit: u64) -> Self {
        Self {
            reader: BufReader::new(text),
            number: 0,
            limit,
        }
    }

    /// The next line that holds something.
    ///
    /// # Errors
    /// If the text cannot be read on.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let read = self
                .reader
                .by_ref()
                .take(self.limit)
                .read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let number = self.number;
            if read as u64 == self.limit && bytes.last() != Some(&b'\n') {
                self.skip_line()?;
                return Ok(Some(Line {
                    number,
                    text: Err(format!("longer than {} bytes", self.limit)),
                }));
            }
            let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned());
            let text = text.map(|text| text.trim_start_matches('\u{feff}').trim().to_owned());
            if !matches!(&text, Ok(text) if text.is_empty() || text.starts_with('#')) {
                return Ok(Some(Line { number, text }));
            }
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let held = self.reader.fill_buf()?;
            let end = held.iter().position(|&byte| byte == b'\n');
            let (length, done) = end.map_or((held.len(), held.is_empty()), |end| (end + 1, true));
            self.reader.consume(length);
            if done {
                return Ok(());
            }
        }
    }
}

/// Reads all positions of a text; false if `take` wants no more.
///
/// # Errors
/// If the text cannot be read on.
pub(super) fn read(
    name: &str,
    text: Box<dyn Read + Send>,
    chess960: bool,
    number: &mut u64,
    take: &mut dyn FnMut(Feed) -> bool,
) -> Result<bool, Failure> {
    let file: Arc<str> = name.into();
    let variant = if chess960 {
        Variant::Chess960
    } else {
        Variant::Standard
    };
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next_line().map_err(|error| Failure::input(name, error))? {
        *number += 1;
        let game = line
            .text
            .and_then(|text| position(&file, *number, variant, &text));
        let feed = match game {
            Ok(game) => Feed::Game(Box::new(game)),
            Err(reason) => Feed::Broken(format!("{name}: line {}: {reason}", line.number)),
        };
        if !take(feed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The position of a line, which is in EPD or, with six fields, in FEN.
fn position(file: &Arc<str>, number: u64, variant: Variant, line: &str) -> Result<InputGame, String> {
    let epd = Epd::parse(line, variant).map_err(|error| error.to_string())?;
    let source = Source::Line(Box::new(epd.clone()));
    Ok(InputGame::new(
        file,
        number,
        variant,
        epd.board,
        std::iter::empty(),
        source,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen(line: &str) -> Result<String, String> {
        position(&"x".into(), 1, Variant::Standard, line).map(|game| game.fen(0))
    }

    #[test]
    fn fen_and_epd_lines_are_read() {
        let whole = "4k3/8/8/8/8/8/8/4K2R w K - 3 40";
        assert_eq!(fen(whole).as_deref(), Ok(whole));
        assert_eq!(
            fen("4k3/8/8/8/8/8/8/4K2R w K - fmvn 40; id \"a;b\"; hmvc 3;").as_deref(),
            Ok(whole)
        );
        assert_eq!(
            fen("4k3/8/8/8/8/8/8/4K2R w K -").as_deref(),
            Ok("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        );
        assert!(fen("4k3/8/8/8/8/8/8/4K2R w").is_err());
        assert!(fen("nonsense").is_err());
    }

    #[test]
    fn long_lines_and_foreign_bytes_are_reported() -> io::Result<()> {
        let text = [vec![b'x'; 70_000], b"\nnext\n\xff\n".to_vec()].concat();
        let mut lines = Lines::new(Box::new(io::Cursor::new(text)));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line()? {
            found.push((line.number, line.text.ok()));
        }
        assert_eq!(found, [(1, None), (2, Some("next".to_owned())), (3, None)]);
        Ok(())
    }
}
