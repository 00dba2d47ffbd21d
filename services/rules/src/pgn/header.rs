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
            let head = if rest.first() == Some(&b'[') {
                head(rest)
            } else {
                None
            };
            match (rest.first(), head) {
                (_, Some(head)) => {
                    let name = &rest[head.name.0..head.name.1];
                    if self.line_ends > 1 && (name == first_name.as_bytes() || event_seen && name == b"Event")
                    {
                        return Ok(false);
                    }
                    event_seen |= name == b"Event";
                    if tags == 0 {
                        first_name = String::from_utf8_lossy(name).into_owned();
                    }
                    self.read_tag(visitor, head, tags > 0)?;
                    tags += 1;
                }
                (Some(b'['), _) if tags == 0 || self.line_ends > 0 => {
                    let end = self.source.boundary(rest.len().min(LOOKAHEAD));
                    let line = self.source.slice(0, end).lines().next().unwrap_or_default();
                    let kind = DefectKind::BadTag(cut(line));
                    self.report(visitor, kind);
                    self.skip_line()?;
                    tags += 1;
                }
                (Some(b'{' | b';'), _) if tags > 0 && self.line_ends == 1 => {
                    self.read_comment(visitor, true)?
                }
                (byte, _) => {
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

    fn read_tag<V: Visitor>(&mut self, visitor: &mut V, head: Head, follows: bool) -> io::Result<()> {
        let pair = match self.find_pair(head)? {
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

    fn find_pair(&mut self, head: Head) -> io::Result<Line> {
        let Head { name, value_start } = head;
        let mut i = value_start;
        let (mut escaped, mut spelled) = (false, false);
        loop {
            let rest = self.source.rest();
            while rest
                .get(i)
                .is_some_and(|&byte| byte != b'"' && byte != b'\\' && byte >= b' ')
            {
                i += 1;
            }
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
                    let behind = blanks_end(rest, i + 1);
                    let value = (value_start, i);
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

/// Where the name and the value of a tag pair begin and end, as distances from its bracket.
#[derive(Clone, Copy)]
struct Head {
    name: (usize, usize),
    value_start: usize,
}

/// Whether a tag pair seems to begin here: bracket, name, quote.
pub(super) fn looks_like_tag(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'[') && head(bytes).is_some()
}

fn head(bytes: &[u8]) -> Option<Head> {
    let start = blanks_end(bytes, 1);
    let mut end = start;
    while end < LOOKAHEAD / 2 && bytes.get(end).is_some_and(|&byte| is_name(byte)) {
        end += 1;
    }
    let quote = blanks_end(bytes, end);
    (end > start && bytes.get(quote) == Some(&b'"')).then_some(Head {
        name: (start, end),
        value_start: quote + 1,
    })
}

/// The end of some blanks at `from`, few enough to stay within the lookahead.
#[inline]
fn blanks_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    while end < from + LOOKAHEAD / 8 && matches!(bytes.get(end), Some(b' ' | b'\t')) {
        end += 1;
    }
    end
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
