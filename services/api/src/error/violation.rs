use std::fmt;

/// Greatest length of a quoted value, in bytes: what the caller sent is never echoed at length.
pub const MAX_VALUE_BYTES: usize = 64;

/// Greatest length of a reason, in bytes.
const MAX_REASON_BYTES: usize = 160;

/// Greatest length of the first reason, in bytes: that of the options which a decision may take, with room.
const MAX_FIRST_REASON_BYTES: usize = 512;

/// Greatest number of violations reported with one error; the rest are counted.
pub const MAX_VIOLATIONS: usize = 16;

/// One field that the caller has to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path of the field in the request, such as `positions[17].fen`.
    pub field: String,
    /// The value that was refused, escaped and cut to [`MAX_VALUE_BYTES`].
    pub value: String,
    /// Why it was refused.
    pub reason: String,
}

/// The violations of one request: the first [`MAX_VIOLATIONS`] of them and the number of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    kept: Vec<Violation>,
    others: usize,
}

impl Violations {
    /// Violations with a single entry.
    pub fn one(field: impl Into<String>, value: &str, reason: impl fmt::Display) -> Self {
        let mut violations = Self::default();
        violations.add(field, value, reason);
        violations
    }

    /// Adds a violation, or counts it when enough are kept.
    pub fn add(&mut self, field: impl Into<String>, value: &str, reason: impl fmt::Display) {
        if self.kept.len() == MAX_VIOLATIONS {
            self.others += 1;
            return;
        }
        // Trailers are short: what is listed at length leaves room for what else is wrong.
        let most = match self.kept.is_empty() {
            true => MAX_FIRST_REASON_BYTES,
            false => MAX_REASON_BYTES,
        };
        self.kept.push(Violation {
            field: cut(&field.into(), MAX_VALUE_BYTES * 2),
            value: excerpt(value),
            reason: shortened(&reason.to_string(), most),
        });
    }

    /// Adds all of `other`.
    pub fn append(&mut self, other: Violations) {
        let room = MAX_VIOLATIONS - self.kept.len();
        self.others += other.others + other.kept.len().saturating_sub(room);
        self.kept.extend(other.kept.into_iter().take(room));
    }

    /// The violations with other names for their fields.
    pub fn renamed(mut self, name: impl Fn(&str) -> String) -> Self {
        for violation in &mut self.kept {
            violation.field = cut(&name(&violation.field), MAX_VALUE_BYTES * 2);
        }
        self
    }

    /// Whether nothing was wrong.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The violations that are reported one by one.
    pub fn kept(&self) -> &[Violation] {
        &self.kept
    }

    /// How many violations there are beyond [`Violations::kept`].
    pub fn others(&self) -> usize {
        self.others
    }

    /// Stops reporting the last violation by itself and only counts it; false when one is left.
    pub(super) fn fold_last(&mut self) -> bool {
        if self.kept.len() <= 1 {
            return false;
        }
        self.kept.pop();
        self.others += 1;
        true
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.kept.first() else {
            return f.write_str("no violations");
        };
        write!(f, "{} `{}`: {}", first.field, first.value, first.reason)?;
        match self.kept.len() - 1 + self.others {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

/// `value` with control characters, and those that turn or break a line unseen, escaped, cut to [`MAX_VALUE_BYTES`].
pub fn excerpt(value: &str) -> String {
    let mut out = String::new();
    for c in value.chars() {
        let escaped: String = if c.is_control() || is_unseen(c) {
            c.escape_default().collect()
        } else {
            c.into()
        };
        if out.len() + escaped.len() > MAX_VALUE_BYTES {
            break;
        }
        out.push_str(&escaped);
    }
    out
}

/// Whether a character has no shape of its own but changes how a line looks: joiners, breaks, changes of direction.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// As [`cut`], with a mark where something was left out, so that no list looks complete that is not.
fn shortened(text: &str, bytes: usize) -> String {
    const LEFT_OUT: &str = "…";
    if text.len() <= bytes {
        return text.to_owned();
    }
    cut(text, bytes - LEFT_OUT.len()) + LEFT_OUT
}

/// The longest prefix of `text` of at most `bytes` bytes that ends between characters.
fn cut(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_cut_between_characters() {
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
        assert_eq!(excerpt(&"x".repeat(30_000)).len(), MAX_VALUE_BYTES);
        // 马 takes three bytes: 21 of them fit in 64.
        assert_eq!(excerpt(&"马".repeat(100)), "马".repeat(21));
    }

    #[test]
    fn a_reason_that_is_cut_says_so() {
        let reason = |length: usize| {
            Violations::one("a", "b", "c".repeat(length)).kept()[0]
                .reason
                .clone()
        };
        assert_eq!(reason(MAX_FIRST_REASON_BYTES), "c".repeat(MAX_FIRST_REASON_BYTES));
        let cut = reason(MAX_FIRST_REASON_BYTES + 1);
        assert_eq!((cut.len(), cut.ends_with("c…")), (MAX_FIRST_REASON_BYTES, true));
    }

    #[test]
    fn the_seventeenth_violation_is_only_counted() {
        let mut all = Violations::default();
        for i in 0..1000 {
            all.add(format!("positions[{i}].fen"), "x", "not a fen");
        }
        assert_eq!(all.kept().len(), MAX_VIOLATIONS);
        assert_eq!(all.others(), 1000 - MAX_VIOLATIONS);
        assert_eq!(all.to_string(), "positions[0].fen `x`: not a fen, and 999 more");

        let mut joined = Violations::one("a", "b", "c");
        joined.append(all);
        assert_eq!((joined.kept().len(), joined.others()), (16, 1000 - 15));
    }
}
