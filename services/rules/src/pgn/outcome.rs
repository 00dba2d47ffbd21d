//! The four termination markers of PGN.

use std::fmt;

/// What a termination marker or a `Result` tag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: in progress, abandoned or unknown.
    Unknown,
}

impl Outcome {
    /// The spelling of the PGN standard.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Reads the standard spelling.
    #[must_use]
    pub fn from_standard(text: &str) -> Option<Self> {
        Some(match text {
            "1-0" => Self::WhiteWins,
            "0-1" => Self::BlackWins,
            "1/2-1/2" => Self::Draw,
            "*" => Self::Unknown,
            _ => return None,
        })
    }

    /// Reads spellings seen in the wild that can mean nothing else, such as `½-½` or `1–0` with a dash.
    #[must_use]
    pub fn from_informal(text: &str) -> Option<Self> {
        Some(match text {
            "1:0" | "1\u{2013}0" | "1\u{2014}0" | "1\u{2212}0" | "1-0." => Self::WhiteWins,
            "0:1" | "0\u{2013}1" | "0\u{2014}1" | "0\u{2212}1" | "0-1." => Self::BlackWins,
            "1/2" | "1/2:1/2" | "1/2\u{2013}1/2" | "½" | "½-½" | "½:½" | "½–½" | "½—½" | "½−½"
            | "0.5-0.5" => Self::Draw,
            _ => return Self::from_standard(text),
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
