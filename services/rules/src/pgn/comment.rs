//! Comments: between braces, or from a semicolon to the end of the line.

use std::io::{self, Read};

use super::DefectKind;
use super::header::looks_like_tag;
use super::reader::{LOOKAHEAD, MAX_TOKEN_BYTES, Reader};
use super::visitor::Visitor;

/// A comment's extent, as distances from its opening character.
pub(super) struct Extent {
    /// End of the text, which begins behind the opening character.
    pub(super) text_end: usize,
    /// Where reading goes on.
    end: usize,
    pub(super) defect: Option<DefectKind>,
    /// The text goes on behind `end` and has to be skipped.
    cut: bool,
}

enum Scan {
    Closed(usize),
    NextGame(usize),
    /// Nothing up to here; more text is needed.
    More(usize),
}

impl<R: Read> Reader<R> {
    /// Reads the comment at the current position and delivers it, if wanted.
    #[inline]
    pub(super) fn read_comment<V: Visitor>(&mut self, visitor: &mut V, wanted: bool) -> io::Result<()> {
        // Nearly all comments are in braces, on one line and in the buffer.
        let rest = self.source.rest();
        let end = next_brace_or_control(rest, 1);
        if rest[0] == b'{' && rest.get(end) == Some(&b'}') {
            if wanted {
                visitor.comment(self.source.slice(1, end));
            }
            self.source.pos += end + 1;
            return Ok(());
        }
        self.read_long_comment(visitor, wanted)
    }

    fn read_long_comment<V: Visitor>(&mut self, visitor: &mut V, wanted: bool) -> io::Result<()> {
        let extent = self.find_comment_end()?;
        if wanted {
            visitor.comment(self.source.slice(1, extent.text_end));
        }
        if let Some(kind) = extent.defect.clone() {
            // Where the comment begins: where it should have ended nobody knows.
            self.report(visitor, kind);
        }
        self.pass_comment(&extent)
    }

    pub(super) fn find_comment_end(&mut self) -> io::Result<Extent> {
        if self.source.rest().first() == Some(&b';') {
            return self.find_line_end();
        }
        let mut from = 1;
        loop {
            let ended = self.source.ended();
            match scan(self.source.rest(), from, ended) {
                Scan::Closed(at) => {
                    return Ok(Extent {
                        text_end: at,
                        end: at + 1,
                        defect: None,
                        cut: false,
                    });
                }
                Scan::NextGame(at) => {
                    let defect = Some(DefectKind::UnclosedComment);
                    return Ok(Extent {
                        text_end: at,
                        end: at,
                        defect,
                        cut: false,
                    });
                }
                Scan::More(at) if at > MAX_TOKEN_BYTES => return Ok(self.cut_comment(at)),
                Scan::More(at) => from = at,
            }
            self.source.refill()?;
            if ended {
                let end = self.source.rest().len();
                let defect = Some(DefectKind::UnclosedComment);
                return Ok(Extent {
                    text_end: end,
                    end,
                    defect,
                    cut: false,
                });
            }
        }
    }

    fn find_line_end(&mut self) -> io::Result<Extent> {
        let mut from = 1;
        loop {
            let rest = self.source.rest();
            let line_end = rest
                .iter()
                .skip(from)
                .position(|&byte| byte == b'\n' || byte == b'\r');
            if let Some(length) = line_end {
                let end = from + length;
                return Ok(Extent {
                    text_end: end,
                    end,
                    defect: None,
                    cut: false,
                });
            }
            from = rest.len();
            if from > MAX_TOKEN_BYTES {
                return Ok(self.cut_comment(from));
            }
            if !self.source.refill()? {
                return Ok(Extent {
                    text_end: from,
                    end: from,
                    defect: None,
                    cut: false,
                });
            }
        }
    }

    fn cut_comment(&self, at: usize) -> Extent {
        let end = self.source.boundary(at);
        Extent {
            text_end: end,
            end,
            defect: Some(DefectKind::TooLong),
            cut: true,
        }
    }

    /// Goes behind the comment.
    pub(super) fn pass_comment(&mut self, extent: &Extent) -> io::Result<()> {
        let in_line = self.source.rest().first() == Some(&b';');
        self.source.pos += extent.end;
        if extent.cut {
            if in_line {
                self.skip_line()?;
            } else {
                self.skip_comment()?;
            }
        }
        Ok(())
    }

    /// Skips what is left of a comment in braces.
    fn skip_comment(&mut self) -> io::Result<()> {
        loop {
            let ended = self.source.ended();
            match scan(self.source.rest(), 0, ended) {
                Scan::Closed(at) => {
                    self.source.pos += at + 1;
                    return Ok(());
                }
                Scan::NextGame(at) => {
                    self.source.pos += at;
                    return Ok(());
                }
                Scan::More(at) => {
                    self.source.pos += self.source.boundary(at);
                    self.source.refill()?;
                    if ended {
                        self.source.pos += self.source.rest().len();
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Finds the closing brace, or an empty line with a tag pair behind it: there a comment was left open, and the next
/// game must not be lost.
fn scan(bytes: &[u8], from: usize, ended: bool) -> Scan {
    let mut i = from;
    loop {
        i = next_brace_or_control(bytes, i);
        match bytes.get(i) {
            None => return Scan::More(bytes.len()),
            Some(b'}') => return Scan::Closed(i),
            Some(b'\n' | b'\r') => {
                if bytes.len() - i < LOOKAHEAD && !ended {
                    return Scan::More(i);
                }
                if next_game_follows(&bytes[i..]) {
                    return Scan::NextGame(i);
                }
            }
            Some(_) => {}
        }
        i += 1;
    }
}

/// Whether a line end, an empty line and a tag pair follow.
fn next_game_follows(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    for _ in 0..2 {
        rest = match rest {
            [b'\r', b'\n', rest @ ..] | [b'\n' | b'\r', rest @ ..] => rest,
            _ => return false,
        };
    }
    looks_like_tag(rest)
}

/// Index of the first `}` or control character at or after `from`, or the length: eight bytes a step.
fn next_brace_or_control(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut i = from;
    while let Some(chunk) = bytes.get(i..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        // A byte's high bit is set in `x - ONES & !x` if the byte is zero (exact for the lowest such byte, which is
        // the one wanted); likewise for bytes below 0x20.
        let brace = word ^ (ONES * b'}' as u64);
        let hits = (brace.wrapping_sub(ONES) & !brace | word.wrapping_sub(ONES * 0x20) & !word) & HIGHS;
        if hits != 0 {
            return i + hits.trailing_zeros() as usize / 8;
        }
        i += 8;
    }
    let tail = bytes.get(i..).unwrap_or_default();
    i + tail
        .iter()
        .position(|&byte| byte == b'}' || byte < 0x20)
        .unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_steps_find_what_single_steps_find() {
        let mut seed = 7u64;
        let bytes: Vec<u8> = (0..4096)
            .map(|_| {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                [b'}', b'\n', 0x1f, 0x20, b'|', b'~', 0xe4, 0x9d, 0xff, 0x80, b'a']
                    [(seed >> 33) as usize % 11]
            })
            .collect();
        for from in 0..bytes.len() {
            let slow = bytes[from..].iter().position(|&byte| byte == b'}' || byte < 0x20);
            assert_eq!(
                next_brace_or_control(&bytes, from),
                slow.map_or(bytes.len(), |n| from + n)
            );
        }
    }
}
