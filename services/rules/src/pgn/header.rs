//! Tag pairs.

use std::io::{self, Read};

use super::DefectKind;
use super::defect::cut;
use super::reader::{LOOKAHEAD, MAX_TOKEN_BYTES, Reader};
use super::visitor::Visitor;

/// A tag pair's parts, as distances from its opening bracket.
struct Pair {
    name: (usize, usize),
    value: (usize, usize),
    end: usize,
    escaped: bool,
    spelled: bool,
}

enum Line {
    Pair(Pair),
    Bad,
    TooLong,
}

impl<R: Read> Reader<R> {
    /// Reads the tag pairs; false if the next game's tags follow at once, without any move text.
    pub(super) fn read_tags<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<bool> {
        let mut first_name = String::new();
        let (mut tags, mut event_seen) = (0usize, false);
        self.line_ends = 1;
        loop {
            self.source.want(LOOKAHEAD)?;
            let rest = self.source.rest();
            match rest.first() {
                Some(b'[') if looks_like_tag(rest) => {
                    let name = name_of(rest);
                    if self.line_ends > 1 && (name == first_name.as_bytes() || event_seen && name == b"Event")
                    {
                        return Ok(false);
                    }
                    event_seen |= name == b"Event";
                    if tags == 0 {
                        first_name = String::from_utf8_lossy(name).into_owned();
                    }
                    self.read_tag(visitor, tags > 0)?;
                    tags += 1;
                }
                Some(b'[') if tags == 0 || self.line_ends > 0 => {
                    let end = self.source.boundary(rest.len().min(LOOKAHEAD));
                    let line = self.source.slice(0, end).lines().next().unwrap_or_default();
                    let kind = DefectKind::BadTag(cut(line));
                    self.report(visitor, kind);
                    self.skip_line()?;
                    tags += 1;
                }
                Some(b'{' | b';') if tags > 0 && self.line_ends == 1 => self.read_comment(visitor, true)?,
                byte => {
                    if tags > 0 && self.line_ends != 2 && byte.is_some() {
                        self.report(visitor, DefectKind::BlankLines);
                    }
                    return Ok(true);
                }
            }
            self.line_ends = 0;
            self.skip_space()?;
        }
    }

    fn read_tag<V: Visitor>(&mut self, visitor: &mut V, follows: bool) -> io::Result<()> {
        let pair = match self.find_pair()? {
            Line::Pair(pair) => pair,
            Line::Bad => {
                let end = self.source.boundary(self.source.rest().len().min(LOOKAHEAD));
                let kind =
                    DefectKind::BadTag(cut(self.source.slice(0, end).lines().next().unwrap_or_default()));
                self.report(visitor, kind);
                return self.skip_line();
            }
            Line::TooLong => {
                self.report(visitor, DefectKind::TooLong);
                return self.skip_line();
            }
        };
        let name = self.source.slice(pair.name.0, pair.name.1);
        let value = self.source.slice(pair.value.0, pair.value.1);
        let seen = if pair.escaped {
            visitor.tag(name, &unescape(value))
        } else {
            visitor.tag(name, value)
        };
        let spelling = pair.spelled || follows && self.line_ends == 0;
        let kind = spelling.then(|| DefectKind::TagSpelling(cut(self.source.slice(0, pair.end))));
        if follows && self.line_ends > 1 {
            self.report(visitor, DefectKind::BlankLines);
        }
        for kind in [kind, seen.err()].into_iter().flatten() {
            self.report(visitor, kind);
        }
        self.source.pos += pair.end;
        Ok(())
    }

    fn find_pair(&mut self) -> io::Result<Line> {
        let rest = self.source.rest();
        let name_start = 1 + blanks(&rest[1..]);
        let name_end = name_start
            + rest[name_start..]
                .iter()
                .take_while(|&&byte| is_name(byte))
                .count();
        let value_start = name_end + blanks(&rest[name_end..]) + 1;
        let mut i = value_start;
        let (mut escaped, mut spelled) = (false, false);
        loop {
            let rest = self.source.rest();
            // A decision needs the bytes behind a quote.
            if i + LOOKAHEAD > rest.len() && !self.source.ended() {
                if i > MAX_TOKEN_BYTES {
                    return Ok(Line::TooLong);
                }
                self.source.refill()?;
                continue;
            }
            match rest.get(i) {
                None | Some(b'\n' | b'\r') => return Ok(Line::Bad),
                Some(b'\\') if matches!(rest.get(i + 1), Some(b'"' | b'\\')) => {
                    escaped = true;
                    i += 2;
                }
                Some(b'"') => {
                    let behind = i + 1 + blanks(&rest[i + 1..]);
                    let (name, value) = ((name_start, name_end), (value_start, i));
                    match rest.get(behind) {
                        Some(b']') => {
                            return Ok(Line::Pair(Pair {
                                name,
                                value,
                                end: behind + 1,
                                escaped,
                                spelled,
                            }));
                        }
                        // The bracket was forgotten.
                        Some(b'\n' | b'\r') => {
                            return Ok(Line::Pair(Pair {
                                name,
                                value,
                                end: behind,
                                escaped,
                                spelled: true,
                            }));
                        }
                        _ => {
                            spelled = true;
                            i += 1;
                        }
                    }
                }
                Some(_) => i += 1,
            }
        }
    }
}

/// Whether a tag pair seems to begin here: bracket, name, quote.
pub(super) fn looks_like_tag(bytes: &[u8]) -> bool {
    let name = name_of(bytes);
    let Some(start) = bytes.get(1..) else { return false };
    let behind = &start[blanks(start) + name.len()..];
    bytes[0] == b'[' && !name.is_empty() && behind.get(blanks(behind)) == Some(&b'"')
}

fn name_of(bytes: &[u8]) -> &[u8] {
    let start = bytes.get(1..).unwrap_or_default();
    let name = &start[blanks(start)..];
    &name[..name
        .iter()
        .take(LOOKAHEAD / 2)
        .take_while(|&&byte| is_name(byte))
        .count()]
}

fn blanks(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(LOOKAHEAD / 8)
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'_' | b'-' | b'+' | b'#' | b'=' | b':' | b'.')
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(character) = rest.next() {
        match (character, rest.as_str().chars().next()) {
            ('\\', Some(escaped @ ('"' | '\\'))) => {
                text.push(escaped);
                rest.next();
            }
            _ => text.push(character),
        }
    }
    text
}
