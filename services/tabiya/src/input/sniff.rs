//! Tells PGN from lists of positions.

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
        _ => None,
    }
}

/// A position's first field has eight ranks; no line of a PGN file begins like that.
fn by_content(head: &str) -> Kind {
    let first = head
        .trim_start_matches('\u{feff}')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        assert_eq!(by_name(Path::new("a/b.PGN.zst")), Some(Kind::Pgn));
        assert_eq!(by_name(Path::new("b.epd")), Some(Kind::Lines));
        assert_eq!(by_name(Path::new("b.fen.gz")), Some(Kind::Lines));
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
