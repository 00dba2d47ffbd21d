//! Bytes to text: UTF-8 where it is UTF-8, else GB18030 (with feature `pgn-decode`) or Windows-1252.
//!
//! The choice between the two legacy encodings is made once, on the block in which the first line that is not
//! UTF-8 appears, and then kept: databases are exported by one program. ASCII needs no choice, since both contain it.
//! Conversion comes before lexing because the second byte of a GB18030 character can be `}` or `\`.

/// The encoding in which a PGN stream was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, or plain ASCII.
    Utf8,
    /// GB18030, which contains GBK and GB 2312. Only with feature `pgn-decode`.
    Gb18030,
    /// Windows-1252, which contains ISO 8859-1. Without feature `pgn-decode` its bytes 80 to 9F are taken as
    /// ISO 8859-1 control characters.
    Windows1252,
}

/// A line longer than this is converted in pieces.
const MAX_HELD_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Decoder {
    /// The unfinished last line of what was pushed so far.
    held: Vec<u8>,
    utf8_seen: bool,
    legacy: Option<TextEncoding>,
}

impl Decoder {
    pub(super) const fn new() -> Self {
        Self {
            held: Vec::new(),
            utf8_seen: false,
            legacy: None,
        }
    }

    pub(super) fn encoding(&self) -> TextEncoding {
        self.legacy.unwrap_or(TextEncoding::Utf8)
    }

    /// Converts a block and appends its text to `out`; an unfinished character or line may be held back until the
    /// next call.
    pub(super) fn push(&mut self, block: &[u8], out: &mut String) {
        if self.held.is_empty() {
            match self.push_utf8(block, out) {
                Some(length) => self.held.extend_from_slice(&block[length..]),
                None => self.push_lines(block, out),
            }
        } else {
            let mut bytes = std::mem::take(&mut self.held);
            bytes.extend_from_slice(block);
            match self.push_utf8(&bytes, out) {
                Some(length) => self.held = bytes.split_off(length),
                None => self.push_lines(&bytes, out),
            }
        }
    }

    fn push_lines(&mut self, bytes: &[u8], out: &mut String) {
        let complete = match bytes.iter().rposition(|&byte| byte == b'\n' || byte == b'\r') {
            Some(end) => end + 1,
            None if bytes.len() >= MAX_HELD_BYTES => bytes.len(),
            None => 0,
        };
        self.convert(&bytes[..complete], out);
        self.held = bytes[complete..].to_vec();
    }

    /// Converts what was held back.
    pub(super) fn finish(&mut self, out: &mut String) {
        let lines = std::mem::take(&mut self.held);
        self.convert(&lines, out);
    }

    /// Appends bytes that are UTF-8, but for a character that they may break off; gives back their number, or none
    /// if they are not UTF-8.
    fn push_utf8(&mut self, bytes: &[u8], out: &mut String) -> Option<usize> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
            }
            Err(_) => return None,
        };
        if !text.is_ascii() || text.len() < bytes.len() {
            if self.legacy.is_some() && !self.utf8_seen {
                return None;
            }
            self.utf8_seen |= !text.is_ascii();
        }
        out.push_str(text);
        Some(text.len())
    }

    fn convert(&mut self, lines: &[u8], out: &mut String) {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            if std::str::from_utf8(line).is_ok() && self.push_utf8(line, out).is_some() {
                continue;
            }
            match *self.legacy.get_or_insert_with(|| guess(lines)) {
                #[cfg(feature = "pgn-decode")]
                TextEncoding::Gb18030 => {
                    out.push_str(&encoding_rs::GB18030.decode_without_bom_handling(line).0);
                }
                #[cfg(feature = "pgn-decode")]
                TextEncoding::Windows1252 => {
                    out.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(line).0);
                }
                _ => out.extend(line.iter().copied().map(char::from)),
            }
        }
    }
}

/// GB18030 if the high bytes form characters of that encoding and most of them are pairs of two high bytes, as
/// in Chinese text; accented letters of Western text mostly stand alone between ASCII letters.
fn guess(bytes: &[u8]) -> TextEncoding {
    let (mut paired, mut doubtful, mut i) = (0usize, 0usize, 0usize);
    while let Some(&lead) = bytes.get(i) {
        let next = bytes.get(i + 1).copied().unwrap_or(0);
        i += match (lead, next) {
            (..=0x7f, _) => 1,
            (0xa1..=0xf7, 0xa1..=0xfe) => {
                paired += 1;
                2
            }
            (0x81..=0xfe, 0x40..=0x7e | 0x80..=0xfe) => {
                doubtful += 1;
                2
            }
            (0x81..=0xfe, 0x30..=0x39)
                if matches!(bytes.get(i + 2..i + 4), Some([0x81..=0xfe, 0x30..=0x39])) =>
            {
                paired += 1;
                4
            }
            _ => {
                doubtful += 1;
                1
            }
        };
    }
    if cfg!(feature = "pgn-decode") && paired > doubtful {
        TextEncoding::Gb18030
    } else {
        TextEncoding::Windows1252
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(blocks: &[&[u8]]) -> (String, TextEncoding) {
        let (mut decoder, mut out) = (Decoder::new(), String::new());
        for block in blocks {
            decoder.push(block, &mut out);
        }
        decoder.finish(&mut out);
        (out, decoder.encoding())
    }

    #[test]
    fn utf8_split_inside_a_character() {
        let bytes = "一\n二".as_bytes();
        assert_eq!(
            decode(&[&bytes[..2], &bytes[2..]]),
            ("一\n二".to_owned(), TextEncoding::Utf8)
        );
    }

    #[test]
    fn western_text() {
        let (text, encoding) = decode(&[b"[White \"M\xfcller, Ren\xe9\"]\n[Black \"B\"]\n"]);
        assert_eq!(text, "[White \"Müller, René\"]\n[Black \"B\"]\n");
        assert_eq!(encoding, TextEncoding::Windows1252);
    }

    #[cfg(feature = "pgn-decode")]
    #[test]
    fn chinese_text_with_a_brace_as_second_byte() {
        // The second byte of 衹 is 7D, a closing brace in ASCII.
        let (bytes, _, lossy) = encoding_rs::GB18030.encode("{国际象棋 衹 王前兵}\n[White \"谢军\"]\n");
        assert!(!lossy && bytes.iter().filter(|&&byte| byte == b'}').count() == 2);
        for cut in 0..bytes.len() {
            let (text, encoding) = decode(&[&bytes[..cut], &bytes[cut..]]);
            assert_eq!(text, "{国际象棋 衹 王前兵}\n[White \"谢军\"]\n", "cut at {cut}");
            assert_eq!(encoding, TextEncoding::Gb18030);
        }
    }
}
