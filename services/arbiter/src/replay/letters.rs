//! Letters of the pieces in other languages than English (FIDE C.3).

use tabiya_rules::Piece;

use super::Written;
use crate::ruleset::Rule;

/// The longest text that is looked at, in bytes; no move is near it.
const LONGEST: usize = 32;

/// The pieces that a letter names in the languages of Europe that have it and where English has not: German, French,
/// Spanish, Polish, Russian and others. Letters that English has mean what they mean there.
fn named(letter: char) -> &'static [Piece] {
    use Piece::{Bishop, King, Knight, Queen, Rook};

    match letter {
        'D' | 'Д' | 'Ф' => &[Queen],
        'T' | 'W' | 'Т' => &[Rook],
        'L' | 'G' | 'F' | 'О' => &[Bishop],
        'C' | 'J' => &[Knight],
        'Ц' => &[King],
        // German knights and Czech bishops; Spanish bishops and Turkish knights; Polish queens and Hungarian knights.
        'S' | 'A' => &[Knight, Bishop],
        'H' => &[Queen, Knight],
        'V' => &[Queen, Rook],
        // Russian before Serbian.
        'К' => &[Knight, King],
        'Л' => &[Rook, Bishop],
        'С' => &[Bishop, Knight],
        _ => &[],
    }
}

/// What a text can mean with English letters in place of others, the piece's and that of a promotion; nothing if it has no
/// others.
pub(super) fn in_english(text: &str) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let (pieces, rest) = piece(text);
    let (body, promotions, marks) = promotion(rest);
    if pieces.is_empty() && promotions.is_empty() {
        return Vec::new();
    }
    let letters = |pieces: &[Piece]| -> Vec<String> {
        match pieces {
            [] => vec![String::new()],
            some => some
                .iter()
                .map(|piece| piece.letter().to_ascii_uppercase().into())
                .collect(),
        }
    };
    let (first, last) = (letters(pieces), letters(promotions));
    let both = |first: &String| -> Vec<String> {
        last.iter()
            .map(|last| format!("{first}{body}{last}{marks}"))
            .collect()
    };
    first.iter().flat_map(both).collect()
}

/// The pieces that the first letter names, and the rest; none if something else than a square or a capture follows.
fn piece(text: &str) -> (&'static [Piece], &str) {
    let (pieces, rest): (&[Piece], _) = match text.strip_prefix("Кр") {
        Some(rest) => (&[Piece::King], rest),
        None => {
            let mut letters = text.chars();
            (letters.next().map_or(&[], named), letters.as_str())
        }
    };
    let follows =
        rest.starts_with(|next: char| matches!(next, 'a'..='h' | '1'..='8' | 'x' | 'X' | ':' | '×'));
    match pieces {
        [_, ..] if follows => (pieces, rest),
        _ => (&[], text),
    }
}

/// The pieces that the letter of a promotion names, what stands before it, and what behind it.
fn promotion(text: &str) -> (&str, &'static [Piece], &str) {
    let bare = text.trim_end_matches(['+', '#', '!', '?', ' ', ')']);
    let marks = &text[bare.len()..];
    let mut letters = bare.chars();
    let pieces = letters.next_back().map_or(&[][..], named);
    let body = letters.as_str();
    match body.ends_with(['1', '8', '=', '(', '/']) {
        true if !pieces.is_empty() => (body, pieces, marks),
        _ => (text, &[], ""),
    }
}

/// The one thing that readings of a text say: two of them that can be played are ambiguous, and what no reading lets be
/// played is illegal.
pub(super) fn agreed(readings: impl IntoIterator<Item = Written>) -> Written {
    let mut found: Vec<Written> = Vec::new();
    for reading in readings {
        if reading != Written::Unreadable && !found.contains(&reading) {
            found.push(reading);
        }
    }
    let legal: Vec<Written> = found
        .iter()
        .copied()
        .filter(|one| one.legal().is_some())
        .collect();
    match (legal.as_slice(), found.as_slice()) {
        _ if found.contains(&Written::Ambiguous) => Written::Ambiguous,
        (&[only], _) | (&[], &[only]) => only,
        (&[], &[]) => Written::Unreadable,
        (&[], _) => Written::Illegal(Rule::IllegalMove, None),
        _ => Written::Ambiguous,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_letters_are_put_into_english() {
        for (text, english) in [
            ("Df3", &["Qf3"] as &[&str]),
            ("Tae1", &["Rae1"]),
            ("Sf3", &["Nf3", "Bf3"]),
            ("Sg1xf3+", &["Ng1xf3+", "Bg1xf3+"]),
            ("Крe2", &["Ke2"]),
            ("Кf3", &["Nf3", "Kf3"]),
            ("d8D", &["d8Q"]),
            ("dxc8=S+", &["dxc8=N+", "dxc8=B+"]),
            ("d8(T)", &["d8(R)"]),
            ("d7d8D", &["d7d8Q"]),
            // English letters, squares and castling stay what they are.
            ("Nf3", &[]),
            ("e4", &[]),
            ("O-O", &[]),
            ("d8=Q", &[]),
            ("S", &[]),
            ("", &[]),
        ] {
            assert_eq!(in_english(text), english, "{text}");
        }
    }
}
