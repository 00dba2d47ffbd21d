//! Numeric annotation glyphs (NAG) and the signs that stand for them.

/// The glyph number of a sign written after a move: the six suffixes of the PGN standard and the signs
/// that annotators use for the standard's evaluations.
#[must_use]
pub fn from_sign(sign: &str) -> Option<u8> {
    Some(match sign {
        "!" => 1,
        "?" => 2,
        "!!" => 3,
        "??" => 4,
        "!?" => 5,
        "?!" => 6,
        "□" => 7,
        "=" => 10,
        "∞" => 13,
        "+=" | "⩲" | "+/=" => 14,
        "=+" | "⩱" | "=/+" => 15,
        "±" | "+/-" => 16,
        "∓" | "-/+" => 17,
        "+-" | "+−" | "+–" => 18,
        "-+" | "−+" | "–+" => 19,
        "⨀" | "⊙" => 22,
        "⟳" => 32,
        "→" => 36,
        "↑" => 40,
        "⇆" => 132,
        "N" => 146,
        "D" => 220,
        _ => return None,
    })
}

/// The suffix for the first six glyphs, as printed after a move.
#[must_use]
pub const fn suffix(nag: u8) -> Option<&'static str> {
    match nag {
        1 => Some("!"),
        2 => Some("?"),
        3 => Some("!!"),
        4 => Some("??"),
        5 => Some("!?"),
        6 => Some("?!"),
        _ => None,
    }
}
