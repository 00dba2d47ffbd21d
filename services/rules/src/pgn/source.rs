//! A window over the text of a stream.

use std::io::{self, Read};

use super::encoding::{Decoder, TextEncoding};

const BLOCK_BYTES: usize = 64 * 1024;

/// Holds the text from the current position on, as much of it as a token needs, and knows where it is.
#[derive(Debug)]
pub(super) struct Source<R> {
    input: R,
    block: Box<[u8]>,
    decoder: Decoder,
    text: String,
    /// Next byte to read in `text`; always at a character boundary between tokens.
    pub(super) pos: usize,
    /// Offset of `text[0]` in the stream.
    base: u64,
    /// Line of `text[counted]`, from 1.
    line: u64,
    counted: usize,
    ended: bool,
    kept: Option<Kept>,
}

/// Text that was passed, kept for its own sake.
#[derive(Debug)]
struct Kept {
    text: String,
    /// What follows it begins here in the window.
    from: usize,
    limit: usize,
}

impl<R: Read> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            block: vec![0; BLOCK_BYTES].into_boxed_slice(),
            decoder: Decoder::new(),
            text: String::new(),
            pos: 0,
            base: 0,
            line: 1,
            counted: 0,
            ended: false,
            kept: None,
        }
    }

    /// Keeps what is passed from here on, until it exceeds `limit` bytes.
    pub(super) fn keep(&mut self, limit: usize) {
        self.kept = Some(Kept {
            text: String::new(),
            from: self.pos,
            limit,
        });
    }

    /// What was passed since [`keep`](Self::keep); none if it was too long, or nothing was to be kept.
    pub(super) fn take_kept(&mut self) -> Option<String> {
        self.move_to_kept();
        let kept = self.kept.take()?;
        (kept.text.len() <= kept.limit).then_some(kept.text)
    }

    fn move_to_kept(&mut self) {
        if let Some(kept) = &mut self.kept {
            if kept.text.len() <= kept.limit {
                kept.text.push_str(&self.text[kept.from..self.pos]);
            }
            kept.from = self.pos;
        }
    }

    pub(super) fn encoding(&self) -> TextEncoding {
        self.decoder.encoding()
    }

    /// The text held from the current position on.
    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The held text between two distances from the current position, which must be character boundaries.
    #[inline]
    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        &self.text[self.pos + from..self.pos + to]
    }

    /// The largest character boundary at or below `distance` from the current position.
    pub(super) fn boundary(&self, distance: usize) -> usize {
        self.text.floor_char_boundary(self.pos + distance) - self.pos
    }

    /// Whether the text held is all there is.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Makes sure that at least `bytes` are held, unless the stream ends before.
    #[inline]
    pub(super) fn want(&mut self, bytes: usize) -> io::Result<()> {
        while self.text.len() - self.pos < bytes && !self.ended {
            self.refill()?;
        }
        Ok(())
    }

    /// Drops the text before the current position and reads on; false at the end of the stream.
    #[cold]
    pub(super) fn refill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.count_lines();
        self.move_to_kept();
        if let Some(kept) = &mut self.kept {
            kept.from = 0;
        }
        self.text.drain(..self.pos);
        self.base += self.pos as u64;
        self.counted = 0;
        self.pos = 0;
        let before = self.text.len();
        while self.text.len() == before && !self.ended {
            match self.input.read(&mut self.block) {
                Ok(0) => {
                    self.decoder.finish(&mut self.text);
                    self.ended = true;
                }
                Ok(length) => {
                    let block = self.block.get(..length).unwrap_or(&self.block);
                    self.decoder.push(block, &mut self.text);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(self.text.len() > before)
    }

    /// Offset of the current position in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Offset and line of the current position.
    pub(super) fn place(&mut self) -> (u64, u64) {
        self.count_lines();
        (self.offset(), self.line)
    }

    fn count_lines(&mut self) {
        let bytes = self.text.as_bytes();
        let passed = &bytes[self.counted..self.pos];
        self.line += count(passed, b'\n');
        if passed.contains(&b'\r') {
            let bare = |&i: &usize| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
            self.line += (self.counted..self.pos).filter(bare).count() as u64;
        }
        self.counted = self.pos;
    }
}

/// How often a byte occurs; in pieces short enough for counters of one byte, many of which fit a register.
fn count(bytes: &[u8], wanted: u8) -> u64 {
    let piece = |piece: &[u8]| u64::from(piece.iter().map(|&byte| u8::from(byte == wanted)).sum::<u8>());
    bytes.chunks(255).map(piece).sum()
}
