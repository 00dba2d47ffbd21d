//! Move text: words, numbers, glyphs, brackets, termination markers.

use std::io::{self, Read};

use super::defect::cut;
use super::header::looks_like_tag;
use super::nest::Nest;
use super::reader::{LOOKAHEAD, MAX_NESTING, MAX_TOKEN_BYTES, Reader};
use super::visitor::{Flow, Visitor};
use super::{DefectKind, Outcome, glyph};

impl<R: Read> Reader<R> {
    pub(super) fn read_moves<V: Visitor>(&mut self, visitor: &mut V, skip: bool) -> io::Result<()> {
        let mut nest = Nest::new(skip);
        loop {
            self.source.want(LOOKAHEAD)?;
            let rest = self.source.rest();
            let Some(&byte) = rest.first() else {
                self.end_without_marker(visitor, &nest);
                return Ok(());
            };
            match byte {
                b' ' | b'\t' | 0x0b | 0x0c => self.source.pos += 1,
                b'a'..=b'z' | b'A'..=b'Z' => self.read_word(visitor, &mut nest)?,
                b'1'..=b'9' | b'0' => {
                    if self.read_number(visitor, &mut nest)? {
                        return Ok(());
                    }
                }
                b'{' | b';' => self.read_comment(visitor, nest.reading())?,
                b'.' => self.source.pos += 1,
                b'\n' | b'\r' => {
                    self.line_ends = 0;
                    self.skip_space()?;
                    let rest = self.source.rest();
                    if self.line_ends > 1 && !rest.is_empty() && !looks_like_tag(rest) {
                        self.report(visitor, DefectKind::BlankLines);
                    }
                }
                b'$' => self.read_glyph_number(visitor, &nest),
                b'!' | b'?' => self.read_suffix(visitor, &nest),
                b'(' => self.open_variation(visitor, &mut nest),
                b')' => self.close_variation(visitor, &mut nest),
                b'*' => {
                    if self.end_with_marker(visitor, &nest, Outcome::Unknown, 1)? {
                        return Ok(());
                    }
                }
                b'[' if looks_like_tag(rest) => {
                    self.end_without_marker(visitor, &nest);
                    return Ok(());
                }
                b'+' | b'-' | b'=' | b'@' | 0x80.. => {
                    if self.read_sign(visitor, &mut nest)? {
                        return Ok(());
                    }
                }
                b'<' => self.skip_reserved(visitor),
                _ => {
                    self.report(visitor, DefectKind::UnexpectedCharacter(char::from(byte)));
                    self.source.pos += 1;
                }
            }
        }
    }

    /// Length of the word at the current position; a word too long is cut.
    #[inline]
    fn word_length(&mut self) -> io::Result<usize> {
        let mut length = 0;
        if let Some(head) = self.source.rest().first_chunk::<8>() {
            // Nearly all words are shorter than this; looking at every byte spares a branch that is hard to predict.
            let mut ends = 0u32;
            for (at, &byte) in head.iter().enumerate() {
                ends |= u32::from(ENDS_WORD[byte as usize]) << at;
            }
            if ends != 0 {
                return Ok(ends.trailing_zeros() as usize);
            }
            length = head.len();
        }
        loop {
            let rest = self.source.rest();
            while length < rest.len() && !ENDS_WORD[rest[length] as usize] {
                length += 1;
            }
            if length < rest.len() {
                return Ok(length);
            }
            if length > MAX_TOKEN_BYTES {
                return Ok(self.source.boundary(length));
            }
            if !self.source.refill()? {
                return Ok(length);
            }
        }
    }

