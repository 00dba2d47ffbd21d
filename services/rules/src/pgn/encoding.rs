//! Bytes to text: UTF-8 where it is UTF-8, else GB18030 (with feature `pgn-decode`) or Windows-1252.
//!
//! The choice between the two legacy encodings is made once, on the 64 KiB that begin with the first text that is
//! not UTF-8, and then kept: databases are exported by one program. ASCII needs no choice, since both contain it.
//! Conversion comes before lexing because the second byte of a GB18030 character can be `}` or `\`.
//!
//! What comes out depends on the bytes alone, not on the pieces in which they arrive: every decision is taken on a
//! piece of a line that begins with the line's first byte beyond ASCII, and waits until that piece is there. ASCII
//! waits for nothing.

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

/// A piece of a line longer than this is cut.
const MAX_PIECE_BYTES: usize = 256 * 1024;
/// On so many bytes, if the stream has them, the legacy encoding is guessed.
const SAMPLE_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Decoder {
    /// Bytes that cannot be decided yet; they begin with one beyond ASCII.
    held: Vec<u8>,
    /// How many must be held to go on.
    enough: usize,
    /// Whether a line end will do as well.
    line_awaited: bool,
    utf8_seen: bool,
    legacy: Option<TextEncoding>,
}

impl Decoder {
    pub(super) const fn new() -> Self {
        Self {
            held: Vec::new(),
            enough: 0,
            line_awaited: false,
            utf8_seen: false,
            legacy: None,
        }
    }

    pub(super) fn encoding(&self) -> TextEncoding {
        self.legacy.unwrap_or(TextEncoding::Utf8)
    }

    /// Converts a block and appends its text to `out`; some of it may be held back until a later call.
    pub(super) fn push(&mut self, block: &[u8], out: &mut String) {
        if self.held.is_empty() {
            let done = self.convert(block, false, out);
            self.held.extend_from_slice(&block[done..]);
            return;
        }
        self.held.extend_from_slice(block);
        // Without this a stream that comes byte by byte would be looked at again from the start for each.
        if self.held.len() >= self.enough || self.line_awaited && block.iter().any(ends_line) {
            let mut bytes = std::mem::take(&mut self.held);
            let done = self.convert(&bytes, false, out);
            bytes.drain(..done);
            self.held = bytes;
        }
    }

    /// Converts what was held back.
    pub(super) fn finish(&mut self, out: &mut String) {
        let bytes = std::mem::take(&mut self.held);
        self.convert(&bytes, true, out);
    }

    /// Converts as much as can be decided; gives back its length.
    fn convert(&mut self, bytes: &[u8], ended: bool, out: &mut String) -> usize {
        let mut done = self.convert_utf8_lines(bytes, out);
        while done < bytes.len() {
            let rest = &bytes[done..];
            let Some(length) = piece_length(rest, ended) else {
                (self.enough, self.line_awaited) = (MAX_PIECE_BYTES, true);
                break;
            };
            if !self.convert_piece(&rest[..length], rest, ended, out) {
                (self.enough, self.line_awaited) = (SAMPLE_BYTES, false);
                break;
            }
            done += length;
        }
        done
    }

    /// The usual case at once: converts all complete lines if they are UTF-8.
    fn convert_utf8_lines(&mut self, bytes: &[u8], out: &mut String) -> usize {
        let complete = bytes.iter().rposition(ends_line).map_or(0, |end| end + 1);
        match std::str::from_utf8(&bytes[..complete]) {
            Ok(text) if self.takes(text) => {
                self.utf8_seen |= !text.is_ascii();
                out.push_str(text);
                complete
            }
            _ => 0,
        }
    }

    /// Whether this, which is UTF-8, also means UTF-8: in a stream that has shown itself to be in a legacy encoding,
    /// two of that one's bytes may look like it.
    fn takes(&self, text: &str) -> bool {
        self.legacy.is_none() || self.utf8_seen || text.is_ascii()
    }

