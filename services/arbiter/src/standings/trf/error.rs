use std::fmt;

/// Longest quoted value, in bytes.
const MAX_VALUE: usize = 64;

/// Most errors that are told one by one.
const MAX_ERRORS: usize = 16;

/// What is wrong at one place of a report file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrfError {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The field.
    pub field: &'static str,
    /// What stands there, cut to 64 bytes.
    pub value: String,
    /// Why that cannot be.
    pub reason: String,
}

impl fmt::Display for TrfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            field,
            value,
            reason,
        } = self;
        write!(
            f,
            "line {line}, column {column}, {field} `{}`: {reason}",
            value.escape_debug()
        )
    }
}

impl std::error::Error for TrfError {}

/// Everything that is wrong with a report file: the first errors in full, the rest counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrfErrors {
    kept: Vec<TrfError>,
    others: usize,
}

impl TrfErrors {
    /// The errors that are told one by one.
    pub fn kept(&self) -> &[TrfError] {
        &self.kept
    }

    /// How many there are beyond them.
    pub fn others(&self) -> usize {
        self.others
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn add(
        &mut self,
        line: usize,
        column: usize,
        field: &'static str,
        value: &str,
        reason: impl fmt::Display,
    ) {
        if self.kept.len() == MAX_ERRORS {
            self.others += 1;
            return;
        }
        self.kept.push(TrfError {
            line,
            column,
            field,
            value: value[..value.floor_char_boundary(MAX_VALUE)].to_owned(),
            reason: reason.to_string(),
        });
    }
}

impl fmt::Display for TrfErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.kept.first() else {
            return f.write_str("nothing is wrong");
        };
        write!(f, "{first}")?;
        match self.kept.len() - 1 + self.others {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

impl std::error::Error for TrfErrors {}