    fn read_word<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest) -> io::Result<()> {
        let mut length = self.word_length()?;
        // Old databases write promotions as e8(Q).
        if let [b'1' | b'8', b'(', b'Q' | b'R' | b'B' | b'N', b')', ..] = self.source.rest()[length - 1..] {
            length += 3;
        }
        self.deliver_word(visitor, nest, length);
        Ok(())
    }

    fn deliver_word<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest, length: usize) {
        if nest.reading() {
            let word = self.source.slice(0, length);
            if let Err(kind) = visitor.san(word) {
                if REMARKS.contains(&word) {
                    let kind = DefectKind::MoveRemark(cut(word));
                    self.report(visitor, kind);
                } else if let Some(nag) = glyph::from_sign(word) {
                    self.deliver_nag(visitor, nag);
                } else {
                    self.report(visitor, kind);
                    nest.skip(nest.depth > 0);
                }
            } else if let Some(kind) = visitor.remark() {
                self.report(visitor, kind);
            }
        }
        self.source.pos += length;
    }

    /// Reads a move number, or a termination marker or castling that begins with a digit; true if the game ends.
    fn read_number<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest) -> io::Result<bool> {
        let rest = self.source.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match rest.get(digits) {
            Some(b'.') => {
                let dots = rest[digits..].iter().take_while(|&&byte| byte == b'.').count();
                self.source.pos += digits + dots;
                Ok(false)
            }
            Some(b'-' | b'/' | b':' | 0xe2) => {
                let length = self.word_length()?;
                let word = self.source.slice(0, length);
                if let Some(marker) = Outcome::from_standard(word) {
                    return self.end_with_marker(visitor, nest, marker, length);
                }
                if word.starts_with("0-0") {
                    self.deliver_word(visitor, nest, length);
                    return Ok(false);
                }
                self.read_informal_marker(visitor, nest, length)
            }
            _ => {
                self.source.pos += digits;
                Ok(false)
            }
        }
    }

    /// Reads a word that begins with a sign: a marker such as `½-½`, a glyph such as `±` or `+-`, a figurine.
    fn read_sign<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest) -> io::Result<bool> {
        for space in ["\u{a0}", "\u{feff}"] {
            if self.source.rest().starts_with(space.as_bytes()) {
                self.source.pos += space.len();
                return Ok(false);
            }
        }
        let length = self.word_length()?;
        let word = self.source.slice(0, length);
        if word.starts_with('½') {
            return self.read_informal_marker(visitor, nest, length);
        }
        if let Some(nag) = glyph::from_sign(word) {
            if nest.reading() {
                self.deliver_nag(visitor, nag);
            }
            self.source.pos += length;
        } else {
            self.deliver_word(visitor, nest, length);
        }
        Ok(false)
    }

    fn read_informal_marker<V: Visitor>(
        &mut self,
        visitor: &mut V,
        nest: &mut Nest,
        length: usize,
    ) -> io::Result<bool> {
        let word = self.source.slice(0, length);
        let text = cut(word);
        if let Some(marker) = Outcome::from_informal(word) {
            self.report(visitor, DefectKind::ResultSpelling(text));
            return self.end_with_marker(visitor, nest, marker, length);
        }
        if nest.reading() {
            self.report(visitor, DefectKind::UnexpectedText(text));
            nest.skip(nest.depth > 0);
        }
        self.source.pos += length;
        Ok(false)
    }

    fn deliver_nag<V: Visitor>(&mut self, visitor: &mut V, nag: u8) {
        if let Err(kind) = visitor.nag(nag) {
            self.report(visitor, kind);
        }
    }

    fn read_glyph_number<V: Visitor>(&mut self, visitor: &mut V, nest: &Nest) {
        let rest = self.source.rest();
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = self.source.slice(1, 1 + digits).parse();
        match number {
            Ok(nag) if nest.reading() => self.deliver_nag(visitor, nag),
            Ok(_) => {}
            Err(_) => {
                let kind = DefectKind::UnknownGlyph(cut(self.source.slice(0, 1 + digits)));
                self.report(visitor, kind);
            }
        }
        self.source.pos += 1 + digits;
    }

    fn read_suffix<V: Visitor>(&mut self, visitor: &mut V, nest: &Nest) {
        let length = self
            .source
            .rest()
            .iter()
            .take_while(|&&byte| byte == b'!' || byte == b'?')
            .count();
        let text = self.source.slice(0, length);
        match glyph::from_sign(text) {
            Some(nag) if nest.reading() => self.deliver_nag(visitor, nag),
            Some(_) => {}
            None => {
                let kind = DefectKind::UnknownGlyph(cut(text));
                self.report(visitor, kind);
            }
        }
        self.source.pos += length;
    }

    fn open_variation<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest) {
        if self.source.rest().starts_with(b"(=)") {
            self.report(visitor, DefectKind::MoveRemark("(=)".to_owned()));
            self.source.pos += 3;
            return;
        }
        nest.depth += 1;
        if nest.reading() {
            let flow = if nest.depth > MAX_NESTING {
                Err(DefectKind::NestedTooDeep)
            } else {
                visitor.begin_variation()
            };
            match flow {
                Ok(Flow::Read) => {}
                Ok(Flow::Skip) => nest.skip(false),
                Err(kind) => {
                    self.report(visitor, kind);
                    nest.skip(false);
                }
            }
        }
        self.source.pos += 1;
    }

    fn close_variation<V: Visitor>(&mut self, visitor: &mut V, nest: &mut Nest) {
        if nest.depth == 0 {
            self.report(visitor, DefectKind::StrayBracket);
        } else {
            if nest.reading() || nest.skip_from == nest.depth && nest.entered {
                self.end_variation(visitor);
            }
            if nest.skip_from == nest.depth {
                nest.skip_from = usize::MAX;
            }
            nest.depth -= 1;
        }
        self.source.pos += 1;
    }

    fn skip_reserved<V: Visitor>(&mut self, visitor: &mut V) {
        let rest = self.source.rest();
        let end = rest
            .iter()
            .take(LOOKAHEAD)
            .position(|&byte| byte == b'>' || byte == b'\n');
        match end {
            Some(end) if rest[end] == b'>' => {
                self.report(visitor, DefectKind::ReservedText);
                self.source.pos += end + 1;
            }
            _ => {
                self.report(visitor, DefectKind::UnexpectedCharacter('<'));
                self.source.pos += 1;
            }
        }
    }

    /// Ends the game with a marker, unless that stands at the end of a variation, where it is a remark: before the
    /// closing bracket, or before a comment, which a game that has ended would not have inside a bracket.
    fn end_with_marker<V: Visitor>(
        &mut self,
        visitor: &mut V,
        nest: &Nest,
        marker: Outcome,
        length: usize,
    ) -> io::Result<bool> {
        if nest.depth > 0 {
            let behind = self.source.rest().get(length..).unwrap_or_default();
            let next = behind.iter().find(|byte| !byte.is_ascii_whitespace());
            if matches!(next, Some(b')' | b'{' | b';')) {
                self.report(visitor, DefectKind::ResultInVariation);
                self.source.pos += length;
                return Ok(false);
            }
            self.close_all(visitor, nest);
        }
        self.source.pos += length;
        visitor.result(marker);
        self.read_closing_comments(visitor)?;
        self.line_ends = 0;
        Ok(true)
    }

    fn end_without_marker<V: Visitor>(&mut self, visitor: &mut V, nest: &Nest) {
        self.close_all(visitor, nest);
        self.report(visitor, DefectKind::MissingResult);
    }

    fn close_all<V: Visitor>(&mut self, visitor: &mut V, nest: &Nest) {
        if nest.depth > 0 {
            self.report(visitor, DefectKind::UnclosedVariation);
            for _ in 0..nest.entered() {
                self.end_variation(visitor);
            }
        }
    }

    fn end_variation<V: Visitor>(&mut self, visitor: &mut V) {
        if let Err(kind) = visitor.end_variation() {
            self.report(visitor, kind);
        }
    }

    /// Reads comments behind the marker, up to an empty line: they belong to the game that has just ended.
    fn read_closing_comments<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
        loop {
            self.source.want(LOOKAHEAD)?;
            let rest = self.source.rest();
            let blank = |bytes: &[u8]| {
                bytes
                    .iter()
                    .take_while(|&&byte| byte == b' ' || byte == b'\t')
                    .count()
            };
            let mut skipped = blank(rest);
            skipped += match &rest[skipped..] {
                [b'\r', b'\n', ..] => 2,
                [b'\n' | b'\r', ..] => 1,
                _ => 0,
            };
            skipped += blank(&rest[skipped..]);
            if !matches!(rest.get(skipped), Some(b'{' | b';')) {
                return Ok(());
            }
            self.source.pos += skipped;
            self.read_comment(visitor, true)?;
        }
    }
}

/// Words that annotate a move without being one.
const REMARKS: [&str; 8] = ["e.p.", "e.p", "ep.", "ep", "en", "pt", "passant", "dbl"];

/// Bytes that end a word. Letters, digits, signs of moves and all beyond ASCII do not.
const ENDS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte <= b' ' {
        table[byte as usize] = true;
        byte += 1;
    }
    let ends = b"{}()[]<>;$!?,*\"\x7f";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = true;
        i += 1;
    }
    table
};