    /// Converts one piece, the head of `rest`; false if too little of the stream is known to choose its encoding.
    fn convert_piece(&mut self, piece: &[u8], rest: &[u8], ended: bool, out: &mut String) -> bool {
        if let Ok(text) = std::str::from_utf8(piece)
            && self.takes(text)
        {
            self.utf8_seen |= !text.is_ascii();
            out.push_str(text);
            return true;
        }
        let legacy = match self.legacy {
            Some(legacy) => legacy,
            None if ended || rest.len() >= SAMPLE_BYTES => guess(&rest[..rest.len().min(SAMPLE_BYTES)]),
            None => return false,
        };
        self.legacy = Some(legacy);
        match legacy {
            #[cfg(feature = "pgn-decode")]
            TextEncoding::Gb18030 => {
                out.push_str(&encoding_rs::GB18030.decode_without_bom_handling(piece).0);
            }
            #[cfg(feature = "pgn-decode")]
            TextEncoding::Windows1252 => {
                out.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(piece).0);
            }
            _ => out.extend(piece.iter().copied().map(char::from)),
        }
        true
    }
}

fn ends_line(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Length of the first piece: ASCII up to the line's end or to the first byte beyond, or from that byte to the line's
/// end, or to the limit. `None` if that end has not arrived yet.
fn piece_length(bytes: &[u8], ended: bool) -> Option<usize> {
    let ascii = bytes.iter().position(|byte| !byte.is_ascii() || ends_line(byte));
    match ascii {
        None => return Some(bytes.len()),
        Some(end) if ends_line(&bytes[end]) => return Some(end + 1),
        Some(0) => {}
        Some(end) => return Some(end),
    }
    let head = &bytes[..bytes.len().min(MAX_PIECE_BYTES)];
    match head.iter().position(ends_line) {
        Some(end) => Some(end + 1),
        None if head.len() == MAX_PIECE_BYTES => Some(cut(head)),
        None => ended.then_some(bytes.len()),
    }
}

/// Where to cut what is longer than a piece, so that no character is cut where that can be known.
fn cut(head: &[u8]) -> usize {
    // Blanks and most signs are whole characters in every encoding; the second bytes of GB18030 begin at 0x30.
    if let Some(at) = head.iter().rposition(|&byte| byte < 0x30) {
        return at + 1;
    }
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => head.len(),
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

    /// The first line that is not UTF-8 looks Chinese, all that follow are Western; a slow stream shows it alone.
    #[cfg(feature = "pgn-decode")]
    #[test]
    fn the_guess_does_not_depend_on_the_pieces() {
        let mut bytes = b"[Event \"x\"]\n[Black \"\xe4\xf6\"]\n".to_vec();
        bytes.extend(b"[White \"Ren\xe9\"]\n".repeat(20));
        let whole = decode(&[&bytes]);
        assert_eq!(whole.1, TextEncoding::Windows1252);
        assert!(
            whole
                .0
                .starts_with("[Event \"x\"]\n[Black \"äö\"]\n[White \"René\"]\n"),
            "{}",
            whole.0
        );
        for step in [1, 7, 30, 100] {
            assert_eq!(decode(&bytes.chunks(step).collect::<Vec<_>>()), whole, "{step}");
        }
        // What comes beyond the sample changes nothing, however it arrives.
        let mut long = b"[Black \"\xe4\xf6\"]\n".repeat(6_000);
        long.extend(b"[White \"\xe4 \xf6 \xfc\"]\n".repeat(20_000));
        let whole = decode(&[&long]);
        assert_eq!(whole.1, TextEncoding::Gb18030);
        assert!(decode(&long.chunks(1_000).collect::<Vec<_>>()) == whole);
    }

    #[test]
    fn ascii_waits_for_nothing_and_utf8_for_its_line() {
        let (mut decoder, mut out) = (Decoder::new(), String::new());
        decoder.push(b"1. e4 {\xe5\x9b", &mut out);
        assert_eq!(out, "1. e4 {");
        decoder.push(b"\xbd} e5\n1.", &mut out);
        assert_eq!(out, "1. e4 {国} e5\n1.");
    }

    #[test]
    fn a_line_without_end_is_cut_between_characters() {
        for (text, pieces) in [("国".repeat(400_000), 3), ("象棋 ".repeat(200_000), 5)] {
            let bytes = text.as_bytes();
            assert!(bytes.len() > pieces * MAX_PIECE_BYTES);
            let whole = decode(&[bytes]);
            assert!(whole == (text.clone(), TextEncoding::Utf8));
            assert!(decode(&bytes.chunks(10_007).collect::<Vec<_>>()) == whole);
        }
    }
}
