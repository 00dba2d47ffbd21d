//! Tells PGN, lists of positions and JSON apart.

use std::{
    io::{self, Cursor, Read},
    path::Path,
};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Games in PGN.
    Pgn,
    /// A FEN or EPD a line.
    Lines,
    /// One JSON value.
    Json,
    /// A JSON object a line.
    JsonLines,
}

/// Bytes looked at where the name does not tell.
const HEAD_BYTES: u64 = 4096;

/// Tells what a file holds, by its name or else by its beginning, and gives the whole text back.
///
/// # Errors
/// If the beginning cannot be read.
pub(crate) fn sniff(path: &Path, mut text: Box<dyn Read + Send>) -> io::Result<(Kind, Box<dyn Read + Send>)> {
    if let Some(kind) = by_name(path) {
        return Ok((kind, text));
    }
    let mut head = Vec::new();
    text.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let kind = by_content(&String::from_utf8_lossy(&head));
    Ok((kind, Box::new(Cursor::new(head).chain(text))))
}

fn by_name(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let bare = [".gz", ".zst"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(&name);
    match bare.rsplit_once('.')?.1 {
        "pgn" => Some(Kind::Pgn),
        "epd" | "fen" => Some(Kind::Lines),
        "json" => Some(Kind::Json),
        "jsonl" | "ndjson" => Some(Kind::JsonLines),
        _ => None,
    }
}

/// A position's first field has eight ranks, and an object or a list of objects begins with brackets of its own; no
/// line of a PGN file begins like that.
fn by_content(head: &str) -> Kind {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let (line, rest) = head.split_once('\n').unwrap_or((head, ""));
    if head.starts_with('{') && looks_like_object(head) {
        // An object that is whole on its line, or too long to see, with or without others behind it.
        let is_whole = line.trim_end().ends_with('}') || (rest.is_empty() && line.len() > 2);
        return if is_whole { Kind::JsonLines } else { Kind::Json };
    }
    let in_list = head.strip_prefix('[').map(str::trim_start);
    if in_list.is_some_and(|rest| rest.starts_with(['{', ']'])) {
        return Kind::Json;
    }
    let first = head
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let is_placement = |word: &str| {
        word.split('/').count() == 8
            && word
                .chars()
                .all(|letter| "/12345678pnbrqkPNBRQK~".contains(letter))
    };
    match first.and_then(|line| line.split_whitespace().next()) {
        Some(word) if is_placement(word) => Kind::Lines,
        _ => Kind::Pgn,
    }
}

/// A comment of PGN begins with a brace too, but hardly with a name in quotes.
fn looks_like_object(head: &str) -> bool {
    let inside = head.get(1..).unwrap_or_default().trim_start();
    inside.starts_with('}') || inside.starts_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        assert_eq!(by_name(Path::new("a/b.PGN.zst")), Some(Kind::Pgn));
        assert_eq!(by_name(Path::new("b.epd")), Some(Kind::Lines));
        assert_eq!(by_name(Path::new("b.fen.gz")), Some(Kind::Lines));
        assert_eq!(by_name(Path::new("b.json")), Some(Kind::Json));
        assert_eq!(by_name(Path::new("b.jsonl.zst")), Some(Kind::JsonLines));
        assert_eq!(by_name(Path::new("-")), None);
        assert_eq!(by_name(Path::new("b.txt")), None);
    }

    #[test]
    fn content_tells_and_stays_whole() -> io::Result<()> {
        let cases = [
            ("# suite\n\n4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+;\n", Kind::Lines),
            ("\u{feff}[Event \"?\"]\n\n1. e4 *\n", Kind::Pgn),
            ("1. e4 e5 *", Kind::Pgn),
            ("", Kind::Pgn),
            ("{\"events\": []}\n{}\n", Kind::JsonLines),
            ("\n{\n  \"events\": []\n}\n", Kind::Json),
            ("{ \"a\":\n1}", Kind::Json),
            ("[\n  {}]", Kind::Json),
            ("{a comment} 1. e4 *", Kind::Pgn),
        ];
        for (text, kind) in cases {
            let (found, mut reader) = sniff(Path::new("-"), Box::new(text.as_bytes()))?;
            assert_eq!(found, kind, "{text}");
            let mut whole = String::new();
            reader.read_to_string(&mut whole)?;
            assert_eq!(whole, text);
        }
        Ok(())
    }
}
